"""What a draft may have wrong: structure told in words that no part of the graph stands for."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice, pairwise
from typing import Any, Final

from workflow_agent.assistant.offline.drafting.clauses import Clause
from workflow_agent.assistant.offline.drafting.conditions import comparison_end
from workflow_agent.assistant.offline.drafting.phrases import bare, is_role, text_of
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.assistant.offline.values import duration_at, durations_in
from workflow_agent.values.stored import JsonObject

_ACTING: Final = frozenset({"he", "she", "they", "we", "i"})
_DENYING: Final = ("un", "in", "im", "ir", "il", "dis", "non", "non-")
_LONGEST_REST: Final = 11
_LONGEST_CONDITION: Final = 16


def doubts_of_step(clause: Clause, *, is_case: bool = False) -> list[str]:
    """Return the first thing that the words of a step's name tell of a branch, a loop, a time or further work."""
    said = text_of(clause.tokens[:40])[:120]
    found = list(islice(_in_words(clause.rest), 1))
    inner = _finite(clause)
    asks = clause.verb in ("let", "have", "make", "get", "help") or "T" in inner
    if not found and (any(tag in "ZEAH" for tag in inner) or (not asks and any(tag in "UB" for tag in inner[:-1]))):
        found.append(f"whether {said!r} is one step")
    limited = any(token.lower in word_set("doubts.limits") for token in clause.subject)
    counted = any(token.kind == "number" or token.value is not None for token in clause.subject[:-1])
    several = counted and not (clause.subject and is_role(clause.subject[-1])) and clause.subject[0].lower != "one"
    if ((limited or several) and not is_case) or clause.is_negated or clause.verb in ("skip", "omit", "waive"):
        found.append(said)
    if clause.voice == "passive" and not is_case:
        found += list(islice(_in_words(clause.subject), 1))
    return found


def _finite(clause: Clause) -> str:
    """Return the finite verbs' tags behind the verb, up to a relative word."""
    return clause.rest_tags.partition("W")[0]


def _in_words(tokens: Sequence[Token]) -> Iterable[str]:
    said = text_of(tokens[:40])[:100]
    for at, token in enumerate(tokens):
        if (token.text == "," and token.kind == "punct") or comparison_end(tokens, at) is not None:
            yield f"whether {said!r} is one step"
        if token.kind != "word" or token.text == "IT":
            continue
        if token.lower == "or":
            yield f"which of {said!r}"
        before = tokens[at - 1] if at else None
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        dated = any(one.value is not None or one.among("doubts.units") for one in tokens[at + 1 : at + 7])
        if (at and token.lower in _ACTING) or (token.lower == "by" and (dated or is_role(tokens[-1]))):
            yield f"{token.lower!r} in {said!r}"
        named = before is not None and before.has("det")
        if token.lower == "whether" or (token.lower == "if" and at == 0):
            continue
        structured = (token.among("doubts.turns") and (named or token.lower != "rest")) or (
            not named and token.lower in word_set("doubts.structure")
        )
        if structured and not (token.lower in ("before", "after", "issues") and behind is None):
            yield f"{token.lower!r} in {said!r}"
        every = before is not None and before.lower == "every" and token.lower.endswith(("nd", "rd", "th"))
        if every or ((token.value or 0) > 2 and behind is not None and behind.lemma == "time"):
            yield f"how often: {said!r}"
        if token.lower in ("each", "either") and behind is None:
            yield f"what {said!r} is about"
        if duration_at(tokens, at) is not None:
            yield f"the time in {said!r}"
    if tokens and tokens[0].lower in ("and", "or", "but"):
        yield said
    if len(tokens) > _LONGEST_REST:
        yield f"{said!r}: it is long"


