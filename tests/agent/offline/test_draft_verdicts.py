"""Verdicts: approve or reject, and what follows either."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            (
                "when an employee submits an expense the manager approves or rejects it; if approved finance "
                "pays, otherwise tell the employee"
            ),
            [
                "on expense.submitted",
                "human Submit expense @employee -> Approve or reject expense",
                "human Approve or reject expense @manager [approved]-> Pay [rejected]-> Tell employee",
                "human Pay @finance -> Done",
                "action Tell employee uses=notification.send -> Rejected",
            ],
            id="employee submits expense manager approves",
        ),
        pytest.param(
            (
                'Can you create a workflow called "Holiday request"? The employee requests leave, his manager'
                " approves it, HR records it."
            ),
            [
                "human Request leave @employee -> Approve leave",
                "human Approve leave @manager [approved]-> Record leave [rejected]-> Rejected",
                "human Record leave @HR -> Done",
            ],
            id="can you create workflow called",
        ),
        pytest.param(
            (
                "manager approve the request, if is rejected then we inform to employee, if is approved then "
                "HR do the contract and after IT create the account"
            ),
            [
                "human Approve request @manager [rejected]-> Inform to employee [approved]-> Do contract",
                "action Inform to employee uses=notification.send -> Rejected",
                "human Do contract @HR -> Create account",
                "human Create account @IT -> Done",
            ],
            id="manager approve request rejected we",
        ),
        pytest.param(
            (
                "I need a process for handling refunds where support checks the request, the manager approves"
                " refunds above 100 euros, and finance pays the money back"
            ),
            [
                "human Check request @support -> Approve refunds above 100 euros",
                (
                    "human Approve refunds above 100 euros @manager [approved]-> Pay money back [rejected]-> "
                    "Rejected"
                ),
                "human Pay money back @finance -> Done",
            ],
            id="i need process for handling",
        ),
        pytest.param(
            (
                "The loan officer reviews the application and decides whether to grant the loan. If yes, the "
                "customer signs the contract and the bank transfers the money. If no, the customer receives a"
                " rejection letter."
            ),
            [
                "human Review application @loan officer -> Decide whether to grant loan",
                (
                    "human Decide whether to grant loan @loan officer [yes]-> Sign contract [else]-> Send "
                    "rejection letter to customer"
                ),
                "human Sign contract @customer -> Transfer money",
                "human Transfer money @bank -> Done",
                "action Send rejection letter to customer uses=notification.send -> Rejected",
            ],
            id="loan officer reviews application decides",
        ),
        pytest.param(
            "legal check, then manager approval, then signing by the CEO",
            [
                "human Legal check @legal -> Manager approval",
                "human Manager approval @manager [approved]-> Signing by CEO [rejected]-> Rejected",
                "human Signing by CEO @CEO -> Done",
            ],
            id="legal check manager approval signing",
        ),
        pytest.param(
            "build me something for vacation requests please",
            [
                "on leave.requested",
                (
                    "human Request leave @employee form=start_date:date,end_date:date,reason:text -> Approve "
                    "or reject leave"
                ),
                (
                    "human Approve or reject leave @manager [approved]-> Record leave [rejected]-> Tell "
                    "employee"
                ),
                "human Record leave @HR -> Done",
                "action Tell employee uses=notification.send -> Rejected",
            ],
            id="build me something for vacation",
        ),
        pytest.param(
            (
                "The warehouse receives the goods, checks the delivery note and counts the items. If the "
                "quantity is wrong, the supplier is informed and the process ends. Otherwise the items are "
                "put on the shelf and the stock is updated in SAP."
            ),
            [
                "human Receive goods @warehouse -> Check delivery note",
                "human Check delivery note @warehouse -> Count items",
                (
                    "human Count items @warehouse [the quantity is wrong]-> Inform supplier [else]-> Put "
                    "items on shelf"
                ),
                "action Inform supplier uses=notification.send -> Rejected",
                "human Put items on shelf -> Update stock in SAP",
                "action Update stock in SAP uses=sap.post -> Done",
            ],
            id="warehouse receives goods checks delivery",
        ),
        pytest.param(
            (
                "Run the supplier check workflow, then finance approves the supplier, then start the "
                '"Contract signing" process.'
            ),
            [
                "subworkflow Run Supplier check workflow=Supplier check -> Approve supplier",
                "human Approve supplier @finance [approved]-> Run Contract signing [rejected]-> Rejected",
                "subworkflow Run Contract signing workflow=Contract signing -> Done",
            ],
            id="run supplier check workflow finance",
        ),
        pytest.param(
            (
                "Someone submits a request for a new laptop. The manager approves. IT orders the laptop. When"
                " the laptop arrives, IT installs the software and hands it over to the employee."
            ),
            [
                "human Submit request for new laptop -> Approve",
                "human Approve @manager [approved]-> Order laptop [rejected]-> Rejected",
                "human Order laptop @IT -> Wait until laptop arrives",
                "event Wait until laptop arrives -> Install software",
                "human Install software @IT -> Hand software over to employee",
                "human Hand software over to employee @IT -> Done",
            ],
            id="someone submits request for new",
        ),
        pytest.param(
            (
                "Please create a workflow: 1. The user fills in a form with: name, department (sales, IT, "
                "HR), start date and comments (optional). 2. The manager approves. 3. If approved, IT creates"
                " the account. 4. If rejected, the user is notified."
            ),
            [
                (
                    "human Fill in form @user "
                    "form=name:string,department:choice,start_date:date,comments:text -> Approve"
                ),
                "human Approve @manager [approved]-> Create account [rejected]-> Notify user",
                "human Create account @IT -> Done",
                "action Notify user uses=notification.send -> Rejected",
            ],
            id="please create workflow user fills",
        ),
        pytest.param(
            (
                "First, the customer orders online. Second, payment is checked. Third, if payment is ok, the "
                "warehouse ships; if not, the customer is contacted. Fourth, the parcel is delivered."
            ),
            [
                "human Order online @customer -> Check payment",
                "human Check payment [payment is ok]-> Ship [else]-> Contact customer",
                "human Ship @warehouse -> Deliver parcel",
                "human Contact customer -> Deliver parcel",
                "action Deliver parcel -> Done",
            ],
            id="first customer orders online second",
        ),
        pytest.param(
            "The request goes to the manager who approves or rejects it. If rejected, it is closed.",
            [
                "human Approve or reject request @manager [rejected]-> Close request [approved]-> Done",
                "action Close request -> Rejected",
            ],
            id="request goes manager who approves",
        ),
        pytest.param(
            "The clerk forwards the file to the controller for approval, who can reject it.",
            [
                "human Forward file to controller for approval @clerk -> Approve file",
                "human Approve file @controller [rejected]-> Rejected [approved]-> Done",
            ],
            id="clerk forwards file controller for",
        ),
        pytest.param(
            (
                "The manager approves or rejects the trip. If rejected, tell the employee. If approved, HR "
                "books the flight. In any case the assistant files the request."
            ),
            [
                ("human Approve or reject trip @manager [rejected]-> Tell employee [approved]-> Book flight"),
                "action Tell employee uses=notification.send -> File request",
                "human Book flight @HR -> File request",
                "human File request @assistant -> Done",
            ],
            id="manager approves or rejects trip",
        ),
        pytest.param(
            (
                "The manager decides if the request is urgent. If it is urgent, call support, otherwise write"
                " an email."
            ),
            [
                (
                    "human Decide if request is urgent @manager [it is urgent]-> Call support [else]-> Write "
                    "email"
                ),
                "action Call support -> Done",
                "action Write email uses=email.send -> Done",
            ],
            id="manager decides request urgent urgent",
        ),
    ],
)
def test_the_graph_is_the_one_described(text: str, expected: list[str]) -> None:
    graph = notation(text)

    assert graph.split("\n") == expected
