"""Workflows compared by structure: what a case wants of one, and where the one that is stored differs.

A case wants changes of a base workflow (of an empty one where it describes a new one), each one string:

- `x: taste test @head baker !wait`: a new step, called `x` here; its name has these words, of words between
  `/` one; who does it and its type where they are given
- `a>b>c => a>x>b, b>c`: these edges in the place of those; one that replaces an edge takes over its condition
- `+a>b`, `+a>b ~over 500`, `-a>b`: an edge more (without a condition, or on one), an edge less
- `a>b ~over 500`: an edge that is there is taken on this condition
- `del a`: the step is gone; what led to it leads to what followed, where one step did
- `a.timeout=P3D`, `x.retry.max_attempts=3|4`, `a.assignee=-`: a field's value, either of several, or none
- `wf.name=…`, `wf.tags+x`, `wf.aliases-x`, `wf.triggers+schedule 0 3 * * *`, `wf.start=a`: the same of
  the whole; `wf.automations+email rejected|slack rejected`: an automation more, with these words and ids of steps
- `VERSION 1`, `UNCHANGED`: it is as that version was; nothing may have happened

A condition is `~else`, `~error`, `~ok` (approved, yes, passed …), `~no`, `~?` (any or none), `~>500` and
`~<500` (which side of an amount), or words that it must have. Everything that a case does not want must be as
it was. New decisions, forks, joins and loops count as the edges through them, new ends that no case names as
nothing, a step that is skipped unless something holds as a branch around it, and a first step that only tells
what "When …," says before its comma as what starts it.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from workflow_agent.workflows.model.durations import seconds_of

Edge = tuple[str, str]
Document = Mapping[str, Any]
_DEFAULT_ATTEMPTS = 3
"""Attempts that a retry means where it names none, and leaves out when stored."""
_PASSED = frozenset({"decision", "fork", "join", "loop"})
_FREE = frozenset({
    "id", "name", "type", "assignee", "uses", "description", "with", "idempotent", "reads", "writes",
    "outcome", "event", "extensions", "parent", "loop", "join",
})  # fmt: skip
"""Fields of a new step that a case need not name; any other would be more than was asked."""
_OK = frozenset({
    "ok", "okay", "yes", "approve", "accept", "agree", "confirm", "pass", "grant", "good", "fine", "succeed",
    "success", "successful", "done", "sign", "positive", "true", "clear",
})  # fmt: skip
NEGATIVE_WORDS = frozenset({
    "no", "not", "reject", "refuse", "deny", "decline", "fail", "negative", "false", "disapprove",
    "otherwise", "else", "default", "wrong", "bad",
})  # fmt: skip
_OVER = re.compile(r"over|above|more|exceed|great|>|at least|from|larger|higher|bigger|older|longer|beyond|minimum")
_UNDER = re.compile(
    r"under|below|less|up to|at most|<|not |otherwise|else|small|lower|within|maximum|until|cheaper|fewer|younger"
)
_OCCASION = re.compile(r"\W*(?:when|whenever|after|once|as soon as|if|each time|every time)\b[^,:.]*", re.IGNORECASE)
_ARTICLES = frozenset({"the", "a", "an", "our", "my", "team", "department", "person", "people", "role"})


def words(text: str) -> list[str]:
    """Return the words and amounts of a text in one form: `10,000` and `10k` are the same."""
    plain = re.sub(r"(?<=\d)[,.'](?=\d{3}\b)", "", text.casefold())
    plain = re.sub(r"\b(\d+)k\b", r"\g<1>000", plain)
    return re.findall(r"[^\W_]+", plain)


def has_words(text: str, wanted: str) -> bool:
    """Say whether a text has all wanted words, in any inflection."""
    own = words(text)
    return all(any(_alike(one, word) for one in own) for word in words(wanted) if word not in _ARTICLES)


def _alike(one: str, other: str) -> bool:
    if one == other or one.isdigit() or other.isdigit():
        return one == other
    size = min(len(one), len(other))
    stem = size if size < 4 else max(4, size - 2)
    return size >= 3 and one[:stem] == other[:stem]


@dataclass
class Graph:
    """A workflow as it is compared."""

    steps: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    edges: dict[Edge, str] = field(default_factory=dict[Edge, str])
    """The condition of each, `else` of a default, `error` of an error path, empty without any."""
    whole: dict[str, Any] = field(default_factory=dict[str, Any])
    ended: frozenset[str] = frozenset()
    """Steps from which an edge to a new end was taken out."""


def graph_of(document: Document | None, known: Iterable[str] = (), ends: Iterable[str] = ()) -> Graph:
    """Return the graph of a document; of new parts only what a person would draw.

    Args:
        document: A workflow; None is an empty graph.
        known: Steps that stay as they are, of whatever type.
        ends: New ends that stay too.
    """
    if document is None:
        return Graph(whole={"start": ""})
    steps = {one["id"]: dict(one) for one in document["steps"]}
    edges = _edges(document)
    kept = {*known, *ends}
    dropped = {key for key, one in steps.items() if one.get("type") == "end" and key not in kept}
    ended = frozenset(a for a, b in edges if b in dropped)
    _unfold_loops(steps, edges, kept)
    _unfold_skips(steps, edges, kept)
    for key in [one for one, step in steps.items() if step.get("type") in _PASSED and one not in kept]:
        _pass_through(edges, key)
        del steps[key]
    edges = {(a, b): text for (a, b), text in edges.items() if not {a, b} & dropped}
    whole = {
        "name": document["name"],
        "description": document.get("description", ""),
        "start": document.get("start"),
        "tags": list(document.get("tags", ())),
        "aliases": list(document.get("aliases", ())),
        "triggers": [_trigger(one) for one in document.get("triggers", ())],
        "automations": [_automation(one) for one in document.get("automations", ())],
    }
    return Graph({key: one for key, one in steps.items() if key not in dropped}, edges, whole, ended)


def _edges(document: Document) -> dict[Edge, str]:
    edges: dict[Edge, str] = {}
    for one in document.get("transitions", ()):
        ends = (one["from"], one["to"])
        condition = {"default": "else", "error": "error"}.get(one.get("type", ""), _said(one.get("when")) or "")
        condition = condition or one.get("label") or one.get("action") or ""
        edges[ends] = f"{edges[ends]} / {condition}" if edges.get(ends) else condition
    return edges


def _said(condition: Mapping[str, Any] | None) -> str:
    return str(condition.get("text") or condition.get("expression") or "") if condition else ""


def _unfold_loops(steps: dict[str, dict[str, Any]], edges: dict[Edge, str], kept: set[str]) -> None:
    """Draw a new loop step as edges: into its body, and from the body's end on to what follows the loop."""
    for loop in [key for key, one in steps.items() if one.get("type") == "loop" and key not in kept]:
        body = [key for key, one in steps.items() if one.get("parent") == loop]
        inner = {b for a, b in edges if a in body and b in body}
        after = {b: text for (a, b), text in edges.items() if a == loop and b not in body}
        for last in (one for one in body if not any(a == one and b in body for a, b in edges)):
            edges.update({(last, b): text for b, text in after.items()})
            edges.pop((last, loop), None)
        for b in after if body else ():
            edges.pop((loop, b))
        edges.update({(loop, one): "" for one in body if one not in inner})


