"""The cases for the offline model can be fulfilled, ask for something, and are judged as a person would."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from benchmarks import eval_offline
from benchmarks.eval_offline import HALVES, KINDS, Talk, base_of, cases, changed, messages, names_unused, workflows
from benchmarks.offline_graphs import Wanted, differences, graph_of, wanted, words
from workflow_agent.workflows.model.parser import parse_workflow

CAKE: dict[str, Any] = workflows()["cake"]["document"]
KNOWN_KINDS = {
    "orders": "plain multi it undo trap qorder askq",
    "sample_orders": "plain multi it undo trap qorder askq",
    "descriptions": "list plain branch loop parallel deadline retry schedule threshold long notawork question nothing "
    "trap",
    "questions": "open catalogue",
    "references": "name part alias typo meaning content ask recency learned correct other open step it change",
}
_CONDITIONS = {"ok": "approved", "no": "rejected", "?": ""}


def _ways() -> Iterator[tuple[str, Sequence[str], Mapping[str, Any] | None, str]]:
    """Yield every way in which a case may come out: its place, claims, base and words."""
    for kind in ("orders", "sample_orders", "descriptions", "references"):
        for half in HALVES:
            for at, case in enumerate(cases(kind, half), 1):
                name = case.get("expect") or case.get("workflow")
                base = base_of(name) if name and name != "ASK" else None
                said = " ".join(one for one in messages(case) if isinstance(one, str))
                for claims in [case["want"], *case.get("or", ())] if "want" in case else ():
                    if claims[0] != "UNCHANGED" and not claims[0].startswith("VERSION"):
                        yield f"{kind} {half} {at}", claims, base, said


def _fulfilled(own: Wanted, base: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a workflow that is as wanted, as somebody would write it down."""
    document: dict[str, Any] = json.loads(json.dumps(base or {"id": "wf_x", "name": "X", "start": "a"}))
    names = {key: {"id": key, "name": text.split("/")[0] or key} for key, text in own.added.items()}
    steps = [names.get(key, {}) | one for key, one in own.graph.steps.items()]
    for step in steps:
        for (of, name), value in own.values.items():
            if of == step["id"]:
                _put(step, name, value)
    whole = {name: _first(value) for (of, name), value in own.values.items() if of == "wf"}
    document |= {"tags": own.graph.whole.get("tags", []), "aliases": own.graph.whole.get("aliases", [])} | whole
    document["triggers"] = [_trigger(one, base) for one in [*own.graph.whole.get("triggers", ()), *own.triggers]]
    document["automations"] = _automations(own, base)
    document["steps"] = steps
    document["transitions"] = [
        _transition(a, b, _text(own.conditions[a, b]) if (a, b) in own.conditions else text)
        for (a, b), text in own.graph.edges.items()
    ]
    return document


def _first(value: str) -> str:
    return value.partition("|")[0].lstrip("~")


def _put(step: dict[str, Any], name: str, value: str) -> None:
    outer, _, inner = name.partition(".")
    if _first(value) == "-":
        step.pop(outer, None)
    elif outer == "when":
        step[outer] = {"text": _first(value)}
    elif inner:
        said = _first(value)
        step[outer] = {**step.get(outer, {}), inner: int(said) if said.isdigit() else said}
    else:
        step[outer] = _first(value)


def _trigger(claim: str, base: Mapping[str, Any] | None) -> dict[str, Any]:
    kind, _, rest = _first(claim).partition(" ")
    named = {"schedule": "cron", "event": "event", "webhook": "path", "workflow": "workflow"}.get(kind)
    if kind == "schedule" and rest.startswith("PT"):
        named = "every"
    return {"type": kind} | ({named: rest} if named else {})


