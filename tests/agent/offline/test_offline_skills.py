"""Skills on their own, against recorded tool results."""

from typing import Any

from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.skills.analysis import apply_proposal, stuck
from workflow_agent.agent.offline.skills.comparing import compare
from workflow_agent.agent.offline.skills.creation import create
from workflow_agent.agent.offline.skills.inside import inside
from workflow_agent.agent.offline.turn.facts import Facts, WorkflowRef
from workflow_agent.agent.offline.turn.outcome import Call, Candidate, Choice, Proposal, Reply
from workflow_agent.agent.offline.turn.reading import Exchange, Turn
from workflow_agent.agent.offline.turn.replay import run_skill

TOOLS = frozenset({
    "edit_workflow", "get_workflow", "analyze_workflow", "compare_versions", "search_workflows",
    "create_workflow",
})  # fmt: skip
X = Candidate("wf_x", "X")
OPEN = Facts(open=WorkflowRef("wf_x", "X"))
TAG, ALIAS = {"op": "tag", "tag": "a"}, {"op": "add_alias", "alias": "b"}
EDITED = {"workflow": {"id": "wf_x", "name": "X", "version": 2}, "changes": ["Added tag 'a'"], "findings": []}


class OneDraft:
    """Drafting that knows one workflow."""

    assumptions = ("It ends there.",)
    left_out = ()

    def arguments(self) -> dict[str, Any]:
        return {"name": "X"}

    def draft_workflow(self, text: str) -> "OneDraft":
        return self


def edit(*edits: dict[str, Any]) -> dict[str, Any]:
    return {"workflow": "wf_x", "edits": list(edits)}


def test_fixes_that_do_not_go_together_leave_the_first() -> None:
    recorded = [
        Exchange("edit_workflow", edit(TAG, ALIAS), failure="They clash."),
        Exchange("edit_workflow", edit(TAG), result=EDITED),
    ]

    reply = run_skill(apply_proposal(Proposal(X, ((TAG,), (ALIAS,)))), recorded, TOOLS)

    assert isinstance(reply, Reply)
    assert reply.text.startswith("The fixes do not go together, so I made the first one.")


def test_a_single_fix_that_is_refused_is_told() -> None:
    recorded = [Exchange("edit_workflow", edit(TAG), failure="No.")]

    reply = run_skill(apply_proposal(Proposal(X, ((TAG,),))), recorded, TOOLS)

    assert isinstance(reply, Reply)
    assert "it didn't work: No." in reply.text


def test_numbers_pick_fixes_as_they_were_listed() -> None:
    proposal = Proposal(X, ((TAG,), (), (ALIAS,)))

    assert run_skill(apply_proposal(proposal, "3"), [], TOOLS) == Call("edit_workflow", edit(ALIAS))
    nothing = run_skill(apply_proposal(proposal, "2"), [], TOOLS)
    assert isinstance(nothing, Reply)
    assert "nothing I can fix" in nothing.text


def test_findings_of_another_kind_are_counted() -> None:
    document = {"id": "wf_x", "name": "X", "steps": [{"id": "a", "name": "A"}]}
    found = [{"rule": "r", "severity": "info", "steps": ["a"], "message": "Odd.", "fix": []}]
    head = {"id": "wf_x", "name": "X", "version": 1}
    recorded = [
        Exchange("get_workflow", {"workflow": "wf_x"}, result={"workflow": document}),
        Exchange("analyze_workflow", {"workflow": "wf_x"}, result={"workflow": head, "findings": found}),
    ]

    reply = run_skill(stuck(Turn("x", facts=OPEN), Request("stuck")), recorded, TOOLS)

    assert isinstance(reply, Reply)
    assert "1 other finding" in reply.text


def test_versions_that_do_not_differ_are_told() -> None:
    result = {"workflow": {"name": "X"}, "from_version": 1, "to_version": 2, "changes": []}
    recorded = [Exchange("compare_versions", {"workflow": "wf_x"}, result=result)]

    reply = run_skill(compare(Turn("x", facts=OPEN), Request("compare")), recorded, TOOLS)

    assert reply == Reply("Versions 1 and 2 of **X** do not differ.")


def test_a_creation_tells_assumptions_ways_and_findings_with_an_offer() -> None:
    steps = [{"id": key, "name": key.upper(), "type": "end" if key == "e" else "action"} for key in "abe"]
    ways = [
        {"from": "a", "to": "b", "type": "error", "when": None},
        {"from": "a", "to": "e", "type": "condition", "when": {"expression": "x > 1"}},
        {"from": "b", "to": "e", "type": "default"},
        {"from": "b", "to": "a", "type": "condition", "when": "late"},
    ]
    found = [{"rule": "r", "severity": "warning", "steps": ["a"], "message": "Odd.", "fix": [TAG]},
             {"rule": "s", "severity": "warning", "steps": [], "message": "Odder.", "fix": []}]  # fmt: skip
    result = {"workflow": {"id": "wf_x", "name": "X"}, "steps": steps, "transitions": ways, "findings": found}
    recorded = [Exchange("create_workflow", {"name": "X"}, result=result)]

    reply = run_skill(create(Turn("build x"), Request("create", text="build x"), OneDraft()), recorded, TOOLS)  # pyright: ignore[reportArgumentType]

    assert isinstance(reply, Reply)
    for told in (
        "on error B",
        "if x > 1: E",
        "otherwise E",
        "if late: A",
        "- It ends there.",
        "I can fix number 1.",
    ):
        assert told in reply.text
    assert reply.offer == Proposal(X, ((TAG,), ()))


def test_a_question_whose_words_fit_several_workflows_asks_which() -> None:
    hits = [{"id": "wf_x", "name": "X", "score": 1.0}, {"id": "wf_y", "name": "Y", "score": 0.9}]
    recorded = [Exchange("search_workflows", {"query": "who signs", "limit": 5}, result={"hits": hits})]
    request = Request("inside", text="who signs", questions=(("who", {"act": "signs"}),))

    reply = run_skill(inside(Turn("who signs?"), request), recorded, TOOLS)

    assert isinstance(reply, Reply)
    assert reply.offer == Choice("who signs?", "", (X, Candidate("wf_y", "Y")))


def test_a_question_that_names_another_workflow_is_about_that_one() -> None:
    hits = [{"id": "wf_y", "name": "Contract keeping", "score": 1.0}]
    query = {"query": "contract keeping", "limit": 5}
    recorded = [Exchange("search_workflows", query, result={"hits": hits})]
    request = Request(
        "inside", {"workflow": "contract keeping"}, questions=(("touches", {"thing": "slack"}),)
    )

    call = run_skill(inside(Turn("x", facts=OPEN), request), recorded, TOOLS)

    assert call == Call("get_workflow", {"workflow": "wf_y"})
