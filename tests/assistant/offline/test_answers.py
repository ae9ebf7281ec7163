"""Answers from the graph of one workflow, straight from the words: one table a kind of question."""

from typing import Any

import pytest

from workflow_agent.assistant.offline.questions.answers import answered
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow


def _edge(text: str, number: int) -> dict[str, Any]:
    ends, _, when = text.partition(":")
    source, target = ends.split(">")
    edge: dict[str, Any] = {"id": f"t{number}", "from": source.strip(), "to": target.strip()}
    if when.strip() in ("default", "error"):
        return edge | {"type": when.strip()}
    return edge | ({"type": "condition", "when": {"text": when.strip()}} if when else {})


def _workflow(name: str, steps: str, edges: str, **more: Any) -> Workflow:
    """Return a workflow from lines "id | name | type | key=value …" and "from > to: condition"."""
    listed: list[dict[str, Any]] = []
    for line in steps.strip().splitlines():
        id_, title, kind, *rest = (part.strip() for part in line.split("|"))
        step: dict[str, Any] = {"id": id_, "name": title, "type": kind}
        for pair in " ".join(rest).split():
            key, value = pair.split("=")
            step[key] = {"max_attempts": int(value)} if key == "retry" else {"text": value} if key == "when" else value
        listed.append(step)
    lines = [_edge(line, at) for at, line in enumerate(edges.strip().splitlines())]
    whole = {"id": "wf_x", "name": name, "start": listed[0]["id"], "steps": listed, "transitions": lines}
    return parse_workflow({**whole, "triggers": [{"type": "manual"}], **more})


BAKERY = _workflow(
    "Bread order",
    """take | Take order | human | assignee=shop
       dough | Prepare dough | human | assignee=baker timeout=PT2H escalate_to=head_baker
       rise | Let it rise | wait | duration=PT6H
       oven | Bake bread | action | uses=oven.run retry=3
       taste | Taste bread | human | assignee=taster
       sell | Sell bread | human | assignee=shop timeout=P1D
       waste | Give bread away | human | assignee=shop
       tell | Tell the customer | action | uses=email.send
       sold | Sold | end | outcome=ok
       gone | Given away | end | outcome=failed""",
    """take > dough
       dough > rise
       rise > oven
       oven > taste
       oven > tell: error
       tell > gone
       taste > sell: crisp
       taste > dough: burnt
       taste > waste: default
       sell > sold
       waste > gone""",
    triggers=[{"type": "schedule", "cron": "0 2 * * *"}],
    tags=["food"],
)
CLAIM = _workflow(
    "Damage claim",
    """report | Report damage | human | assignee=customer
       size | How large is it? | decision
       expert | Send expert | human | assignee=loss_adjuster timeout=P10D escalate_to=claims_manager
       decide | Decide on claim | human | assignee=clerk
       prepare | Prepare payment | fork
       letter | Write letter | human | assignee=clerk
       money | Transfer money | action | uses=bank.transfer
       ready | All ready | join
       paid | Paid | end
       refused | Claim refused | end""",
    """report > size
       size > expert: damage above 5000
       size > decide: default
       expert > decide
       decide > prepare: accepted
       decide > refused: rejected
       prepare > letter
       prepare > money
       letter > ready
       money > ready
       ready > paid""",
)
RENTING = _workflow(
    "Renting",
    """screen | Screen application | human | assignee=agent
       verify | Verify papers | action |
       ask | Ask for papers | action |
       visit | Visit flat by train | human | assignee=tenant
       choose | Decide on tenant | human | assignee=landlord
       advert | Withdraw advert | action | uses=web.remove retry=2 on_error=continue
       lease | Send lease | action | uses=email.send
       reject | Send rejection | action | uses=email.send
       rented | Rented | end | outcome=ok
       free | Not rented | end | outcome=rejected""",
    """screen > verify: suitable
       screen > reject: default
       verify > visit: number matches
       verify > ask: number differs
       ask > verify
       visit > choose
       choose > advert: yes
       choose > reject: no
       choose > visit: another visit needed
       advert > lease
       lease > rented
       reject > free""",
)
BARE = _workflow("Tidy up", "tidy | Tidy the room | action |\ndone | Done | end |", "tidy > done")

