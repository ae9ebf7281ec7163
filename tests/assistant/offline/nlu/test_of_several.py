"""Which of several things an order is about that names it in part: a branch, a way, a message, an event, a step."""

import pytest

from tests.assistant.offline.nlu.test_edits import built, made
from workflow_agent.assistant.offline.plan import Asked, NotRead
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

PERMIT = parse_workflow({
    "id": "wf_permit",
    "name": "Festival permit",
    "start": "apply",
    "triggers": [{"type": "manual"}, {"type": "event", "event": "portal.form_sent"}],
    "automations": [
        {
            "id": "tell_press",
            "on": {"event": "entered", "to": "issued"},
            "effect": {"type": "email", "with": {"to": "press"}},
        },
        {
            "id": "tell_fire",
            "on": {"event": "entered", "to": "split"},
            "effect": {"type": "email", "with": {"to": "fire brigade"}},
        },
    ],
    "steps": [
        {"id": "apply", "name": "File application", "type": "human", "assignee": "organiser"},
        {"id": "fee", "name": "Wait for fee", "type": "event", "event": "fee.paid"},
        {"id": "split", "name": "Start checks", "type": "fork"},
        {"id": "noise", "name": "Noise check", "type": "human", "assignee": "noise officer"},
        {"id": "safety", "name": "Safety check", "type": "human", "assignee": "fire officer"},
        {"id": "both", "name": "Checks finished", "type": "join"},
        {"id": "sign", "name": "Sign permit", "type": "human", "assignee": "head of permits"},
        {"id": "print", "name": "Print permit", "type": "action"},
        {"id": "letter", "name": "Write permit letter", "type": "human", "assignee": "clerk"},
        {
            "id": "post",
            "name": "Post permit",
            "type": "human",
            "assignee": "mail room",
            "form": {"fields": [{"key": "weight", "label": "Weight"}, {"key": "remark", "label": "Remark"}]},
        },
        {"id": "issued", "name": "Permit issued", "type": "end"},
        {"id": "refused", "name": "Application refused", "type": "end"},
    ],
    "transitions": [
        {"from": "apply", "to": "fee"},
        {"from": "fee", "to": "split"},
        {"from": "split", "to": "noise"},
        {"from": "split", "to": "safety"},
        {"from": "noise", "to": "both"},
        {"from": "safety", "to": "both"},
        {"from": "both", "to": "sign"},
        {"id": "signed-print", "from": "sign", "to": "print", "when": {"text": "signed"}},
        {"from": "sign", "to": "letter", "when": {"text": "signed"}},
        {"id": "else", "from": "sign", "to": "refused", "type": "default"},
        {"from": "print", "to": "post"},
        {"from": "letter", "to": "post"},
        {"id": "lost", "from": "post", "to": "refused", "type": "error"},
        {"from": "post", "to": "issued"},
    ],
})  # fmt: skip
PLAIN = parse_workflow({
    "id": "wf_visit",
    "name": "Chimney visit",
    "start": "sweep",
    "steps": [
        {"id": "sweep", "name": "Sweep chimney", "type": "human"},
        {"id": "measure", "name": "Measure exhaust", "type": "human"},
        {"id": "soot", "name": "Remove soot", "type": "human"},
        {"id": "report", "name": "Write report", "type": "human"},
        {"id": "done", "name": "Visit over", "type": "end"},
    ],
    "transitions": [
        {"from": "sweep", "to": "measure"},
        {"from": "sweep", "to": "soot"},
        {"from": "measure", "to": "report"},
        {"from": "soot", "to": "report"},
        {"from": "report", "to": "done"},
    ],
})  # fmt: skip


def ways(workflow: Workflow, intent: str, order: str) -> set[tuple[str, str]]:
    """Return the ways that an order adds to a workflow."""
    before = {(edge.from_, edge.to) for edge in workflow.transitions}
    return {(edge.from_, edge.to) for edge in built(intent, order, workflow).workflow.transitions} - before


@pytest.mark.parametrize(
    "beside",
    [
        "[the other two|beside]",
        "[the noise check and the safety check|beside]",
        "[noise check|beside] and [safety check|beside]",
        "[the other checks|beside]",
        "[the start of the checks|beside]",
        "[Checks finished|beside]",
    ],
)
def test_work_beside_several_steps_is_a_branch_more(beside: str) -> None:
    order = f"add [Traffic check|new] alongside {beside}"

    assert ways(PERMIT, "insert", order) == {("split", "traffic_check"), ("traffic_check", "both")}


def test_work_beside_steps_that_are_not_done_at_the_same_time_is_asked_about() -> None:
    with pytest.raises(Asked, match="Does it go by"):
        built("insert", "add [Traffic check|new] alongside [Noise check|beside] and [Sign permit|beside]", PERMIT)


def test_branches_that_part_without_a_fork_are_put_in_order() -> None:
    order = "[remove the soot|second] only after [measuring|first]"

    assert ways(PLAIN, "serial", order) == {("measure", "soot")}
    assert {e.to for e in built("serial", order, PLAIN).workflow.outgoing("sweep")} == {"measure"}


def test_ways_taken_in_a_case_are_no_branches() -> None:
    assert made("serial", "[the letter|second] after [printing|first]", PERMIT) is None


def test_the_way_taken_otherwise_is_meant_by_the_contrary_of_a_case() -> None:
    plan = built("redirect", "if [it is not signed|cond] go to [File application|to], not to [refused|oldto]", PERMIT)

    assert plan.edits == [{"op": "update_transition", "transition": "else", "set": {"to": "apply"}}]
    assert plan.guesses == ["I took the way from “Sign permit” to “Application refused” for it"]
    assert plan.notes == []


