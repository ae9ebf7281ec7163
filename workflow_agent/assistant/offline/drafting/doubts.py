"""What in a draft may have been read wrongly: a doubt makes it a preview, and names its place."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from workflow_agent.assistant.offline.drafting.conditions import comparison_end, text_of
from workflow_agent.assistant.offline.drafting.details import Details
from workflow_agent.assistant.offline.drafting.grammar import Clause, is_role
from workflow_agent.assistant.offline.drafting.naming import bare
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import durations_in

_MOST_WORDS: Final = 13
_MOST_ROLE_WORDS: Final = 4


def doubt_of_step(clause: Clause, details: Details, who: Sequence[Token]) -> str | None:
    """Return what may be wrong in a step: a second verb in its object, a strange role, a number."""
    rest = details.rest
    if clause.verb in ("skip", "omit", "waive"):
        return f"{text_of(clause.tokens)[:100]!r}"
    if rest and (
        rest[0].lower in ("and", "or", "but")
        or any(token.lower in ("run", "runs", "happen", "n", "forth") for token in rest[1:])
    ):
        return f"{text_of(clause.tokens)[:100]!r}"
    if (verb := second_verb(clause, rest)) is not None:
        return f"{text_of(clause.tokens)[:100]!r}: is {verb.text!r} a step of its own?"
    if len(rest) > _MOST_WORDS:
        return f"{text_of(clause.tokens)[:100]!r}: it is long"
    counted = next(
        (
            token
            for token in who
            if token.value is not None
            and token.value > 1
            and token.lower not in ("second", "third", "fourth", "fifth")
        ),
        None,
    )
    if counted is not None:
        return f"how many: {text_of(who)!r}"
    role = bare(who)
    odd = len(role) > _MOST_ROLE_WORDS or any(
        token.kind == "number"
        or (token.has("conj", "pron", "aux") and token.text != "IT")
        or token.lower == "or"
        for token in role[1:]
    )
    if odd:
        return f"who does {text_of(clause.tokens)[:100]!r}"
    if any(token.kind == "punct" and token.text in "<>=?" for token in rest):
        return f"{text_of(clause.tokens)[:100]!r}"
    return None


def doubt_of_words(clause: Clause, rest: Sequence[Token]) -> str | None:
    """Return what of a step's words its name cannot tell: another clause, an amount, a time, a case."""
    said = f"{text_of(clause.tokens)[:100]!r}"
    for at, token in enumerate(rest):
        low = token.lower
        if token.kind == "quoted" or token.text == "IT":
            continue
        if comparison_end(rest, at) is not None or token.among("doubts.turns"):
            return f"{low!r} in {said}"
        if at and (
            low in word_set("set.nominative") - {"one", "it"} or (low == "it" and _acts_next(rest, at))
        ):
            return f"{low!r} in {said}"
        after = rest[at + 1] if at + 1 < len(rest) else None
        if low == "by" and after is not None and (is_role(rest[-1]) or after.text[:1].isupper()):
            return f"who does {said}"
        if low == "by" and any(one.value is not None for one in rest[at + 1 : at + 4]):
            return f"the time in {said}"
    subject = clause.subject
    told_apart = subject and (
        subject[0].lower in word_set("good") | word_set("bad")
        or (subject[0].entry.form in ("ed", "base ed") and not subject[0].has("noun"))
    )
    if len(subject) > 1 and told_apart:
        return f"which case {said} is for"
    return None


def _acts_next(rest: Sequence[Token], at: int) -> bool:
    after = rest[at + 1] if at + 1 < len(rest) else None
    return after is not None and (after.has("aux") or "s" in after.entry.form.split())


def second_verb(clause: Clause, rest: Sequence[Token]) -> Token | None:
    """Return a word behind "and", "or" or a comma that may be a further verb of the clause, or None."""
    wanted = {"aux": "base", "ing": "ing"}.get(clause.form, clause.form)
    wanted = "ed" if clause.voice == "passive" else wanted
    for before, token in itertools.pairwise(rest):
        forms = token.entry.form.split() if token.has("verb") and not token.has("aux", "det", "prep") else []
        if before.lower in ("and", "or", ",", "but", "then") and (
            wanted in forms or (forms and not token.has("noun", "adj"))
        ):
            return token
        if (
            token.has("aux")
            and token.text != "IT"
            and before.lower not in word_set("doubts.second_verb.who")
            and not _in_clause(rest, token)
        ):
            return token
        plain = (
            "s" in forms
            and not token.has("noun")
            and before.has("noun", "pron")
            and not _in_clause(rest, token)
        )
        if plain:
            return token
    return None