CASES = {
    "what happens if it is not crisp?": "if burnt → **Prepare dough**",
    "what happens to burnt bread?": "if burnt → **Prepare dough**",
    "what happens when the taster says no?": None,
    "what happens if tasting fails?": "Nothing is drawn for a failure of **Taste bread**",
    "what if baking fails?": "it is tried up to 3 times, then on error → **Tell the customer**",
    "which steps can fail?": "**Bake bread** (`oven`): it is tried up to 3 times",
    "what happens if something fails?": "**Bake bread** (`oven`): it is tried up to 3 times",
    "can it be sold if it is burnt?": "No. At **Taste bread**",
}
PEOPLE = {
    "is the head baker involved?": "Yes: head_baker is asked when **Prepare dough** (`dough`) takes too long",
    "who steps in when the baker is late?": "after that it goes to head_baker",
    "and if the dough isn't ready after three hours?": "after that it goes to head_baker",
    "who else works there besides the shop?": "baker and taster",
    "is there anybody besides the baker, the shop and the taster?": "No: only",
    "is the plumber involved?": "No: nobody in **Bread order** is called “the plumber”",
    "does the shop do anything else than taking the order?": "Yes: shop also does **Sell bread**",
    "does the taster do anything else than tasting?": "No: taster does only",
    "who does most of the steps?": "**shop** does 3 steps",
    "who is the last person?": "**Give bread away** (`waste`), done by shop",
    "who is the first person?": "First comes **Take order** (`take`), done by shop",
    "baker tasks?": "**baker** does **Prepare dough**",
    "who kneads the dough?": "**baker**.\n\nI took “kneads the dough” for **Prepare dough**.",
    "who bakes it, somebody or a machine?": "(`oven`): nobody is set, it calls `oven.run`",
    "are all steps done by people?": "No: not **Let it rise** (`rise`), **Bake bread** (`oven`) and",
    "does the baker knead the dough?": "Yes: **Prepare dough** (`dough`) is done by baker.",
}
TIMES = {
    "does it run at night?": "Yes. Starts: every day at 02:00",
    "does it run on mondays?": "Yes.",
    "does it start in the afternoon?": "No.",
    "which steps can take two hours?": "**Prepare dough** (`dough`), 2 hours",
    "which steps take longer than five hours?": "**Let it rise** (`rise`), lasts 6 hours and **Sell bread**",
    "which steps take a week?": "No step has that length.",
    "how long does it take until the dough is prepared?": "at most 2 hours",
    "how long does the rising take?": "lasts 6 hours",
    "which step has the longest deadline?": "**Sell bread** (`sell`), 1 day",
    "how often is the bread baked?": "up to 3 attempts.\nA loop leads there again",
}
WAYS = {
    "is there a path where the customer gets no email?": "Yes: a way without **Tell the customer**",
    "is there a path where nobody tastes the bread?": "Yes: a way without **Taste bread**",
    "how often is baking tried?": "up to 3 attempts",
    "is there a way to sell bread without tasting it?": "No: every way to **Sold**",
    "how many loops are there?": "1 loop: from **Taste bread**",
    "can the dough be prepared twice?": "Yes: from **Taste bread**",
    "can the order be taken again?": "No: nothing leads back to **Take order**",
    "what is step 2?": "**Prepare dough** (`dough`): done by baker",
    "what is step 40?": "There are only 8 steps.",
    "which ways lead to giving it away?": "To **Given away** (`gone`): Take order →",
    "what is the shortest way to the end?": "The shortest way: Take order →",
    "which outcomes can the tasting have?": "After **Taste bread** (`taste`):\n\n- if crisp",
    "what is the last step before it is sold?": "Before **Sold** (`sold`): **Sell bread**",
    "are there steps where several ways lead on?": "Yes: with several ways on: **Taste bread**",
    "what does it say about the moon?": None,
}
CLAIMS = {
    "a damage of 3000, does an expert come?": "No. At **How large is it?**",
    "does an expert come at 8000?": "Yes. At **How large is it?**",
    "what happens with a damage over 5000 euros?": "**Send expert**",
    "what happens with 5000?": "otherwise → **Decide on claim**",
    "what happens at the same time as the letter?": "**Transfer money** (`money`)",
    "what happens at the same time as the report?": "Nothing runs at the same time as **Report damage**",
    "can it be paid without the letter?": "No: every way to **Paid**",
    "how many steps does the clerk do?": "**clerk** does 2 steps",
    "what happens if it is not accepted?": "if rejected → **Claim refused**",
    "what happens if the clerk says no?": "if rejected → **Claim refused**",
    "when is the expert sent?": "if damage above 5000",
    "is the letter written before the expert is sent?": "No: **Write letter** (`letter`) comes after",
    "is the money transferred before the letter?": "Neither leads to the other",
    "explain it": "**Damage claim**",
}
NOTHING = {
    "who does what?": "Without anybody: **Tidy the room**",
    "how long does it take?": "nothing says how long it takes",
    "what are the conditions?": "has no condition",
    "which tags does it have?": "has no tag",
    "what is it for?": "has no description",
    "which services does it call?": "No step of **Tidy up** calls a service",
    "which step takes longest?": "No step has a deadline or a length",
    "what runs in parallel?": "No step of **Tidy up** is in parallel branches",
    "what happens if it fails?": "Nothing is drawn in **Tidy up** for a failure",
    "who decides?": None,
}
UNSURE = {
    "what happens if the number is wrong?": "At **Verify papers** (`verify`): if number differs → **Ask for papers**",
    "what happens if the number is right?": "if number matches → **Visit flat by train**",
    "what happens when the tenant is unsuitable?": "At **Screen application** (`screen`): otherwise",
    "what happens if the landlord says no?": "if no → **Send rejection** (`reject`).",
    "what happens if the tenant declines the lease?": None,
    "what happens with an urgent application?": None,
    "what happens with an empty flat?": None,
    "can a flat be rented without a visit?": "No: every way to **Rented**",
    "can the landlord approve his own application?": None,
    "who decides?": "**Decide on tenant** (`choose`): **landlord**.",
    "how often do we ask for papers?": "nothing limits how often.\nA loop leads there again",
    "what happens if the advert cannot be withdrawn?": "then the run goes on: → **Send lease**",
    "what is the deadline for the lease?": "**Send lease** (`lease`) has no deadline.",
}


@pytest.mark.parametrize(
    ("workflow", "asked"),
    [
        pytest.param(BAKERY, CASES, id="cases"),
        pytest.param(BAKERY, PEOPLE, id="people"),
        pytest.param(BAKERY, TIMES, id="times"),
        pytest.param(BAKERY, WAYS, id="ways"),
        pytest.param(CLAIM, CLAIMS, id="amounts and branches"),
        pytest.param(BARE, NOTHING, id="nothing set"),
        pytest.param(RENTING, UNSURE, id="inferred"),
    ],
)
def test_a_question_is_answered_from_the_graph_or_not_at_all(workflow: Workflow, asked: dict[str, str | None]) -> None:
    told = {question: _answer(workflow, question) for question in asked}

    assert {q: told[q] for q, wanted in asked.items() if (wanted or "") not in (told[q] or "")} == {}
    assert {q: told[q] for q, wanted in asked.items() if wanted is None and told[q] is not None} == {}


def _answer(workflow: Workflow, question: str) -> str | None:
    return answered(workflow, read_tokens(question), Steps(workflow)).text()
