"""Reading a workflow from outside data: every problem at once, each with its place."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast

from pydantic import ValidationError

from workflow_agent.errors import InvalidWorkflow, Problem
from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.terms import DURATION_PATTERN, ID_PATTERN, WORKFLOW_ID_PATTERN
from workflow_agent.workflows.model.workflow import Workflow

_SHOWN_CHARS = 60
_SAID: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not a known field",
    "string_type": "must be text",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("list_type", "tuple_type"), "must be a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "must be a JSON object"),
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "less_than": "must be less than {lt}",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "too_long": "must have at most {max_length} items",
    "too_short": "must have at least {min_length} items",
    "union_tag_invalid": "has {discriminator} '{tag}', which is none of {expected_tags}",
    "union_tag_not_found": "has no {discriminator}",
}
_PATTERNS: Mapping[str, str] = {
    DURATION_PATTERN: "is no length of time as ISO 8601 writes it, such as PT30M or P2D",
    ID_PATTERN: "is no id: 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit",
    WORKFLOW_ID_PATTERN: "is no workflow id: wf_ and 1 to 61 of a-z, 0-9, _ and -",
}
_WITHOUT_VALUE = {"missing", "extra_forbidden", "union_tag_invalid", "union_tag_not_found"}


def validation_message(item: Mapping[str, Any]) -> str:
    """Return what is wrong with a value, and the value itself where it is short enough to say."""
    message = _plain(item)
    given = item.get("input")
    if item["type"] in _WITHOUT_VALUE or not isinstance(given, str | int | float | bool):
        return message
    shown = repr(str(given)[:_SHOWN_CHARS])
    return message if shown in message else f"{message}, got {shown}"


def _plain(item: Mapping[str, Any]) -> str:
    kind, context = str(item["type"]), dict(item.get("ctx") or {})
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], f"must match the pattern {context['pattern']}")
    if kind in ("string_too_short", "too_short") and context["min_length"] == 1:
        return "must not be empty"
    if kind not in _SAID:
        return str(item["msg"]).removeprefix("Value error, ")
    if "tag" in context:
        context["tag"] = str(context["tag"])[:_SHOWN_CHARS]
    return _SAID[kind].format(**{key: str(value) for key, value in context.items()})


_WORD = re.compile(r"[a-z0-9]+")
_VALID_IDS_SHOWN = 20
_MOST_PROBLEMS = 1_000
_ABSENT = object()


def slug(text: str, *, fallback: str = "step", max_chars: int = 48) -> str:
    """Return an id made of the words of a text: lower-case ASCII joined by `_`."""
    plain = unicodedata.normalize("NFKD", text[:400]).encode("ascii", "ignore").decode().lower()
    joined = "_".join(_WORD.findall(plain.replace("'", "")))[:max_chars].strip("_")
    return joined or fallback


def unique_id(wanted: str, taken: Iterable[str]) -> str:
    """Return `wanted`, or of `wanted_2`, `wanted_3`, ... the first that is not taken, gaps aside."""
    used: Collection[str] = taken if isinstance(taken, set | frozenset) else set(taken)
    if wanted not in used:
        return wanted
    stem = wanted[:58]
    low, high = 1, 2
    while f"{stem}_{high}" in used:
        low, high = high, high * 2
    # Halving, because thousands of one name must not take thousands of steps each.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if f"{stem}_{middle}" in used else (low, middle)
    return f"{stem}_{high}"


def take_id(wanted: str, taken: set[str]) -> str:
    """Return what `unique_id` does, and add it to those that are taken."""
    made = unique_id(wanted, taken)
    taken.add(made)
    return made


def json_pointer(path: Iterable[str | int]) -> str:
    """Return an RFC 6901 pointer for a path of keys and positions."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def problems_of(error: ValidationError, document: Any = None) -> list[Problem]:
    """Return pydantic's errors as problems, a thousand at most, without large input or internal tags."""
    items: list[dict[str, Any]] = [dict(item) for item in error.errors(include_url=False)[:_MOST_PROBLEMS]]
    # A list whose items are all wrong is also reported as too short, which it is not.
    inside = {item["loc"][: len(item["loc"]) - left] for item in items for left in range(1, len(item["loc"]))}
    told = [item for item in items if not (item["type"] == "too_short" and item["loc"] in inside)]
    return [_problem(item, document) for item in told]


def _problem(item: dict[str, Any], document: Any) -> Problem:
    path = item["loc"] if document is None else _path_in(document, item["loc"], item["type"] == "missing")
    context: Mapping[str, Any] = item.get("ctx") or {}
    valid = re.findall(r"'([^']{1,60})'", str(context.get("expected") or context.get("expected_tags") or ""))
    return Problem(json_pointer(path), validation_message(item), tuple(valid))


def _path_in(document: Any, loc: tuple[str | int, ...], is_missing: bool) -> list[str | int]:
    """Return the parts of pydantic's location that are places in the document, without a union's tags."""
    path: list[str | int] = []
    here = document
    for at, part in enumerate(loc):
        child = _child(here, part)
        if child is not _ABSENT:
            path.append(part)
            here = child
        elif is_missing and at == len(loc) - 1:
            path.append(part)
    return path


def _child(here: Any, part: str | int) -> Any:
    if isinstance(here, Mapping):
        return cast("Mapping[Any, Any]", here).get(part, _ABSENT)
    if isinstance(here, list | tuple) and isinstance(part, int):
        items = cast("list[Any]", here)
        return items[part] if 0 <= part < len(items) else _ABSENT
    return _ABSENT


