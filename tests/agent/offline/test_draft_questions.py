"""Questions of fact: branches that part and meet again."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "Build me an invoice workflow: when an invoice arrives, accounting checks it. If the amount "
                "is over 500 the CFO signs as well, otherwise continue. Then finance pays it and the supplier"
                " gets an email."
            ),
            [
                "on invoice.arrived",
                "human Check invoice @accounting -> Amount is over 500?",
                "decision Amount is over 500? [the amount is over 500]-> Sign [else]-> Pay invoice",
                "human Sign @CFO -> Pay invoice",
                "human Pay invoice @finance -> Send email to supplier",
                "action Send email to supplier uses=email.send -> Done",
            ],
            id="build me invoice workflow invoice",
        ),
        pytest.param(
            "if the stock is low order new parts, else do nothing",
            [
                "decision Stock is low? [the stock is low]-> Order new parts [else]-> Done",
                "human Order new parts -> Done",
            ],
            id="stock low order new parts",
        ),
        pytest.param(
            (
                "the nurse measures the temperature. unless it is above 38, the doctor vaccinates the "
                "patient. finally the nurse records everything"
            ),
            [
                "human Measure temperature @nurse -> It is above 38?",
                "decision It is above 38? [else]-> Vaccinate patient [it is above 38]-> Record everything",
                "human Vaccinate patient @doctor -> Record everything",
                "human Record everything @nurse -> Done",
            ],
            id="nurse measures temperature unless above",
        ),
        pytest.param(
            (
                "ok so basically what happens is that the customer sends us a complaint, you know, and then "
                "somebody from support reads it... if its urgent they call the customer immediately otherwise"
                " they just write an email. after that the team lead checks the answer and closes the ticket"
            ),
            [
                "human Send complaint @customer -> Read complaint",
                "human Read complaint @support -> It is urgent?",
                "decision It is urgent? [it is urgent]-> Call customer [else]-> Support just write email",
                "human Call customer @support -> Check answer",
                "action Support just write email uses=email.send -> Check answer",
                "human Check answer @team lead -> Close ticket",
                "human Close ticket @team lead -> Done",
            ],
            id="ok so basically what happens",
        ),
        pytest.param(
            (
                "If the amount is below 100, the team lead approves; if it is between 100 and 1000, the "
                "department head approves; if it is above 1000, the CFO approves. Then the order is placed."
            ),
            [
                (
                    "decision Amount is below 100? [the amount is below 100]-> Approve [it is between 100 and"
                    " 1000]-> Approve (department head) [it is above 1000]-> Approve (CFO) [else]-> Place "
                    "order"
                ),
                "human Approve @team lead [approved]-> Place order [rejected]-> Rejected",
                (
                    "human Approve (department head) @department head [approved]-> Place order [rejected]-> "
                    "Rejected"
                ),
                "human Approve (CFO) @CFO [approved]-> Place order [rejected]-> Rejected",
                "human Place order -> Done",
            ],
            id="amount below team lead approves",
        ),
        pytest.param(
            (
                "The system checks the stock automatically. If the item is available, the warehouse ships it;"
                " if it is not available, purchasing orders it from the supplier and then the warehouse ships"
                " it. In any case the customer is informed."
            ),
            [
                "action Check stock -> Item is available?",
                (
                    "decision Item is available? [the item is available]-> Ship item [else]-> Order item from"
                    " supplier"
                ),
                "human Ship item @warehouse -> Inform customer",
                "human Order item from supplier @purchasing -> Ship item (warehouse)",
                "human Ship item (warehouse) @warehouse -> Inform customer",
                "action Inform customer uses=notification.send -> Done",
            ],
            id="system checks stock automatically item",
        ),
        pytest.param(
            (
                "claim handling: customer files a claim with policy number, date and photos; an adjuster "
                "inspects the damage; if the damage is over 10000 a senior adjuster must approve as well; "
                "finance pays out; the claim is closed"
            ),
            [
                (
                    "human File claim @customer form=policy_number:string,date:date,photos:file -> Inspect "
                    "damage"
                ),
                "human Inspect damage @adjuster -> Damage is over 10000?",
                "decision Damage is over 10000? [the damage is over 10000]-> Approve [else]-> Pay out",
                "human Approve @senior adjuster [approved]-> Pay out [rejected]-> Rejected",
                "human Pay out @finance -> Close claim",
                "action Close claim -> Done",
            ],
            id="claim handling customer files claim",
        ),
        pytest.param(
            (
                "Once a month the accountant reconciles the bank account, unless it is December. Then the "
                "controller signs off."
            ),
            [
                "at 0 9 1 * *",
                "decision It is December? [else]-> Reconcile bank account [it is December]-> Sign off",
                "human Reconcile bank account @accountant -> Sign off",
                "human Sign off @controller [rejected]-> Rejected [approved]-> Done",
            ],
            id="once month accountant reconciles bank",
        ),
        pytest.param(
            (
                "Contract renewal: 60 days before the end of the contract, remind the account manager. He "
                "calls the customer. If the customer wants to renew, sales prepares a new contract, legal "
                "checks it and both parties sign it. Otherwise the account is closed."
            ),
            [
                "on 60_days_before_the_end_of_the_contract",
                "action Remind account manager uses=notification.send -> Call customer",
                "human Call customer @account manager -> Customer wants to renew?",
                (
                    "decision Customer wants to renew? [the customer wants to renew]-> Prepare new contract "
                    "[else]-> Close account"
                ),
                "human Prepare new contract @sales -> Check new contract",
                "human Check new contract @legal -> Sign new contract",
                "human Sign new contract @party -> Done",
                "action Close account -> Done",
            ],
            id="contract renewal days before end",
        ),
        pytest.param(
            (
                "if the invoice is above 1000 EUR or the supplier is new, the controller has to approve it; "
                "otherwise it is booked automatically"
            ),
            [
                (
                    "decision Invoice is above 1000 EUR or the supplier is new? [the invoice is above 1000 "
                    "EUR or the supplier is new]-> Approve invoice [else]-> Book invoice"
                ),
                "human Approve invoice @controller [rejected]-> Rejected [approved]-> Done",
                "action Book invoice -> Done",
            ],
            id="invoice above eur or supplier",
        ),
        pytest.param(
            (
                "first we check the credit score, if score less than 500 reject, if more than 700 approve "
                "automatically, otherwise the underwriter decides"
            ),
            [
                "human Check credit score -> Score less than 500?",
                (
                    "decision Score less than 500? [score less than 500]-> Rejected [more than 700]-> Approve"
                    " [else]-> Decide"
                ),
                "action Approve -> Done",
                "human Decide @underwriter -> Done",
            ],
            id="first we check credit score",
        ),
        pytest.param(
            (
                "Support agent receives ticket. If it's a bug, send it to engineering. If it's a billing "
                "question, send it to finance. Otherwise the agent answers it. Then close the ticket."
            ),
            [
                "human Receive ticket @support agent -> It is a bug?",
                (
                    "decision It is a bug? [it is a bug]-> Handle ticket [it is a billing question]-> Handle "
                    "ticket (finance) [else]-> Answer ticket"
                ),
                "human Handle ticket @engineering -> Close ticket",
                "human Handle ticket (finance) @finance -> Close ticket",
                "human Answer ticket @agent -> Close ticket",
                "action Close ticket -> Done",
            ],
            id="support agent receives ticket s",
        ),
        pytest.param(
            "Unless the order is paid, cancel it. Ship it unless the address is missing.",
            [
                "decision Order is paid? [else]-> Cancel order [the order is paid]-> Address is missing?",
                "action Cancel order -> Address is missing?",
                "decision Address is missing? [else]-> Ship order [the address is missing]-> Done",
                "action Ship order -> Done",
            ],
            id="unless order paid cancel ship",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
