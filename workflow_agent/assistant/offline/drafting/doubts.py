"""What a draft may have wrong: structure told in words that no part of the graph stands for."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import comparison_end
from workflow_agent.assistant.offline.drafting.parts import STEPS, Part, acts_when_late
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.phrases import text_of
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.values.stored import JsonObject

Documents = Sequence[JsonObject]
ANSWERS: Final = ("not", "no", "so", "yes")
"""Words that answer a question told before: "if so", "if not"."""
_DENYING: Final = ("un", "in", "im", "ir", "il", "dis", "non", "non-")


def doubts_of_graph(steps: Documents, transitions: Documents) -> Iterable[str]:
    """Return what may be wrong in the graph: a question without arms, a step told twice or not reached."""
    out: dict[str, set[str]] = {}
    into: set[str] = set()
    for edge in transitions:
        out.setdefault(edge["from"], set()).add(edge["to"])
        into.add(edge["to"])
    told: set[tuple[str, str]] = set()
    for step in steps:
        name, role = step["name"], step.get("assignee", "")
        if (name.casefold(), role) in told and step["type"] in ("human", "action"):
            yield f"whether {name!r} is done twice or is one step"
        told.add((name.casefold(), role))
        asks_more = step["type"] == "decision" and "(" in name
        signs = set(name.removesuffix("?") + role) & set("?:;|[]{}<")
        if signs or "(" in role or asks_more or name.count("(") != name.count(")"):
            yield f"what {name!r} is"
        if step["type"] != "decision" and name.casefold().startswith(("not ", "no ")):
            yield f"whether {name!r} is a step"
        if step["type"] == "decision" and len(out.get(step["id"], ())) < 2:
            yield f"the condition {name!r}"
    scopes = {step["id"]: step.get("parent") for step in steps}
    loops = {parent for parent in scopes.values() if parent}
    for edge in transitions:
        if scopes[edge["from"]] != scopes[edge["to"]]:
            yield f"what goes on in or out of {next(one['name'] for one in steps if one['id'] in loops)!r}"
    for step in steps:
        if step["type"] != "end" and not out.get(step["id"]) and not step.get("parent"):
            yield f"what comes after {step['name']!r}"
    yield from _doubts_of_verdicts(steps, transitions, out)
    yield from _doubts_of_cases(steps, transitions)
    yield from _doubts_of_questions(steps, transitions)
    yield from _doubts_of_labels([step["name"] for step in steps if step["type"] in ("human", "action")])
    for step in [one for one in steps if one["id"] not in into and not one.get("parent")][1:]:
        if step["type"] != "end":
            yield f"what comes before {step['name']!r}"


def _doubts_of_verdicts(steps: Documents, transitions: Documents, out: Mapping[str, set[str]]) -> Iterable[str]:
    """Return verdicts of which only the good one is told, and whose other way would go on as if it had been good.

    "If both agree, HR makes an offer. The candidate answers" hardly means that a candidate answers without one.
    """
    ends = {one["id"] for one in steps if one["type"] == "end"}
    for own in [one["id"] for one in steps if one["type"] == "decision"]:
        told = [edge for edge in transitions if edge["from"] == own and edge.get("when")]
        others = [edge["to"] for edge in transitions if edge["from"] == own and edge.get("type") == "default"]
        if len(told) != 1 or len(others) != 1 or not _is_good(told[0]["when"]):
            continue
        seen, waiting = {own}, {told[0]["to"]}
        while waiting:
            at = waiting.pop()
            seen.add(at)
            waiting |= out.get(at, set()) - seen
        if others[0] in seen - ends - {own}:
            yield f"what happens if not {told[0]['when']!r}"


def _is_good(condition: str) -> bool:
    words, denied = _said(condition)
    said = {token.lower for token in read_tokens(condition)} | words
    return not denied and bool(said & word_set("good")) and not said & word_set("bad")


def _doubts_of_cases(steps: Documents, transitions: Documents) -> Iterable[str]:
    """Return cases of amounts, told one after the other, that may be of one question."""
    compared = {one["id"]: one["name"] for one in steps if one["type"] == "decision" and _compares(one["name"])}
    others = {edge["from"]: edge["to"] for edge in transitions if edge.get("type") == "default"}
    for one, name in compared.items():
        if (following := others.get(one)) in compared:
            yield f"whether {name!r} and {compared[following]!r} are cases of one question"


def _doubts_of_questions(steps: Documents, transitions: Documents) -> Iterable[str]:
    """Return conditions that deny another one: beside a third they are asked later, behind it they are a case of it."""
    asked = [(edge["from"], edge["when"], _said(edge["when"])) for edge in transitions if edge.get("when")]
    decisions = {one["id"] for one in steps if one["type"] == "decision"}
    cases = Counter(at for at, _, _ in asked)
    for (at, when, said), (place, other, its) in combinations([one for one in asked if one[0] in decisions], 2):
        denies = _denies(said, its)
        if denies and (at != place or cases[at] > 2):
            yield f"whether {when!r} and {other!r} are cases of one question"
        elif at == place and said[1] == its[1] and (1 < len(said[0]) < len(its[0]) and said[0] < its[0]):
            yield f"whether {other!r} is asked behind {when!r}"


def _said(condition: str) -> tuple[frozenset[str], bool]:
    """Return the words of a condition that say something, and whether it denies them."""
    tokens = [token for token in read_tokens(condition) if token.kind == "word"]
    denials = sum(token.lower in word_set("set.negations") for token in tokens)
    return frozenset(token.lemma for token in tokens if token.is_content), denials % 2 == 1


def is_denial(one: str, other: str) -> bool:
    """Say whether one of two conditions denies the other: "it is found" and "it is not found"."""
    return _denies(_said(one), _said(other))


def _denies(one: tuple[frozenset[str], bool], other: tuple[frozenset[str], bool]) -> bool:
    """Say whether one condition denies another, or a part of it: "incomplete" denies "paid and complete"."""
    less, more = sorted((one[0], other[0]), key=len)
    turned = {f"{prefix}{word}" for word in more for prefix in _DENYING} & less
    turned |= {word for word in less if any(f"{prefix}{word}" in more for prefix in _DENYING)}
    if turned:
        return one[1] == other[1]
    return bool(less) and (less == more or (len(less) > 1 and less < more)) and one[1] != other[1]


def without_echoes(steps: Documents, transitions: Documents) -> tuple[Documents, Documents]:
    """Return a graph in which no question stands behind the "otherwise" of the one that it denies.

    "If there are mistakes it goes back, without mistakes the teacher gives a mark" is one question.
    """
    for echo in [one["id"] for one in steps if one["type"] == "decision"]:
        into = [edge for edge in transitions if edge["to"] == echo]
        out = [edge for edge in transitions if edge["from"] == echo and edge.get("when")]
        if len(into) != 1 or len(out) != 1 or into[0].get("type") != "default":
            continue
        words, denied = _said(out[0]["when"])
        asked = [edge["when"] for edge in transitions if edge["from"] == into[0]["from"] and edge.get("when")]
        if words and [_said(one) for one in asked] == [(words, not denied)]:
            kept = [edge for edge in transitions if echo not in (edge["from"], edge["to"])]
            transitions = [*kept, {**into[0], "to": out[0]["to"]}]
            steps = [one for one in steps if one["id"] != echo]
    return steps, transitions


def _doubts_of_labels(names: Sequence[str]) -> Iterable[str]:
    """Return steps that may be no work: cases with a name, "Grade A" and "Grade B", and what begins in mid-phrase."""
    counted = Counter(" ".join(name.casefold().split()[:-1]) for name in names if 1 < len(name.split()) < 4)
    for name in names:
        words = read_tokens(name)
        *head, last = name.casefold().split()
        designated = len(last) == 1 or last.isdigit()
        if head and designated and counted[" ".join(head)] > 1:
            yield f"whether {name!r} is a step or a case"
        if words and words[0].has("prep") and not words[0].has("verb", "noun", "adj", "adv"):
            yield f"whether {name!r} is a step"


def doubts_of_cases_told(parts: Sequence[Part]) -> Iterable[str]:
    """Return cases that may be none: in front of all steps without a word for a case, or behind one that is late."""
    first = next((at for at, part in enumerate(parts) if part.role in STEPS), len(parts))
    for at, part in enumerate(parts):
        if part.role != "if":
            continue
        said = (*part.before[-2:], *part.tokens[:2])
        if at < first and not any(token.among("doubts.cases") or token.is_("when", "case") for token in said):
            yield f"whether {part.said!r} is a case"
        elif part.begins_sentence and acts_when_late(parts[:at]):
            yield f"whether {part.said!r} is asked where it was late, too"


def _compares(text: str) -> bool:
    tokens = read_tokens(text)
    return any(comparison_end(tokens, at) is not None for at in range(len(tokens))) or "between" in text.casefold()


def doubts_of_text(tokens: Sequence[Token], arguments: JsonObject) -> Iterable[str]:
    """Return what a text tells and the graph has no counterpart of: a case, a loop, work at once, a time."""
    steps, transitions = arguments["steps"], arguments["transitions"]
    kinds = {one["type"] for one in arguments["triggers"]}
    pairs = zip((None, *tokens), tokens, strict=False)
    words = [token for before, token in pairs if token.kind == "word" and not (before and before.has("det"))]
    cases = [token for token in words if token.among("doubts.cases")]
    cases = [token for token in cases if token.lower != "whether"] or cases
    cases = [token for token in cases if not ("event" in kinds and token.lower == "whenever")]
    turned = {token for token, behind in pairwise(words) if behind.lower in ANSWERS}
    asked = [token for token in cases if not token.among("doubts.others") and token not in turned]
    ways = sum(bool(edge.get("when") or edge.get("type") == "error") for edge in transitions)
    ways += sum(" if " in step["name"] for step in steps)
    held = sum(bool(step.get("escalate_to") or step.get("retry")) for step in steps) + ("event" in kinds)
    others = sum(edge.get("type") == "default" for edge in transitions)
    if len(asked) > ways + held or len(cases) - len(asked) > others + held + ways:
        yield f"one of the cases told with {cases[-1].text!r}"
    maybe = [token for token in words if token.among("doubts.optional")]
    if maybe and not ways:
        yield f"when it is done, told with {maybe[0].text!r}"
    again = [token for token in words if token.among("doubts.again")]
    drawn = any(step["name"].endswith(" again") for step in steps)
    leads_back = _has_loop(steps, transitions)
    if again and not drawn and not leads_back:
        yield f"the loop told with {again[0].text!r}"
    if again and drawn and leads_back:
        yield f"what is repeated, told with {again[0].text!r}"
    forks = [step for step in steps if step["type"] == "fork"]
    if says_at_once(tokens) and not forks:
        yield "what happens at the same time"
    waits = any(other.is_("both") and one.is_("after", "once", "when") for one, other in pairwise(words))
    if forks and waits and not any(step["type"] == "join" for step in steps):
        yield "what comes after both"
    for at, token in enumerate(tokens[1:], 1):
        # Its parts are read as sentences of their own: "at the same time: x; y".
        if token.text == ":" and tokens[at - 1].lower in ("time", "parallel", "once", "simultaneously", "meanwhile"):
            ends = next((one.text for one in tokens[at + 1 :] if one.text in ";.!?" or one.kind == "break"), "")
            if ends == ";":
                yield f"what happens at the same time, told with {text_of(tokens[max(at - 4, 0) : at])!r}"
    if {"event", "schedule"} <= kinds:
        yield "whether all of it is done however it starts"
    timed = sum(bool(step.get("timeout")) + bool(step.get("duration")) for step in steps)
    timed += sum("interval" in step.get("retry", ()) for step in steps)
    timed += sum(bool(durations_in(read_tokens(edge["when"]))) for edge in transitions if edge.get("when"))
    times = {found.value: text_of(tokens[first : found.end]) for first, found in durations_in(tokens)}
    if len(times) > timed + ("schedule" in kinds):
        yield f"one of the {len(times)} times" if len(times) > 1 else f"the time {next(iter(times.values()))!r}"


def says_at_once(tokens: Sequence[Token]) -> bool:
    """Say whether words tell that some things happen together."""
    pairs = ((one.lower, other.lower) for one, other in pairwise(tokens))
    return any(token.among("doubts.together") for token in tokens) or ("same", "time") in pairs


def _has_loop(steps: Documents, transitions: Documents) -> bool:
    rank = {step["id"]: at for at, step in enumerate(steps)}
    back = any(rank[edge["to"]] <= rank[edge["from"]] for edge in transitions)
    return back or any(step["type"] == "loop" or step.get("retry") for step in steps)