def _unfold_skips(steps: dict[str, dict[str, Any]], edges: dict[Edge, str], kept: set[str]) -> None:
    """Draw a new step that has a condition of its own as a branch around it."""
    for key, one in steps.items():
        condition = _said(one.get("when"))
        if not condition or key in kept:
            continue
        one.pop("when")
        before = [a for a, b in edges if b == key]
        for a in before:
            edges[a, key] = f"{edges[a, key]} {condition}".strip()
            for b in [b for c, b in edges if c == key]:
                edges.setdefault((a, b), "else")


def _pass_through(edges: dict[Edge, str], key: str) -> None:
    into = {a: edges.pop((a, b)) for a, b in list(edges) if b == key}
    out = {b: edges.pop((a, b)) for a, b in list(edges) if a == key}
    for a, first in into.items():
        for b, second in out.items():
            if a != key and b != key:
                edges[a, b] = " ".join(text for text in (first, second, edges.get((a, b), "")) if text)


def _trigger(one: Mapping[str, Any]) -> str:
    cron = " ".join(part.lstrip("0") or "0" for part in str(one.get("cron") or "").split())
    said = cron or one.get("every") or one.get("event") or one.get("path") or one.get("workflow")
    return " ".join(str(part) for part in (one["type"], said) if part)


def _automation(one: Mapping[str, Any]) -> str:
    """Return what an automation is called, what it reacts to, by the ids of steps, and what it does."""
    effect = one["effect"]
    return " ".join(map(str, (one["id"], *one["on"].values(), effect["type"], *effect.get("with", {}).values())))


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference from what was wanted."""

    text: str
    is_missing: bool
    """Whether it only was not done; False where something was done that nobody asked for."""


@dataclass
class Wanted:
    """A base workflow with the changes that a case wants of it."""

    base: Graph
    graph: Graph
    added: dict[str, str] = field(default_factory=dict[str, str])
    """The words of each new step's name."""
    conditions: dict[Edge, str] = field(default_factory=dict[Edge, str])
    """Conditions as cases say them; any other edge has that of the graph."""
    values: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    triggers: list[str] = field(default_factory=list[str])