def doubts_of_condition(sub: Clause) -> list[str]:
    """Return what may be wrong in a condition: nothing said, or a second clause that is no part of it."""
    tokens = sub.tokens
    says = any(token.is_content or token.has("neg") or token.lower in word_set("good") for token in tokens)
    compares = any(token.lower in word_set("set.over") | word_set("set.under") for token in tokens)
    unclear = not (says or compares) or len(tokens) > _LONGEST_CONDITION
    finite = any(tag in "ZEAH" for tag in _finite(sub)) and not any(t.lower in ("and", "or") for t in tokens)
    whatever = sub.verb == "fail" and any(t.lower in ("anything", "any", "something", "either") for t in sub.subject)
    unclear = unclear or whatever or finite or _orders_within(tokens) or any(token.text == "," for token in tokens)
    names = len(tokens) > 1 and tokens[0].has("det") and all(token.has("noun", "name") for token in tokens[1:])
    unclear = unclear or (names and not sub.verb and sub.word.split()[-1] in ("if", "unless", "when"))
    unclear = unclear or sub.is_strange or any(token.among("doubts.repeats") for token in tokens)
    return [f"the condition {text_of(tokens)[:120]!r}"] if unclear else []


def _orders_within(tokens: Sequence[Token]) -> bool:
    """Say whether a condition goes on with an order: "the payment is ok print the card"."""
    for at in range(2, len(tokens) - 1):
        before, token, behind = tokens[at - 1 : at + 2]
        leads = before.has("aux", "prep", "conj", "neg", "det", "pron") or before.lower == "to"
        is_bare = token.has("verb") and "base" in token.entry.form.split()
        if is_bare and behind.has("det") and not leads and any(one.has("verb", "aux") for one in tokens[:at]):
            return True
    return False


def doubts_of_graph(steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]) -> Iterable[str]:
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
    yield from _doubts_of_verdicts(steps, transitions, out)
    yield from _doubts_of_cases(steps, transitions)
    yield from _doubts_of_questions(steps, transitions)
    yield from _doubts_of_labels([step["name"] for step in steps if step["type"] in ("human", "action")])
    for step in [one for one in steps if one["id"] not in into and not one.get("parent")][1:]:
        if step["type"] != "end":
            yield f"what comes before {step['name']!r}"


def _doubts_of_verdicts(
    steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]], out: Mapping[str, set[str]]
) -> Iterable[str]:
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