def parse_workflow(document: Any) -> Workflow:
    """Return the workflow a document describes.

    Missing transition ids are made from their ends, and a missing `start` is the first step.

    Raises:
        InvalidWorkflow: With every problem of shape and of structure, each with its JSON pointer.
    """
    if not isinstance(document, Mapping):
        raise InvalidWorkflow([Problem("", f"must be an object, got {type(document).__name__}")])
    completed = _completed(cast("Mapping[str, Any]", document))
    structural = structural_problems(completed)
    try:
        workflow = Workflow.model_validate(completed)
    except ValidationError as error:
        raise InvalidWorkflow([*problems_of(error, completed), *structural]) from error
    if structural:
        raise InvalidWorkflow(structural)
    return workflow


def _objects(document: Mapping[str, Any], key: str) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the entries of a list that are objects, with their positions."""
    items: Any = document.get(key)
    if not isinstance(items, list | tuple):
        return []
    return [
        (at, cast("Mapping[str, Any]", item))
        for at, item in enumerate(cast("list[Any]", items))
        if isinstance(item, Mapping)
    ]


def _completed(document: Mapping[str, Any]) -> JsonObject:
    completed: JsonObject = dict(document)
    steps = _objects(document, "steps")
    if completed.get("start") is None and steps and isinstance(steps[0][1].get("id"), str):
        completed["start"] = steps[0][1]["id"]
    transitions = _objects(document, "transitions")
    if any("id" not in edge for _, edge in transitions):
        taken = {str(edge["id"]) for _, edge in transitions if "id" in edge}
        listed: list[Any] = list(document["transitions"])
        for at, edge in transitions:
            if "id" not in edge:
                made = take_id(transition_id(str(edge.get("from")), str(edge.get("to"))), taken)
                listed[at] = {"id": made, **edge}
        completed["transitions"] = listed
    return completed


def transition_id(from_id: str, to_id: str) -> str:
    """Return the id a transition gets when nobody names it: `from-to`, cut to fit."""
    return f"{slug(from_id, max_chars=31)}-{slug(to_id, max_chars=31)}"


def structural_problems(document: Mapping[str, Any]) -> list[Problem]:
    """Return what makes a graph impossible: ids used twice, ends and scopes that do not exist, no start.

    Works on plain data so that these problems show together with those of shape.
    """
    steps = _objects(document, "steps")
    ids = [step["id"] for _, step in steps if isinstance(step.get("id"), str)]
    known = set(ids)
    valid = tuple(ids[:_VALID_IDS_SHOWN])
    return [
        *_used_twice(steps, "steps"),
        *_used_twice(_objects(document, "transitions"), "transitions"),
        *_used_twice(_objects(document, "automations"), "automations"),
        *_unknown_ends(document, known, valid),
        *_unknown_parents(steps, known, valid),
        *_unknown_start(document, known, valid),
    ]


def _used_twice(items: list[tuple[int, Mapping[str, Any]]], key: str) -> list[Problem]:
    places = grouped((item["id"], at) for at, item in items if isinstance(item.get("id"), str))
    again = sorted((at, item_id) for item_id, listed in places.items() for at in listed[1:])
    return [Problem(f"/{key}/{at}/id", f"{one[:80]!r} is used {len(places[one])} times") for at, one in again]


def _unknown_ends(document: Mapping[str, Any], known: set[str], valid: tuple[str, ...]) -> list[Problem]:
    named = [(f"/transitions/{at}", edge) for at, edge in _objects(document, "transitions")]
    reactions = ((at, automation.get("on")) for at, automation in _objects(document, "automations"))
    named += [(f"/automations/{at}/on", cast("JsonObject", on)) for at, on in reactions if isinstance(on, Mapping)]
    return [
        Problem(f"{place}/{end}", f"there is no step {ends[end][:80]!r}", valid)
        for place, ends in named
        for end in ("from", "to")
        if isinstance(ends.get(end), str) and ends[end] not in known
    ]


def _unknown_parents(
    steps: list[tuple[int, Mapping[str, Any]]], known: set[str], valid: tuple[str, ...]
) -> list[Problem]:
    parents = {
        step["id"]: step["parent"]
        for _, step in steps
        if isinstance(step.get("id"), str) and isinstance(step.get("parent"), str)
    }
    inside_themselves = _inside_themselves(parents)
    found: list[Problem] = []
    for at, step in steps:
        parent = step.get("parent")
        if not isinstance(parent, str):
            continue
        if parent not in known:
            found.append(Problem(f"/steps/{at}/parent", f"there is no step {parent[:80]!r}", valid))
        elif step.get("id") in inside_themselves:
            found.append(Problem(f"/steps/{at}/parent", f"step {step.get('id')!r} is inside itself"))
    return found


def _inside_themselves(parents: Mapping[str, str]) -> set[str]:
    """Return the steps that come back to themselves from parent to parent; each step is passed once."""
    found, passed = set[str](), set[str]()
    for first in parents:
        way: dict[str, None] = {}
        here: str | None = first
        while here is not None and here not in passed:
            passed.add(here)
            way[here] = None
            here = parents.get(here)
        if here in way:
            steps = list(way)
            found.update(steps[steps.index(here) :])
    return found


def _unknown_start(document: Mapping[str, Any], known: set[str], valid: tuple[str, ...]) -> list[Problem]:
    start = document.get("start")
    if isinstance(start, str) and known and start not in known:
        return [Problem("/start", f"there is no step {start[:80]!r}", valid)]
    return []