def wanted(base: Graph, claims: Sequence[str]) -> Wanted:
    """Return what a case wants.

    Raises:
        ValueError: A claim names a step that is not there.
    """
    whole: dict[str, Any] = json.loads(json.dumps(base.whole))
    own = Wanted(base, Graph({key: dict(one) for key, one in base.steps.items()}, dict(base.edges), whole))
    for claim in sorted(claims, key=lambda one: not _names_new(one)):
        _apply(own, claim.strip())
    unknown = {key for edge in own.graph.edges for key in edge} - set(own.graph.steps)
    if unknown:
        raise ValueError(f"{sorted(unknown)} is no step, in {list(claims)}")
    return own


def _names_new(claim: str) -> bool:
    return re.match(r"\s*\w+:", claim) is not None


def _apply(own: Wanted, claim: str) -> None:
    edges = own.graph.edges
    if _names_new(claim):
        _add(own, claim)
    elif "=>" in claim:
        _replace(edges, *(_pairs(side) for side in claim.split("=>")))
    elif claim.startswith("del "):
        _delete(own.graph, claim.removeprefix("del ").strip())
    elif claim.startswith("-"):
        for pair in _pairs(claim[1:]):
            del edges[pair]
    elif found := re.match(r"\+?([\w>]+>[\w]+)\s*(?:~(.*))?$", claim):
        pairs = _pairs(found[1])
        edges.update({pair: "" for pair in pairs if claim.startswith("+")})
        own.conditions.update(dict.fromkeys(pairs[:-1], "") | {pairs[-1]: (found[2] or "").strip()})
    else:
        _set(own, claim)


def _add(own: Wanted, claim: str) -> None:
    key, _, rest = claim.partition(":")
    found = re.match(r"([^@!]*)(?:@([^!]*))?(?:!(\w+))?$", rest.strip())
    if found is None:
        raise ValueError(f"{claim!r} is no step")
    own.added[key] = found[1].strip()
    own.graph.steps[key] = {}
    own.values.update(
        {(key, name): value.strip() for name, value in (("assignee", found[2]), ("type", found[3])) if value}
    )


def _pairs(chains: str) -> list[Edge]:
    ids = [[one.strip() for one in chain.split(">")] for chain in chains.split(",")]
    return [pair for chain in ids for pair in pairwise(chain)]


def _replace(edges: dict[Edge, str], old: list[Edge], new: list[Edge]) -> None:
    gone = {pair: edges.pop(pair) for pair in old if pair not in new}
    for pair in new:
        taken = {text for (a, _), text in gone.items() if a == pair[0]}
        edges.setdefault(pair, taken.pop() if len(taken) == 1 else "")


def _delete(graph: Graph, key: str) -> None:
    del graph.steps[key]
    into = {a: graph.edges.pop((a, b)) for a, b in list(graph.edges) if b == key}
    out = {b: graph.edges.pop((a, b)) for a, b in list(graph.edges) if a == key}
    if len(out) == 1:
        to = next(iter(out))
        for a, text in into.items():
            if a != to:
                graph.edges.setdefault((a, to), text)