def _automations(own: Wanted, base: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    claims: list[str] = own.graph.whole.get("automations", [])
    known = {one["id"]: one for one in (base or {}).get("automations", ())}
    kept = [one for key, one in known.items() if any(claim.split()[0] == key for claim in claims)]
    more = [claim for claim in claims if claim.split()[0] not in known]
    return kept + [{"id": "new", "on": {"event": _first(one)}, "effect": {"type": "email"}} for one in more]


def _text(claim: str) -> str:
    first = claim.partition("|")[0].strip()
    return _CONDITIONS.get(first, first).replace(">", "over ").replace("<", "under ")


def _transition(a: str, b: str, text: str) -> dict[str, Any]:
    kinds = {"else": "default", "error": "error"}
    if text in kinds:
        return {"from": a, "to": b, "type": kinds[text]}
    return {"from": a, "to": b} | ({"type": "condition", "when": {"text": text}} if text else {})


def test_every_wanted_change_can_be_made_and_is_right_then() -> None:
    failed = {}
    for place, claims, base, said in _ways():
        own = wanted(graph_of(base, [one["id"] for one in base["steps"]] if base else ()), claims)
        if found := differences(own, _fulfilled(own, base), said):
            failed[place, tuple(claims)] = [one.text for one in found]

    assert failed == {}


def test_no_wanted_change_is_there_before() -> None:
    idle = [
        (place, claims)
        for place, claims, base, said in _ways()
        if base and not differences(wanted(graph_of(base, [one["id"] for one in base["steps"]]), claims), base, said)
    ]

    assert idle == []


def test_the_base_workflows_are_valid_and_each_is_of_one_half() -> None:
    for name, one in workflows().items():
        assert parse_workflow(one["document"]).id == f"wf_{name}"
    used = {
        half: {case["workflow"] for kind in KINDS for case in cases(kind, half) if "workflow" in case}
        for half in HALVES
    }

    assert not used["dev"] & used["was_heldout"]
    assert {(half, workflows()[name]["half"]) for half, names in used.items() for name in names & set(workflows())} == {
        (half, half) for half in ("dev", "was_heldout", "was_heldout_6", "heldout")
    } | {("was_heldout_6", "dev"), ("was_heldout_6", "was_heldout")} | {
        ("heldout", "nineteenth"),
        ("heldout", "nineteenth questions"),
        ("was_heldout_18", "heldout_orders"),
        ("was_heldout_18", "fourteenth"),
        ("dev_14", "thirteenth"),
        ("dev_12", "heldout_questions"),
        ("dev_13", "twelfth"),
        ("was_heldout_10", "heldout"),
        ("was_heldout_10", "was_heldout_10"),
        ("dev_3", "third"),
        ("was_heldout_3", "third"),
        ("dev_6", "third"),
        ("dev_6", "sixth"),
        ("dev_7", "seventh"),
        ("dev_8", "eighth"),
        ("dev_9", "ninth"),
        ("dev_10", "tenth"),
        ("dev_11", "eleventh"),
        ("dev_15", "fifteenth"),
        ("dev_16", "sixteenth"),
        ("dev_17", "seventeenth"),
        ("dev_18", "eighteenth"),
        ("dev_20", "fifteenth"),
        ("dev_20", "ninth"),
        ("dev_20", "twelfth"),
        ("dev_20", "sixteenth"),
        ("dev_20", "seventeenth"),
        ("dev_20", "eighteenth"),
        ("heldout_20", "eighteenth"),
    }


def test_every_case_names_what_there_is_and_says_what_it_wants() -> None:
    own = {half: [name for name, one in workflows().items() if one["half"] == half] for half in HALVES}
    wrong = [
        (kind, half, at)
        for kind in KINDS
        for half in HALVES
        for at, case in enumerate(cases(kind, half), 1)
        if not (
            case["kind"] in KNOWN_KINDS[kind].split()
            and all(isinstance(one, list) or one.strip() for one in messages(case))
            and isinstance(messages(case)[-1], str)
            and (kind != "references" or case["expect"] in (*own[half], *case.get("catalogue", ()), "ASK"))
            and (kind != "questions" or (case["answer_has"] and ("workflow" in case) == (case["kind"] == "open")))
            and (kind in ("questions", "references") or case["want"])
            and case.keys()
            <= {"kind", "workflow", "say", "want", "or", "answer_has", "answer_lacks", "expect", "catalogue"}
        )
    ]

    assert wrong == []


def test_no_sentence_is_in_both_halves_or_twice_in_a_set() -> None:
    for kind in KINDS:
        said = Counter((str(case["say"]), case.get("workflow")) for half in HALVES for case in cases(kind, half))
        assert [one for one, times in said.items() if times > 1] == []


def test_no_held_out_sentence_is_elsewhere_in_other_letters() -> None:
    def sentences(halves: Sequence[str]) -> Counter[tuple[str, ...]]:
        return Counter(
            tuple(words(one))
            for kind in KINDS
            for half in halves
            for case in cases(kind, half)
            for one in messages(case)[-1:]
            if len(words(one)) > 4
        )

    kept = [half for half in HALVES if half.startswith("heldout")]
    held_out = sentences(kept)

    assert [one for one, times in held_out.items() if times > 1] == []
    assert held_out.keys() & sentences([half for half in HALVES if half not in kept]).keys() == set()


def _cake(*extra: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    steps = [one | fields.get(one["id"], {}) for one in CAKE["steps"]]
    return CAKE | {"steps": [*steps, *extra]}


INTERN, OTHER = _cake(bake={"assignee": "intern"}), _cake(take={"assignee": "intern"})


@pytest.mark.parametrize(
    ("claims", "after", "reply", "verdict"),
    [
        pytest.param(["bake.assignee=intern"], INTERN, "Done.", "right", id="as wanted"),
        pytest.param(["bake.assignee=intern"], CAKE, "Which step?", "honest", id="asked"),
        pytest.param(["bake.assignee=intern"], CAKE, "Done: the intern bakes.", "wrong", id="claimed"),
        pytest.param(["bake.assignee=intern"], OTHER, "Done.", "wrong", id="another step"),
        pytest.param(
            ["bake.assignee=intern", "bake.timeout=P1D"],
            INTERN,
            "Done. I did not use: within a day.",
            "honest",
            id="what is left out is named",
        ),
        pytest.param(
            ["bake.assignee=intern", "bake.timeout=P1D"],
            INTERN,
            "Done. I did not use: should.",
            "wrong",
            id="another word than what is left out is named",
        ),
        pytest.param(
            ["bake.assignee=intern", "bake.timeout=P1D"], INTERN, "Done.", "wrong", id="what is left out is not named"
        ),
        pytest.param(["UNCHANGED"], CAKE, "That would take a day longer.", "right", id="nothing may happen"),
        pytest.param(["UNCHANGED"], OTHER, "Done.", "wrong", id="something happened"),
    ],
)
def test_a_change_is_right_honest_or_wrong_by_what_is_stored(
    claims: list[str], after: dict[str, Any], reply: str, verdict: str
) -> None:
    said = "the intern should bake it within a day"
    case = {"say": said, "want": claims}
    talk = Talk({"response": reply}, {"wf_cake": CAKE}, {"wf_cake": after})
    rest = [] if claims == ["UNCHANGED"] else claims
    own = wanted(graph_of(CAKE, [one["id"] for one in CAKE["steps"]]), rest)

    assert changed(case, talk, differences(own, after, said)) == verdict


def test_new_decisions_forks_and_skipped_steps_count_as_the_edges_through_them() -> None:
    step = {"type": "human", "assignee": "boss"}
    flow = {
        "id": "wf_x", "name": "X", "start": "a",
        "steps": [{"id": "a", "name": "Ask"}, {"id": "d", "name": "Much?", "type": "decision"},
                  {"id": "b", "name": "Approve", **step}, {"id": "c", "name": "Pay"}],
        "transitions": [{"from": "a", "to": "d"},
                        {"from": "d", "to": "b", "type": "condition", "when": {"text": "over 1,000"}},
                        {"from": "d", "to": "c", "type": "default"}, {"from": "b", "to": "c"}],
    }  # fmt: skip
    skipped = flow | {
        "steps": [
            {"id": "a", "name": "Ask"},
            {"id": "b", "name": "Approve", "when": {"text": "amount > 1000"}, **step},
            {"id": "c", "name": "Pay"},
        ],
        "transitions": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
    }
    claims = ["a: ask", "b: approve @boss", "c: pay", "+a>b ~>1000", "+a>c ~<1000|else", "+b>c"]

    for document in (flow, skipped):
        assert differences(wanted(graph_of(None), claims), document, "the boss approves") == []


@pytest.mark.parametrize(
    ("claims", "differ"),
    [
        pytest.param(["wf.automations+email baked"], [], id="as wanted"),
        pytest.param(["wf.automations+slack baked"], ["no automation slack baked", "automation new"], id="another"),
        pytest.param(["bake.assignee=baker"], ["automation new"], id="nobody asked for it"),
    ],
)
def test_an_automation_counts_as_what_starts_it_and_what_it_does(claims: list[str], differ: list[str]) -> None:
    after = CAKE | {
        "automations": [{"id": "new", "on": {"event": "entered", "to": "baked"}, "effect": {"type": "email"}}]
    }
    own = wanted(graph_of(CAKE, [one["id"] for one in CAKE["steps"]]), claims)

    found = [one.text for one in differences(own, after, "mail us once it is baked")]

    assert len(found) == len(differ)
    assert all(one.startswith(text) for one, text in zip(found, differ, strict=True))


@pytest.mark.parametrize(
    ("reply", "keys", "says"),
    [
        pytest.param("It has **8** steps.", "8", True, id="a number"),
        pytest.param("It has eight steps.", "8", True, id="a number in words"),
        pytest.param("It has 18 steps.", "8", False, id="another number"),
        pytest.param("No, nobody does.", "NO", True, id="no"),
        pytest.param("The head_doctor.", "head doctor", True, id="a role"),
        pytest.param("The doctor.", "head doctor", False, id="half a role"),
    ],
)
def test_an_answer_says_a_key_in_any_form(reply: str, keys: str, says: bool) -> None:
    assert eval_offline.says(reply, keys, [keys]) is says


def test_only_words_of_the_message_count_as_named() -> None:
    assert names_unused("I did not use: within a day.", "bake it within a day")
    assert not names_unused("I did not use something.", "bake it within a day")
