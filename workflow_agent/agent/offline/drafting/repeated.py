"""Reading "for each invoice, check it and post it": a loop over the items, its steps inside."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from workflow_agent.agent.offline.drafting.nested import with_nested_items
from workflow_agent.agent.offline.drafting.results import Draft
from workflow_agent.agent.offline.drafting.texts import described, draft_text
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow_parsing import slug, unique_id

_MOST_LOOPS = 5
_ARTICLES = re.compile(r"\b(?:the|an?|our|their) ")
"""The name of a step has none."""
_FOR_EACH = re.compile(
    r"(?P<lead>^|[.;:,]\s+(?:(?:then|and|next),?\s+)?|\n\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?)"
    r"for (?:each|every)(?: of the| single)? "
    r"(?!(?:new|incoming|arriving)\b)(?P<item>[a-z][a-z' -]{1,50}?)"
    r"(?:[,:] |(?<!\bof)(?<!\bin)(?<!\bon)(?<!\bfor)(?<!\bfrom)(?<!\bwith) "
    r"(?=(?:the|an?|our|we|he|she|they) ))"
    r"(?P<body>[^.;\n]{3,400})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Repeated:
    """What is done for each of several things."""

    item: str
    steps: tuple[JsonObject, ...]
    transitions: tuple[JsonObject, ...] = ()

    @property
    def stand_in(self) -> str:
        """Return the clause that stands in the text where the loop is."""
        return f"handle each {_ARTICLES.sub('', self.item)}"


def without_loops(text: str) -> str:
    """Return a text that says what is done, no longer that it is done for each of several things."""
    return _FOR_EACH.sub(r"\g<lead>\g<body>", text)


def draft_with_loops(text: str, parse_step: Callable[[str], JsonObject | None]) -> Draft | None:
    """Return the workflow of a text, with what it does for each of several things inside a loop.

    Args:
        text: The description.
        parse_step: Reads a body that is a single step, which is no description of a process.
    """
    found: list[_Repeated] = []
    text = with_nested_items(text)

    def shortened(match: re.Match[str]) -> str:
        body = _body(match["item"].lower(), match["body"], parse_step) if len(found) < _MOST_LOOPS else None
        if body is None:
            return match[0]
        found.append(body)
        return f"{'. ' if match['lead'].startswith(',') else match['lead']}{body.stand_in}"

    shorter = _FOR_EACH.sub(shortened, text)
    draft = (draft_text(shorter) or draft_text(f"{shorter}, then finish")) if found else None
    for one in found:
        draft = _with_loop(draft, one) if draft is not None else None
    return draft_text(text) if draft is None else replace(draft, description=described(text))


def _body(item: str, said: str, parse_step: Callable[[str], JsonObject | None]) -> _Repeated | None:
    draft = draft_text(said)
    if draft is None:
        step = parse_step(said)
        return _Repeated(item, ({"id": slug(str(step["name"])), **step},)) if step else None
    # A scope is over when nothing in it is left to do: it needs no end of its own.
    steps = tuple(step for step in draft.steps if step["type"] != "end")
    ids = {step["id"] for step in steps}
    edges = tuple(edge for edge in draft.transitions if {edge["from"], edge["to"]} <= ids)
    return _Repeated(item, steps, edges)


def _with_loop(draft: Draft, repeated: _Repeated) -> Draft | None:
    """Return a draft with the loop in the place of its stand-in; None where that was not read as a step."""
    here = next((step for step in draft.steps if step["name"].lower() == repeated.stand_in), None)
    if here is None:
        return None
    taken = [step["id"] for step in draft.steps]
    loop = unique_id(slug(f"each_{repeated.item}"), taken)
    names: dict[str, str] = {here["id"]: loop}
    inner: dict[str, str] = {}
    for step in repeated.steps:
        inner[step["id"]] = unique_id(step["id"], [*taken, loop, *inner.values()])
    head: JsonObject = {
        "id": loop, "name": f"For each {repeated.item}", "type": "loop", "loop": {"over": repeated.item}
    }  # fmt: skip
    body = ({**step, "id": inner[step["id"]], "parent": loop} for step in repeated.steps)
    at = draft.steps.index(here)
    return replace(
        draft,
        steps=(*draft.steps[:at], head, *body, *draft.steps[at + 1 :]),
        transitions=(
            *(_renamed(edge, names) for edge in draft.transitions),
            *(_renamed(edge, inner) for edge in repeated.transitions),
        ),
        start=names.get(draft.start, draft.start),
    )


def _renamed(edge: JsonObject, names: Mapping[str, str]) -> JsonObject:
    return {**edge, **{end: names.get(edge[end], edge[end]) for end in ("from", "to")}}