def _set(own: Wanted, claim: str) -> None:
    found = re.match(r"(\w+)\.([\w.]+)([=+-])(.*)$", claim)
    if found is None:
        raise ValueError(f"{claim!r} is no claim")
    of, name, sign, value = found.groups()
    whole = own.graph.whole
    if of != "wf":
        own.values[of, name] = value.strip()
    elif sign == "=":
        own.values["wf", name] = value.strip()
    elif sign == "+" and name == "triggers":
        own.triggers.append(value.strip())
    elif sign == "+":
        whole[name].append(value.strip())
    else:
        whole[name] = [one for one in whole[name] if not has_words(one, value)]


def differences(own: Wanted, document: Document, message: str) -> list[Difference]:
    """Return where a stored workflow differs from the one that was wanted; empty when it is the same."""
    new = [one for one in document["steps"] if one["id"] not in own.base.steps]
    found = graph_of(document, own.base.steps, _named(own, new))
    ids = _matched(own, found)
    _leave_out_occasion(found, {*own.base.steps, *ids.values()}, message)
    back = {found_id: key for key, found_id in ids.items()}
    extra = [one["name"] for key, one in found.steps.items() if key not in own.base.steps and key not in back]
    own_edges = {(back.get(a, a), back.get(b, b)): text for (a, b), text in found.edges.items()}
    given = {back.get(key, key): one for key, one in found.steps.items()}
    ended = {back.get(one, one) for one in found.ended}
    return [
        *(Difference(f"extra step {name!r}", is_missing=False) for name in extra),
        *_steps_differ(own, given, message),
        *_edges_differ(own, own_edges, ended),
        *_whole_differs(own, found, back),
    ]


def _leave_out_occasion(found: Graph, known: set[str], message: str) -> None:
    """Take out a first step that nobody wanted, and that is only what the description begins with."""
    start = found.whole["start"]
    occasion = _OCCASION.match(message)
    if start in known or start not in found.steps or any(b == start for _, b in found.edges):
        return
    if occasion and has_words(occasion[0], found.steps[start]["name"]):
        del found.steps[start]
        found.edges = {pair: text for pair, text in found.edges.items() if pair[0] != start}