def _in_clause(rest: Sequence[Token], verb: Token) -> bool:
    """Say whether a verb belongs to a clause in the object: "what is missing", "goods that arrive"."""
    at = rest.index(verb)
    return any(token.lower in word_set("doubts.in_clause.who") for token in rest[max(0, at - 8) : at])


def doubt_of_condition(tokens: Sequence[Token], clause: Clause | None) -> str | None:
    """Return what may be wrong in a condition: a second clause that was not parted from it."""
    if all(token.has("aux", "neg", "det", "pron") or token.among("doubts.days") for token in tokens) or any(
        token.among("doubts.repeats") for token in tokens
    ):
        return f"the condition {text_of(tokens)!r}"
    told = clause.rest if clause is not None else tokens
    verbs = [
        token
        for before, token in zip((None, *told), told, strict=False)
        if (
            (token.has("aux") and token.text != "IT" and token.lower not in ("be", "been"))
            or (token.has("verb") and "s" in token.entry.form.split() and not token.has("noun"))
        )
        and (before is None or before.lower not in word_set("doubts.doubt_of_condition.that"))
        and not (before is not None and before.has("aux"))
    ]
    most = 0 if clause is not None else 1
    if (len(verbs) > most and not _in_clause(told, verbs[-1])) or len(tokens) > 16:
        return f"the condition {text_of(tokens)[:120]!r}"
    return None


def doubts_of_graph(
    steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]
) -> Iterable[str]:
    """Return what may be wrong in the graph: a question without arms, a step that nothing leads to."""
    out: dict[str, set[str]] = {}
    into: set[str] = set()
    for edge in transitions:
        out.setdefault(edge["from"], set()).add(edge["to"])
        into.add(edge["to"])
    names = {step["id"]: step["name"] for step in steps}
    told: set[tuple[str, str]] = set()
    for step in steps:
        told_as = (step["name"].casefold(), step.get("assignee", ""))
        if told_as in told and step["type"] in ("human", "action"):
            yield f"whether {step['name']!r} is done twice or is one step"
        told.add(told_as)
    for step in steps:
        if step["type"] == "decision" and len(out.get(step["id"], ())) < 2:
            yield f"the condition {step['name']!r}"
    for step in steps[1:]:
        if step["id"] not in into and not step.get("parent"):
            yield f"what comes before {names[step['id']]!r}"


def doubts_of_text(
    tokens: Sequence[Token], steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]
) -> Iterable[str]:
    """Return what a text tells and the graph has no counterpart of: a case, a loop, work at once, a time."""
    words = [token for token in tokens if token.kind == "word"]
    cases = [token for token in words if token.among("doubts.cases")]
    arms = [edge for edge in transitions if edge.get("when") or edge.get("type") in ("default", "error")]
    held = [step for step in steps if step.get("escalate_to") or step.get("when")]
    if len(cases) > len(arms) + len(held):
        yield f"one of the cases told with {cases[-1].text!r}"
    again = [token for token in words if token.among("doubts.again")]
    again += [
        token for token, after in itertools.pairwise(words) if token.is_("back", "return") and after.is_("to")
    ]
    if again and not _has_loop(steps, transitions):
        yield f"the loop told with {again[0].text!r}"
    together = [token for token in words if token.among("doubts.together")]
    if together and not any(step["type"] == "fork" for step in steps):
        yield f"what happens at the same time, told with {together[0].text!r}"
    timed = sum(bool(step.get("timeout")) + bool(step.get("duration")) for step in steps)
    if (told := len(durations_in(words_and_numbers(tokens)))) > timed:
        yield f"one of the {told} times"


def doubts_of_loops(
    steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]
) -> Iterable[str]:
    """Return each way back of a graph: where a loop begins, prose seldom says plainly."""
    rank = {step["id"]: at for at, step in enumerate(steps)}
    names = {step["id"]: step["name"] for step in steps}
    for edge in transitions:
        if rank[edge["to"]] <= rank[edge["from"]]:
            yield f"the way back from {names[edge['from']]!r} to {names[edge['to']]!r}"


def words_and_numbers(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens without what stands in quotes, which is a name."""
    return [token for token in tokens if token.kind != "quoted"]


def _has_loop(steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]) -> bool:
    rank = {step["id"]: at for at, step in enumerate(steps)}
    back = any(rank[edge["to"]] <= rank[edge["from"]] for edge in transitions)
    return back or any(step["type"] == "loop" or step.get("retry") for step in steps)