def test_the_way_taken_otherwise_is_shown_where_it_is_so_in_several_cases() -> None:
    others = {"op": "update_transition", "transition": "signed-print", "set": {"when": {"text": "signed by two"}}}
    workflow = apply_edits(PERMIT, parse_edits([others])).workflow

    plan = built("redirect", "if [not signed|cond] go to [File application|to], not to [refused|oldto]", workflow)

    assert plan.notes == ["That way is taken in no other case"]


def test_a_way_in_a_case_that_the_words_do_not_speak_of_is_shown() -> None:
    plan = built("redirect", "[rainy days|cond] go to [File application|to] and not to [print|oldto]", PERMIT)

    assert plan.notes == ["I am not sure that this way is taken in that case"]


def test_a_way_taken_in_every_case_is_shown_before_it_leads_elsewhere_in_one() -> None:
    plan = built("redirect", "[printed ones|cond] go to [Permit issued|to] and not to [the post|oldto]", PERMIT)

    assert [edit["transition"] for edit in plan.edits] == [
        edge.id for edge in PERMIT.transitions if edge.from_ == "print"
    ]
    assert plan.notes == ["That way is taken in every case"]


def test_an_event_is_known_by_the_words_for_it() -> None:
    order = "do not start when [somebody sends the form|when] any more"

    plan = built("untrigger", order, PERMIT)

    assert plan.edits == [{"op": "remove_trigger", "index": 1}]
    assert plan.guesses == ["I took “portal.form_sent” for the event that you mean"]


def test_a_trigger_that_nothing_is_said_of_stays() -> None:
    assert made("untrigger", "do not start when [it rains|when] any more", PERMIT) is None


def test_the_only_message_to_somebody_is_shown_where_it_is_sent_elsewhere() -> None:
    plan = built("unnotify", "[the press|who] needs no mail after [signing|after] any more", PERMIT)

    assert [edit["id"] for edit in plan.edits] == ["tell_press"]
    assert plan.notes == ["“tell_press” is the only message to them, and is sent elsewhere"]


@pytest.mark.parametrize(
    ("order", "edits"),
    [
        (
            "the event we wait for is [fee.received|value], not fee.paid",
            [{"op": "update_step", "step": "fee", "set": {"event": "fee.received"}}],
        ),
        (
            "it starts on [portal.sent|value] now, portal.form_sent is dead",
            [
                {"op": "remove_trigger", "index": 1},
                {"op": "add_trigger", "trigger": {"type": "event", "event": "portal.sent"}},
            ],
        ),
    ],
)
def test_an_event_known_here_gives_way_to_the_other(order: str, edits: list[dict[str, object]]) -> None:
    assert made("event", order, PERMIT) == edits


def test_of_several_steps_that_of_the_person_before_is_meant() -> None:
    order = "[the permit|step] is [Ann|who]'s now, not [the mail room|oldwho]'s"

    assert made("assign", order, PERMIT) == [{"op": "set_assignee", "step": "post", "assignee": "Ann"}]
    assert made("assign", "[the permit|step] is [Ann|who]'s now", PERMIT) is None


def test_somebody_is_taken_off_only_what_they_do() -> None:
    released = [{"op": "set_assignee", "step": "post", "assignee": None}]

    assert made("assign", "take [the mail room|oldwho] off [Post permit|step]", PERMIT) == released
    assert made("assign", "take [the clerk|oldwho] off [Post permit|step]", PERMIT) is None


@pytest.mark.parametrize("order", ["drop the form from [the post|step]", "[the post|step] needs no [form|value]"])
def test_a_form_goes_as_a_whole(order: str) -> None:
    assert made("nofield", order, PERMIT) == [{"op": "set_form", "step": "post", "form": None}]


def test_a_field_is_known_without_being_called_one() -> None:
    edits = made("nofield", "drop [the weight question|value] of [the post|step]", PERMIT) or [{}]

    assert [one["key"] for one in edits[0]["form"]["fields"]] == ["remark"]


def test_a_number_alone_is_how_often() -> None:
    assert made("retry", "retries for [print|step]: [four|time]", PERMIT) == [
        {"op": "set_retry", "step": "print", "retry": {"max_attempts": 4}}
    ]
    with pytest.raises(Asked, match="How long"):
        built("retry", "[print|step]: wait [2 whiles|time] between the tries", PERMIT)


@pytest.mark.parametrize("then", ["just carry on", "[go on|new]", "[move on then|new]"])
def test_a_failure_may_be_passed_over(then: str) -> None:
    assert made("error", f"if [print|step] fails {then}", PERMIT) == [
        {"op": "update_step", "step": "print", "set": {"on_error": "continue"}}
    ]


def test_a_failure_is_not_passed_over_where_that_is_denied() -> None:
    assert made("error", "if [print|step] fails do not continue", PERMIT) is None


def test_what_is_done_on_a_failure_may_be_something_else() -> None:
    order = "if [the post|step] fails go to [Write permit letter|to] and not to refused"

    assert made("error", order, PERMIT) == [{"op": "update_transition", "transition": "lost", "set": {"to": "letter"}}]
    with pytest.raises(NotRead):
        built("error", "if [the post|step] fails go to [Write permit letter|to]", PERMIT)


def test_who_does_a_step_is_not_the_step_that_goes() -> None:
    with pytest.raises(Asked, match="Shall that step go, or its mail room"):
        built("remove", "remove [the mail room|step]", PERMIT)

    assert made("remove", "remove [the mail room's step|step]", PERMIT) == [{"op": "remove_step", "step": "post"}]