def _named(own: Wanted, new: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return new ends that are wanted, and new decisions that are the only steps of a wanted name."""
    named: list[str] = []
    for key, text in own.added.items():
        fitting = [one for one in new if any(has_words(one["name"], part) for part in text.split("/")) and text]
        is_end = own.values.get((key, "type")) == "end"
        if is_end or not any(one.get("type") not in _PASSED for one in fitting):
            named += [one["id"] for one in fitting if one.get("type") == ("end" if is_end else "decision")][:1]
    return named


def _matched(own: Wanted, found: Graph) -> dict[str, str]:
    """Return the stored step of each wanted new one, the most special first."""
    matched: dict[str, str] = {}
    for key, text in sorted(own.added.items(), key=lambda one: -max(len(words(part)) for part in one[1].split("/"))):
        free = [one for one in found.steps if one not in own.base.steps and one not in matched.values()]
        fitting = [
            one
            for one in free
            if any(_is(found.steps[one], part, own.values.get((key, "type"))) for part in text.split("/"))
        ]
        role = own.values.get((key, "assignee"))
        if fitting:
            matched[key] = min(fitting, key=lambda one: _unlike(found.steps[one], role))
    return matched


def _unlike(step: Mapping[str, Any], role: str | None) -> tuple[bool, int]:
    return role is not None and not _same("assignee", step.get("assignee"), role), len(words(step["name"]))


def _is(step: Mapping[str, Any], text: str, kind: str | None) -> bool:
    if kind == "wait" and step.get("type") == "wait":
        return True
    return has_words(f"{step['name']} {step.get('uses') or ''}", text)


def _steps_differ(own: Wanted, given: Mapping[str, Mapping[str, Any]], message: str) -> Iterable[Difference]:
    for key in own.graph.steps:
        step = given.get(key)
        if step is None:
            yield Difference(f"no step {own.added.get(key, key)!r}", is_missing=key in own.added)
            continue
        base = own.base.steps.get(key)
        asked = {name: value for (of, name), value in own.values.items() if of == key}
        yield from (one for name, value in asked.items() if (one := _field_differs(key, base, step, name, value)))
        yield from _untouched_differ(key, base, step, {name.split(".")[0] for name in asked}, message)
    for key in set(own.base.steps) - set(own.graph.steps):
        if key in given:
            yield Difference(f"step {key!r} is still there", is_missing=True)


def _field_differs(key: str, base: Document | None, step: Document, name: str, value: str) -> Difference | None:
    given = _value(step, name)
    if any(_same(name, given, one) for one in value.split("|")):
        return None
    return Difference(
        f"{key}.{name} is {given!r}, not {value!r}", is_missing=given == _value(base or {}, name) or given is None
    )


def _value(step: Document, name: str) -> Any:
    if name == "retry.max_attempts" and isinstance(step.get("retry"), Mapping):
        return step["retry"].get("max_attempts", _DEFAULT_ATTEMPTS)
    outer, _, inner = name.partition(".")
    value = step.get(outer)
    if name == "when" and value:
        return _said(value)
    return value.get(inner) if inner and value else value


def _same(name: str, given: Any, value: str) -> bool:
    if value == "-":
        return given in (None, "", {}, [])
    if given is None:
        return False
    if name in ("timeout", "duration", "retry.interval", "every"):
        return seconds_of(str(given)) == seconds_of(value)
    if name == "when" or value.startswith("~"):
        return has_words(str(given), value.lstrip("~"))
    if name in ("assignee", "escalate_to"):
        pairs = zip(_plain(str(given)), _plain(value), strict=False)
        return len(_plain(str(given))) == len(_plain(value)) and all(_alike(one, other) for one, other in pairs)
    return _plain(str(given)) == _plain(value)


def _plain(text: str) -> list[str]:
    return [one for one in re.findall(r"[^\W_]+", text.casefold()) if one not in _ARTICLES]


def _untouched_differ(
    key: str, base: Document | None, step: Document, asked: set[str], message: str
) -> Iterable[Difference]:
    if base is None:
        more = {name for name, value in step.items() if name not in _FREE and value not in (None, {}, [])} - asked
        yield from (Difference(f"{key}.{name} is {step[name]!r}, unasked", is_missing=False) for name in sorted(more))
        role = step.get("assignee")
        if role and "assignee" not in asked and not has_words(message, role):
            yield Difference(f"{key} is done by {role!r}, unasked", is_missing=False)
        return
    if "assignee" in asked:
        asked = asked | {"type"}
    for name in sorted({*base, *step} - asked):
        if base.get(name) != step.get(name):
            yield Difference(f"{key}.{name} became {step.get(name)!r}", is_missing=False)


def _edges_differ(own: Wanted, given: Mapping[Edge, str], ended: set[str]) -> Iterable[Difference]:
    base, target = own.base.edges, own.graph.edges
    for pair, text in target.items():
        shown = ">".join(pair)
        if pair not in given:
            yield Difference(f"no edge {shown}", is_missing=pair not in base)
            continue
        claim = own.conditions.get(pair)
        fits = _fits(given[pair], claim) if claim is not None else _plain(given[pair]) == _plain(text)
        only = sum(a == pair[0] for a, _ in target) == 1 and pair[0] in ended
        if not fits and not (only and not (claim or text) and (pair[0] in own.added or pair not in base)):
            yield Difference(
                f"{shown} is on {given[pair]!r}, not {claim if claim is not None else text!r}",
                is_missing=given[pair] in (base.get(pair), ""),
            )
    for pair in {one for one in set(given) - set(target) if not _goes_on(own, given, one)}:
        yield Difference(f"edge {'>'.join(pair)} on {given[pair]!r}", is_missing=pair in base)


def _goes_on(own: Wanted, given: Mapping[Edge, str], pair: Edge) -> bool:
    """Say whether an edge is for a case that nobody named: past new branches, to where they meet."""
    own_ways = {b: own.conditions.get((a, b), "") for a, b in own.graph.edges if a == pair[0]}
    named = all(own_ways.values()) and not any(
        "else" in claim or "no" in claim.split("|") for claim in own_ways.values()
    )
    after = {b for a, b in own.graph.edges if a in own_ways}
    return given[pair] == "else" and bool(own_ways) and named and pair[1] in after and pair[0] not in own.base.steps


def _fits(text: str, claim: str) -> bool:
    """Say whether a condition is the claimed one, either of several between bars."""
    return any(_fits_one(text, one.strip()) for one in claim.split("|"))


def _fits_one(text: str, claim: str) -> bool:
    plain = text.casefold()
    if claim in ("", "?"):
        return claim == "?" or not text
    if claim == "error":
        return any(has_words(text, word) for word in ("error", "fail", "crash"))
    if claim == "else":
        return bool(text) and text != "error"
    if claim in ("ok", "no"):
        negative = any(_alike(one, other) for one in words(text) for other in NEGATIVE_WORDS) or "n't" in plain
        positive = any(_alike(one, other) for one in words(text) for other in _OK)
        return negative if claim == "no" else positive and not negative
    if claim[0] in "<>":
        amount, sides = claim[1:].strip(), (_OVER, _UNDER) if claim[0] == ">" else (_UNDER, _OVER)
        if plain == "else":
            return claim[0] == "<"
        side = sides[0].search(plain) is not None
        return has_words(text, amount) and side and (claim[0] == "<" or sides[1].search(plain) is None)
    return has_words(text, claim)


def _whole_differs(own: Wanted, found: Graph, back: Mapping[str, str]) -> Iterable[Difference]:
    target, base = own.graph.whole, own.base.whole
    if not base.get("name"):
        triggers = found.whole["triggers"]
        yield from (
            Difference(f"no trigger {one}", is_missing=True) for one in own.triggers if not _triggered(one, triggers)
        )
        if "name" in (asked := {name: value for (of, name), value in own.values.items() if of == "wf"}):
            yield from (
                ()
                if has_words(found.whole["name"], asked["name"])
                else (Difference(f"called {found.whole['name']!r}", is_missing=False),)
            )
        return
    for name in ("name", "description", "start"):
        value = own.values.get(("wf", name))
        given = back.get(found.whole[name], found.whole[name]) if name == "start" else found.whole[name]
        if value is not None and not any(_same(name, given, one) for one in value.split("|")):
            yield Difference(f"its {name} is {given!r}, not {value!r}", is_missing=given == base[name])
        elif value is None and given != target[name] and not (name == "start" and _may_start(own, given)):
            yield Difference(f"its {name} became {given!r}", is_missing=False)
    for name in ("tags", "aliases"):
        if sorted(map(_plain, found.whole[name])) != sorted(map(_plain, target[name])):
            yield Difference(
                f"its {name} are {found.whole[name]}, not {target[name]}", is_missing=found.whole[name] == base[name]
            )
    yield from _listed_differ("trigger", own.triggers, own, found)
    yield from _listed_differ("automation", (), own, found)


def _may_start(own: Wanted, given: str) -> bool:
    """Say whether the start moved only because a step came in front of it, or it went."""
    return given in own.graph.steps and not any(b == given for _, b in own.graph.edges)


def _listed_differ(what: str, more: Iterable[str], own: Wanted, found: Graph) -> Iterable[Difference]:
    fits = {"trigger": _triggered, "automation": _automated}[what]
    base, given = own.base.whole[f"{what}s"], list(found.whole[f"{what}s"])
    for one in [*own.graph.whole[f"{what}s"], *more]:
        fitting = next((each for each in given if fits(one, [each])), None)
        if fitting is None:
            yield Difference(f"no {what} {one}", is_missing=one not in base)
        else:
            given.remove(fitting)
    for one in given:
        yield Difference(f"{what} {one}", is_missing=one in base)


def _automated(claim: str, automations: Sequence[str]) -> bool:
    return any(has_words(given, one) for one in claim.split("|") for given in automations)


def _triggered(claim: str, triggers: Sequence[str]) -> bool:
    def same(one: str, given: str) -> bool:
        kind, _, rest = one.strip().partition(" ")
        own_kind, _, own_rest = given.partition(" ")
        if kind != own_kind:
            return False
        return (
            rest == own_rest
            if kind == "schedule" and rest
            else has_words(own_rest.replace(".", " "), rest.replace(".", " "))
        )

    return any(same(one, given) for one in claim.split("|") for given in triggers)
