"""Shapes of processes told in many frames: what is made without asking is the graph that a frame tells."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from workflow_agent.assistant.offline.drafting.description import read_description
from workflow_agent.values.stored import JsonObject

Graph = Mapping[str, set[str]]
"""For each step by its verb: the verbs of the steps that follow it, past questions and forks; "END" for none."""
WORK = {
    "check": "the clerk checks the form",
    "sign": "the manager signs the letter",
    "pack": "the packer packs the goods",
    "ship": "the driver ships the parcel",
    "refuse": "the clerk refuses the order",
    "inform": "the clerk informs the customer",
}
CASES = ("the form is complete", "the amount is over 500", "the customer agrees", "it rains", "the order is urgent")
LEADS = ("Make a workflow for orders: ", "", "We need a process for orders. ")


@dataclass(frozen=True)
class Shape:
    """A graph, and the frames that tell it."""

    graph: Mapping[str, str]
    frames: tuple[str, ...]
    least: float
    """This share of the texts is drawn without asking."""
    others: int = 0
    """So many texts are known to be drawn otherwise than told; who mends one makes it less."""

    def expected(self) -> Graph:
        return {verb: set(following.split()) for verb, following in self.graph.items()}

    def texts(self) -> Iterator[str]:
        """Yield each frame behind each way to ask for a workflow, and with each case where it has one."""
        for frame in self.frames:
            for case in CASES if "{case}" in frame else ("",):
                body = frame.format(**WORK, case=case)
                for lead in LEADS:
                    is_list = "\n" in body and lead
                    told = body if lead.endswith(": ") else body[:1].upper() + body[1:]
                    yield f"{lead.rstrip()}\n{body}" if is_list else lead + told


SHAPES = {
    "one after the other": Shape(
        {"check": "sign", "sign": "pack", "pack": "ship", "ship": "END"},
        (
            "{check}, {sign}, {pack} and {ship}.",
            "First {check}. Then {sign}. After that {pack}. Finally {ship}.",
            "1. {check}\n2. {sign}\n3. {pack}\n4. {ship}",
            "- {check}\n- {sign}\n- {pack}\n- {ship}",
            "{check} -> {sign} -> {pack} -> {ship}",
            "{check}; {sign}; {pack}; {ship}",
            "{check} before {sign}. Then {pack} and {ship}.",
            "After {check}, {sign}, then {pack}, and in the end {ship}.",
            "Once {check}, {sign}. As soon as that is done, {pack}. {ship}.",
            "{sign} after {check}. Then {pack}, then {ship}.",
            "It starts when {check}. Then {sign}, {pack} and {ship}.",
            "{ship} at the very end. Before that: {check}, {sign} and {pack}.",
            "{pack} only after {check} and {sign}. Then {ship}.",
            "Before {ship}, {check}, {sign} and {pack}.",
        ),
        0.4,
        others=3,
    ),
    "one case or the other": Shape(
        {"check": "pack refuse", "pack": "inform", "refuse": "inform", "inform": "END"},
        (
            "{check}. If {case}, {pack}. Otherwise {refuse}. Then {inform}.",
            "{check}. If {case}, {pack}, otherwise {refuse}. After that {inform}.",
            "{check}. When {case}, {pack}; if not, {refuse}. In the end {inform}.",
            "{check}. In case {case}, {pack}, else {refuse}. Finally {inform}.",
            "{check}; if {case} {pack}, if not {refuse}. Both ways end with this: {inform}.",
            "First {check}. Should {case}, {pack}; otherwise, {refuse}. Next, {inform}.",
            "{check}. {pack} if {case}, otherwise {refuse}. Then {inform}.",
            "{check}. Provided {case}, {pack}. If that is not the case, {refuse}. Then {inform}.",
            "{check}. If {case} then {pack} else {refuse}. Then {inform}.",
            "{check}. If {case}: {pack}. If not: {refuse}. Then {inform}.",
            "1. {check}\n2. If {case}, {pack}, otherwise {refuse}\n3. {inform}",
            "- {check}\n- if {case}: {pack}\n- otherwise: {refuse}\n- {inform}",
        ),
        0.4,
        others=9,
    ),
    "only in a case": Shape(
        {"check": "pack inform", "pack": "inform", "inform": "END"},
        (
            "{check}. If {case}, {pack}. Then {inform}.",
            "{check}. {pack} only if {case}. Then {inform}.",
            "{check}. Only when {case}, {pack}. Afterwards {inform}.",
            "{check}. {pack}, but only if {case}. {inform}.",
            "{check}, and if {case}, {pack}. Then {inform}.",
            "{check}. In case {case}, {pack} too. {inform} in any case.",
            "1. {check}\n2. {pack} (only if {case})\n3. {inform}",
        ),
        0.2,
    ),
    "unless": Shape(
        {"check": "refuse inform", "refuse": "inform", "inform": "END"},
        ("{check}. Unless {case}, {refuse}. Then {inform}.", "{check}. {refuse} unless {case}. Then {inform}."),
        0.1,
    ),
    "one case ends": Shape(
        {"check": "pack refuse", "pack": "END", "refuse": "inform", "inform": "END"},
        (
            "{check}. If {case}, {pack}, and that is it. Otherwise {refuse} and {inform}.",
            "{check}. If {case}, {pack} and it ends there. If not, {refuse}, then {inform}.",
        ),
        0.1,
    ),
    "the bad case ends": Shape(
        {"check": "sign END", "sign": "pack", "pack": "END"},
        (
            "{check}. If it is incomplete, the process ends. Otherwise {sign}. Then {pack}.",
            "{check}. If it is incomplete we stop. {sign}. {pack}.",
            "{check}. If it is complete, {sign} and {pack}; if not, nothing happens.",
            "{check}. Stop if it is incomplete. {sign}. {pack}.",
            "{check}. Incomplete forms are thrown out. {sign}. {pack}.",
            "{check}. If it is not complete, that's the end of it. Otherwise {sign}, {pack}.",
        ),
        0.1,
        others=1,
    ),
    "back to the same step": Shape(
        {"check": "check inform", "inform": "END"},
        (
            "{check} again and again until {case}. Then {inform}.",
            "{check} until {case}, then {inform}.",
            "{check}. If {case}, {inform}, otherwise back to the start.",
        ),
        0.3,
    ),
    "back": Shape(
        {"check": "sign", "sign": "check pack", "pack": "END"},
        (
            "{check}. {sign}. If it is not good, back to the check. Otherwise {pack}.",
            "{check}. {sign}. If it is wrong, {check} again. Otherwise {pack}.",
            "{check}. {sign}. This repeats until it is right. Then {pack}.",
            "{check} and {sign} until it is right. Then {pack}.",
            "{check}. {sign}. If there are mistakes, it goes back to the clerk, otherwise {pack}.",
            "{check}. {sign}. If mistakes are found, return to step 1. If not, {pack}.",
            "1. {check}\n2. {sign}\n3. if there are mistakes, go back to 1\n4. {pack}",
        ),
        0.2,
    ),
    "at once": Shape(
        {"check": "sign pack", "sign": "ship", "pack": "ship", "ship": "END"},
        (
            "{check}. Then {sign} and at the same time {pack}. When both are done, {ship}.",
            "{check}. While {sign}, {pack}. Then {ship}.",
            "{check}. Then {sign} while {pack}. Then {ship}.",
            "{check}. {sign}, meanwhile {pack}. After that {ship}.",
            "{check}. In parallel, {sign} and {pack}. Then {ship}.",
            "{check}. {sign} and {pack} in parallel. {ship} once both are finished.",
            "1. {check}\n2. at the same time: {sign}; {pack}\n3. {ship}",
            "{check}. {sign}; simultaneously {pack}. As soon as both are ready {ship}.",
            "{check}. {sign}. In the meantime {pack}. {ship} at the end.",
        ),
        0.3,
    ),
    "above an amount": Shape(
        {"check": "sign pack", "sign": "pack", "pack": "ship", "ship": "END"},
        (
            "{check}. For orders over 500, {sign}. Then {pack} and {ship}.",
            "{check}. Above 500 euros {sign}. {pack}. {ship}.",
            "{check}. {sign} if the amount is over 500. {pack}. {ship}.",
            "{check}. {sign}, but not for orders under 500. {pack} and {ship}.",
            "{check}. {sign} (only over 500). {pack}. {ship}.",
            "{check}. Large orders need this: {sign}. Then {pack} and {ship}.",
            "{check}. Optionally {sign}. {pack}. {ship}.",
        ),
        0.2,
    ),
    "three cases": Shape(
        {"check": "sign pack ship", "sign": "inform", "pack": "inform", "ship": "inform", "inform": "END"},
        (
            "{check}. If it is red, {sign}. If it is blue, {pack}. Otherwise {ship}. In all cases {inform}.",
            "{check}. Up to 100, {sign}; from 100 to 500, {pack}; above that, {ship}. Then {inform} in any case.",
            "{check}. If red {sign}, if blue {pack}, if green {ship}. Then {inform}.",
        ),
        0.0,
    ),
    "a step fails": Shape(
        {"check": "sign", "sign": "pack inform", "pack": "END", "inform": "END"},
        (
            "{check}. {sign}. If that fails, {inform}. Otherwise {pack}.",
            "{check}. {sign}. If the signature fails {inform}, else {pack}.",
            "{check}. {sign}. Should something go wrong, {inform}. If all goes well, {pack}.",
        ),
        0.1,
    ),
}


def followed(arguments: JsonObject) -> Graph:
    """Return which work follows which in a draft."""
    steps = {one["id"]: one for one in arguments["steps"]}
    out: dict[str, list[str]] = defaultdict(list)
    for edge in arguments["transitions"]:
        out[edge["from"]].append(edge["to"])

    def verb(step: JsonObject) -> str | None:
        first = step["name"].split()[0].lower()
        return "END" if step["type"] == "end" else next((one for one in WORK if first.startswith(one)), None)

    def behind(step_id: str, seen: frozenset[str]) -> set[str]:
        found: set[str] = set()
        for target in out[step_id]:
            known = verb(steps[target])
            if known is not None:
                found.add(known)
            elif target not in seen:
                found |= behind(target, seen | {target})
        return found

    return {known: behind(one, frozenset({one})) for one, step in steps.items() if (known := verb(step)) in WORK}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_what_is_made_without_asking_is_what_was_told(shape: Shape) -> None:
    texts = list(shape.texts())
    drafts = {text: read_description(text) for text in texts}
    made = {text: one for text, one in drafts.items() if one is not None and not one.unread and not one.undrawn}
    others = {text: followed(one.arguments) for text, one in made.items()}
    others = {text: graph for text, graph in others.items() if graph != shape.expected()}

    assert len(others) <= shape.others, others
    assert len(made) >= shape.least * len(texts)


TWO_DAYS = {"check": {"timeout": "P2D"}, "sign": {}}
TO_THE_DIRECTOR = {"check": {"timeout": "P2D", "escalate_to": "director"}, "sign": {}}
THREE_TIMES = {"check": {"retry": {"max_attempts": 3}}, "sign": {}}
TIMES: Mapping[str, tuple[Mapping[str, object], tuple[str, ...]]] = {
    "deadline": (
        TWO_DAYS,
        (
            "{check} within 2 days. Then {sign}.",
            "{check}. He has 2 days. Then {sign}.",
            "{check}, at most 2 days. {sign}.",
            "{check}. This must be done within 2 days. {sign}.",
            "{check}. This may take 2 days. {sign}.",
            "Within 2 days {check}. Then {sign}.",
            "{check}. The deadline is 2 days. {sign}.",
            "1. {check} (max 2 days)\n2. {sign}",
        ),
    ),
    "escalation": (
        TO_THE_DIRECTOR,
        (
            "{check} within 2 days, otherwise it goes to the director. Then {sign}.",
            "{check}. If it takes longer than 2 days, it is escalated to the director. {sign}.",
            "{check}. After 2 days without an answer the director takes over. {sign}.",
            "{check} within 2 days; if the clerk is late the director gets it. {sign}.",
            "{check}. When the clerk does not react in 2 days, escalate to the director. {sign}.",
        ),
    ),
    "wait": (
        {"check": {}, "wait": {"duration": "P3D"}, "sign": {}},
        (
            "{check}. Wait 3 days. Then {sign}.",
            "{check}. Three days later {sign}.",
            "{check}. After 3 days {sign}.",
            "{check}. We wait 3 days and then {sign}.",
        ),
    ),
    "retry": (
        THREE_TIMES,
        (
            "{check}, up to 3 times. Then {sign}.",
            "{check}. If this fails, try again up to 3 times. Then {sign}.",
            "{check} with at most 3 attempts. {sign}.",
            "{check}. Retry 3 times if it fails. {sign}.",
        ),
    ),
}


@pytest.mark.parametrize(("facts", "frames"), TIMES.values(), ids=TIMES)
def test_a_time_that_is_made_without_asking_is_the_one_that_was_told(
    facts: Mapping[str, object], frames: tuple[str, ...]
) -> None:
    texts = [f"Make a workflow for orders:{gap}{one.format(**WORK)}" for one in frames for gap in (" ", "\n")]
    drafts = {text: read_description(text) for text in texts}
    made = {text: one.arguments for text, one in drafts.items() if one and not one.unread and not one.undrawn}

    assert {text: told for text, arguments in made.items() if (told := timed(arguments)) != facts} == {}
    assert len(made) >= len(texts) / 4


def timed(arguments: JsonObject) -> dict[str, JsonObject]:
    """Return the times of each step of a draft."""
    kept = ("timeout", "duration", "escalate_to", "retry")
    return {
        step["name"].split()[0].lower(): {key: value for key, value in step.items() if key in kept}
        for step in arguments["steps"]
        if step["type"] != "end"
    }


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("Every Monday at 9 {check}. Then {sign}.", "0 9 * * 1"),
        ("{check} every day at 7, then {sign}.", "0 7 * * *"),
        ("{check} at noon each day. {sign}.", "0 12 * * *"),
        ("Daily at 7 pm: {check}. {sign}.", "0 19 * * *"),
    ],
)
def test_a_time_of_day_starts_it_wherever_it_stands(text: str, cron: str) -> None:
    draft = read_description(f"Make a workflow for orders: {text.format(**WORK)}")

    assert draft is not None
    assert [one.get("cron") for one in draft.arguments["triggers"]] == [cron]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("create a workflow: intake, triage, treatment, billing", ["Intake", "Triage", "Treatment", "Billing"]),
        ("make a workflow with registration, examination and discharge", ["Registration", "Examination", "Discharge"]),
    ],
)
def test_a_list_of_nouns_behind_the_request_is_its_steps(text: str, names: list[str]) -> None:
    draft = read_description(text)

    assert draft is not None
    assert [one["name"] for one in draft.arguments["steps"] if one["type"] != "end"] == names
    assert (draft.unread, draft.undrawn) == ((), ())


def test_yes_and_no_behind_arrows_are_the_cases_of_the_question_before() -> None:
    draft = read_description("Orders: check form -> ok? -> yes: pay supplier -> no: inform customer")

    assert draft is not None
    assert draft.name == "Orders"
    ways = [(edge["from"], edge["to"]) for edge in draft.arguments["transitions"] if edge.get("type")]
    assert ways == [("ok", "pay_supplier"), ("ok", "inform_customer")]


def test_a_rest_of_hours_is_a_step_that_lasts_so_long() -> None:
    draft = read_description(
        "Create a workflow for bread: the baker kneads the dough, then lets it rest for 4 hours, and then bakes it."
    )

    assert draft is not None
    assert [one.get("duration") for one in draft.arguments["steps"] if one["type"] != "end"] == [None, "PT4H", None]


def test_a_case_and_its_denial_are_the_two_cases_of_one_question() -> None:
    draft = read_description(
        "Make a workflow for leave: the boss checks the form. "
        "When the form is correct, the boss signs it. When the form is not correct, the clerk refuses it."
    )

    assert draft is not None
    steps = {one["id"]: one for one in draft.arguments["steps"]}
    assert [one["type"] for one in steps.values()].count("decision") == 1
    ways = {edge["to"] for edge in draft.arguments["transitions"] if edge.get("when")}
    assert {steps[one]["name"].split()[0] for one in ways} == {"Sign", "Refuse"}


def test_a_case_and_its_denial_leave_no_third_way() -> None:
    draft = read_description(
        "Make a workflow for bread. The baker checks the stock. If there is enough flour, the baker kneads the dough. "
        "If there is not enough, the boss orders flour. Then the seller informs the customer."
    )

    assert draft is not None
    ways = [edge.get("when") for edge in draft.arguments["transitions"] if edge["from"] == "there_is_enough_flour"]
    assert ways == ["there is enough flour", "there is not enough"]


def test_the_request_may_stand_behind_what_is_told() -> None:
    draft = read_description("The clerk opens the letter, then the manager signs it. Can you make a workflow of this?")

    assert draft is not None
    assert [one["name"] for one in draft.arguments["steps"] if one["type"] != "end"] == [
        "Open the letter",
        "Sign the letter",
    ]
    assert (draft.unread, draft.undrawn) == ((), ())


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        (
            "The robot fetches the meter data (retry 5 times, 10 minutes apart). Then the clerk checks the data.",
            "PT10M",
        ),
        ("Call the weather API, up to four tries with 20 seconds between them, then store the forecast.", "PT20S"),
        ("Phone the customer three times, every two hours, then close the case.", "PT2H"),
    ],
)
def test_the_time_between_tries_is_no_deadline_and_no_wait(text: str, interval: str) -> None:
    draft = read_description(text)

    assert draft is not None
    first = draft.arguments["steps"][0]
    assert first["retry"]["interval"] == interval
    assert "timeout" not in first
    assert "wait" not in {step["type"] for step in draft.arguments["steps"]}


def test_several_who_do_a_step_at_the_same_time_do_it_each() -> None:
    draft = read_description("Legal and finance review the contract at the same time. Then the CEO signs it.")

    assert draft is not None
    told = {(step["name"], step["assignee"]) for step in draft.arguments["steps"] if step.get("assignee")}
    assert {("Review the contract", "legal"), ("Review the contract", "finance")} <= told


@pytest.mark.parametrize("modal", ["must", "has to", "should", "needs to"])
def test_a_passive_with_must_is_named_by_its_verb(modal: str) -> None:
    draft = read_description(f"The form {modal} be checked by the clerk and has to be signed by the boss.")

    assert draft is not None
    assert [step["name"] for step in draft.arguments["steps"][:2]] == ["Check the form", "Sign the form"]