def _doubts_of_cases(steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Return cases of amounts, told one after the other, that may be of one question."""
    compared = {one["id"]: one["name"] for one in steps if one["type"] == "decision" and _compares(one["name"])}
    others = {edge["from"]: edge["to"] for edge in transitions if edge.get("type") == "default"}
    for one, name in compared.items():
        if (following := others.get(one)) in compared:
            yield f"whether {name!r} and {compared[following]!r} are cases of one question"


def _doubts_of_questions(steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]) -> Iterable[str]:
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


def _denies(one: tuple[frozenset[str], bool], other: tuple[frozenset[str], bool]) -> bool:
    """Say whether one condition denies another, or a part of it: "incomplete" denies "paid and complete"."""
    less, more = sorted((one[0], other[0]), key=len)
    turned = {f"{prefix}{word}" for word in more for prefix in _DENYING} & less
    turned |= {word for word in less if any(f"{prefix}{word}" in more for prefix in _DENYING)}
    if turned:
        return one[1] == other[1]
    return bool(less) and (less == more or (len(less) > 1 and less < more)) and one[1] != other[1]


def without_echoes(
    steps: Sequence[JsonObject], transitions: Sequence[JsonObject]
) -> tuple[Sequence[JsonObject], Sequence[JsonObject]]:
    """Return a graph in which no question stands behind the "otherwise" of the one that it denies.

    "If there are mistakes it goes back, without mistakes the teacher gives a mark" is one question.
    """
    for echo in [one["id"] for one in steps if one["type"] == "decision"]:
        into = [edge for edge in transitions if edge["to"] == echo]
        out = [edge for edge in transitions if edge["from"] == echo and edge.get("when")]
        if len(into) != 1 or len(out) != 1 or into[0].get("type") != "default":
            continue
        denied, its = (
            _said(out[0]["when"]),
            [_said(edge["when"]) for edge in transitions if edge["from"] == into[0]["from"] and edge.get("when")],
        )
        if len(its) == 1 and its[0][0] == denied[0] != frozenset() and its[0][1] != denied[1]:
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


def _compares(text: str) -> bool:
    tokens = read_tokens(text)
    return any(comparison_end(tokens, at) is not None for at in range(len(tokens))) or "between" in text.casefold()


def doubts_of_text(tokens: Sequence[Token], arguments: JsonObject) -> Iterable[str]:
    """Return what a text tells and the graph has no counterpart of: a case, a loop, work at once, a time."""
    steps, transitions = arguments["steps"], arguments["transitions"]
    kinds = {one["type"] for one in arguments["triggers"]}
    words = [
        token
        for before, token in zip((None, *tokens), tokens, strict=False)
        if token.kind == "word" and not (before is not None and before.has("det"))
    ]
    cases = [token for token in words if token.among("doubts.cases")]
    cases = [token for token in cases if token.lower != "whether"] or cases
    cases = [token for token in cases if not ("event" in kinds and token.lower == "whenever")]
    turned = {at for at, behind in pairwise(words) if behind.lower in ("not", "no", "so", "yes")}
    asked = [token for token in cases if not token.among("doubts.others") and token not in turned]
    ways = sum(bool(edge.get("when") or edge.get("type") == "error") for edge in transitions)
    ways += sum(" if " in step["name"] for step in steps)
    held = sum(bool(step.get("escalate_to") or step.get("retry")) for step in steps) + ("event" in kinds)
    others = sum(edge.get("type") == "default" for edge in transitions)
    if len(asked) > ways + held or len(cases) - len(asked) > others + held + ways:
        yield f"one of the cases told with {cases[-1].text!r}"
    again = [token for token in words if token.among("doubts.again")]
    drawn = any(step["name"].endswith(" again") for step in steps)
    if again and not drawn and not _has_loop(steps, transitions):
        yield f"the loop told with {again[0].text!r}"
    together = [token for token in words if token.among("doubts.together")]
    if together and not any(step["type"] == "fork" for step in steps):
        yield f"what happens at the same time, told with {together[0].text!r}"
    for at, token in enumerate(tokens[1:], 1):
        # Its parts are read as sentences of their own: "at the same time: x; y".
        if token.text == ":" and tokens[at - 1].lower in ("time", "parallel", "once", "simultaneously", "meanwhile"):
            ends = next((one.text for one in tokens[at + 1 :] if one.text in ";.!?" or one.kind == "break"), "")
            if ends == ";":
                yield f"what happens at the same time, told with {text_of(tokens[max(at - 4, 0) : at])!r}"
    timed = sum(bool(step.get("timeout")) + bool(step.get("duration")) for step in steps)
    timed += sum(bool(durations_in(read_tokens(edge["when"]))) for edge in transitions if edge.get("when"))
    count = len({found.value for _, found in durations_in(tokens)})
    if count > timed + ("schedule" in kinds):
        yield f"one of the {count} times"


def _has_loop(steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]) -> bool:
    rank = {step["id"]: at for at, step in enumerate(steps)}
    back = any(rank[edge["to"]] <= rank[edge["from"]] for edge in transitions)
    return back or any(step["type"] == "loop" or step.get("retry") for step in steps)


def tells_kind(clause: Clause, known: set[str]) -> bool:
    """Say whether a passive is about a kind of what was told: "junk mail is thrown away"."""
    said = bare(clause.subject)
    if clause.voice != "passive" or len(said) < 2:
        return False
    first = said[0]
    verdict = first.lower in word_set("good") | word_set("bad")
    return (said == clause.subject and said[-1].lemma in known) or (verdict and clause.subject[0].has("det"))
