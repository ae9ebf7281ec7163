"""From a description in words to the draft of a workflow, every content word accounted for."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workflow_agent.assistant.offline.drafting.doubts import (
    ANSWERS,
    doubts_of_cases_told,
    doubts_of_graph,
    doubts_of_text,
    is_denial,
    without_echoes,
)
from workflow_agent.assistant.offline.drafting.drawing import Drawing
from workflow_agent.assistant.offline.drafting.parts import STEPS, Part
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.mood import letter_itself
from workflow_agent.assistant.offline.naming import name_of
from workflow_agent.assistant.offline.nlu.encoder import OUTSIDE, encoder
from workflow_agent.assistant.offline.nlu.tagging import ASIDE, FLOW, NO_WORDS, likelihood, marks_of, words_with
from workflow_agent.assistant.offline.phrases import capitalized, in_small_letters, text_of
from workflow_agent.assistant.offline.references import akin
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, split_fences
from workflow_agent.assistant.offline.values import times_at
from workflow_agent.values.stored import JsonObject

UNNAMED: Final = "New workflow"
_MOST_DESCRIBED: Final = 2_000
_MOST_TOKENS: Final = 1_000
"""Read of a description; more would be more steps than are drawn."""
_MOST_AT_ONCE: Final = 180
"""Words that the encoder reads at once, sentences being kept whole where they are no longer."""
_MOST_TOLD: Final = 12
_NO_WORK: Final = frozenset({"decision", "fork", "join", "loop", "event", "wait", "end"})
_SURE: Final = 0.6
"""How probable it must be that words are what they are drawn as."""
_SURE_OF_ALL: Final = 0.8
"""The same of all parts together: of 589 descriptions 46 % are right so and 0.8 % wrong (ADR 0140)."""
_PLAIN: Final = 0.9
"""How probable it must be that a word outside of all parts only leads from one to the next."""
_LEADS: Final = 0.5
"""The same of a word that others were told with so."""
_FEWEST: Final = 2
_LONGEST_TITLE: Final = 4
_TITLES: Final = ("name", ASIDE, OUTSIDE)
"""What words may be that are in no part of the graph."""
_ASKING: Final = ("if", "else")
_STOPS: Final = (".", "!", "?", ";", "->", "=>")


@dataclass(frozen=True, slots=True)
class Drafted:
    """A workflow read from a description."""

    arguments: JsonObject
    """Of `create_workflow`, the name included; "New workflow" stands for none."""
    name: str | None
    """Read from the description; None when none is a good phrase: the reply asks for one."""
    unread: tuple[str, ...] = ()
    """Content words of the description that belong to no part of the draft, as written, in their order."""
    undrawn: tuple[str, ...] = ()
    """Readable: each branch, number, deadline, loop or exception of the text that is not in the draft."""

    @property
    def size(self) -> int:
        """How many steps of work there are."""
        return sum(step["type"] not in _NO_WORK for step in self.arguments["steps"])


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The words of a description with what each of them is."""

    tokens: Tokens
    labels: Sequence[str]
    sure: Sequence[float]
    alike: Sequence[float]
    """Of each word, how probable it is that it is what it is taken for, or another thing that may come to the same."""


def tells_work(text: str) -> float:
    """Return how probable the encoder holds it that a text describes work at all, from 0 to 1."""
    tokens = _words_of(text)
    return likelihood(tokens) if any(token.kind == "word" for token in tokens) else 0.0


def _words_of(text: str) -> Tokens:
    return read_tokens(letter_itself(split_fences(text)[0]))


def read_description(text: str) -> Drafted | None:
    """Return the workflow that a text describes, or None when it describes none."""
    tokens = _words_of(text)
    tokens, rest = tokens[:_MOST_TOKENS], tokens[_MOST_TOKENS:]
    if not any(token.kind == "word" for token in tokens):
        return None
    labelled = _labelled(tokens)
    parts = parts_of(labelled.tokens, labelled.labels, labelled.sure, labelled.alike)
    if not any(part.role in STEPS for part in parts):
        return None
    drawing = Drawing()
    drawing.draw(parts)
    if not drawing.graph.worked():
        return None
    draft = _drafted(text, drawing, labelled, parts)
    left = (f"what comes from {text_of(rest[:20])[:100]!r} on",) if rest else ()
    return replace(draft, undrawn=(*draft.undrawn, *left))


def _labelled(tokens: Tokens) -> _Labelled:
    """Return what each word is, as far as the encoder can tell."""
    labels, sure, alike = list[str](), list[float](), list[float]()
    for window in _windows(tokens):
        scores = encoder("flows").read(tuple(token.text for token in window), tuple(marks_of(window, NO_WORDS)))
        found, each = scores.labelled(FLOW)
        labels += found
        sure += each
        pooled = [(some, scores.one_of(some, FLOW)) for some in (("do", "in"), _TITLES, _ASKING)]
        groups = {one: shares for some, shares in pooled for one in some}
        alike += [groups[label][at] if label in groups else each[at] for at, label in enumerate(found)]
    return _Labelled(tokens, labels, sure, alike)


def _windows(tokens: Tokens) -> Iterable[Tokens]:
    """Yield the sentences of a text, as many together as are read at once."""
    while len(tokens) > _MOST_AT_ONCE:
        ends = range(_MOST_AT_ONCE, _MOST_AT_ONCE // 3, -1)
        stops = (at for at in ends if tokens[at - 1].kind == "break" or tokens[at - 1].text in _STOPS)
        end = next(stops, _MOST_AT_ONCE)
        yield tokens[:end]
        tokens = tokens[end:]
    if tokens:
        yield tokens


def parts_of(tokens: Tokens, labels: Sequence[str], sure: Sequence[float], alike: Sequence[float]) -> list[Part]:
    """Return the runs of words that are one thing each."""
    found: list[Part] = []
    before: list[Token] = []
    at = 0
    while at < len(tokens):
        end, label = at, labels[at]
        while end < len(tokens) and labels[end] == label != OUTSIDE and tokens[end].kind not in ("break", "bullet"):
            end += 1
        if label == OUTSIDE and (times := times_at(tokens, at)) is not None and times.value > 1:
            # "Up to 3 times", where it is taken for words that only lead on.
            end = times.end
            found.append(Part("num", tokens[at:end], tuple(before)))
            before = []
        elif not any(_says_something(token, label) for token in tokens[at:end]):
            end = max(end, at + 1)
            before += tokens[at:end]
        else:
            run = tokens[at:end]
            said = (in_small_letters(run[0]), *run[1:])
            found.append(Part(label, said, tuple(before), min(sure[at:end]), min(alike[at:end])))
            before = []
        at = end
    return found


def _says_something(token: Token, label: str) -> bool:
    """Say whether a word can be a part by itself: no sign, and of a step more than "has" or "lets it"."""
    means_little = token.has("aux", "pron") or token.lower in ("let", "lets")
    return token.kind != "punct" and not (label in STEPS and means_little)


def _drafted(text: str, drawing: Drawing, labelled: _Labelled, parts: Sequence[Part]) -> Drafted:
    graph = drawing.graph
    _end(drawing)
    steps, transitions = without_echoes(*graph.documents())
    name = drawing.name or _name_asked(parts) or name_of_start(drawing.triggers, steps)
    arguments: JsonObject = {
        "name": name or UNNAMED,
        "description": text.strip()[:_MOST_DESCRIBED],
        "steps": steps,
        "transitions": transitions,
        "triggers": drawing.triggers or [{"type": "manual"}],
        "start": steps[0]["id"],
    }
    _name_alike(steps)
    undrawn = [*drawing.undrawn, *(f"what {part.said!r} is" for part in unsure(drawing.parts))]
    undrawn += [*doubts_of_cases_told(parts), *doubts_of_graph(steps, transitions)]
    if not undrawn:
        undrawn += doubts_of_text(labelled.tokens, arguments)
    undrawn = list(dict.fromkeys(undrawn))
    if len(undrawn) > _MOST_TOLD:
        undrawn = [*undrawn[:_MOST_TOLD], f"{len(undrawn) - _MOST_TOLD} more"]
    return Drafted(arguments, name, tuple(_unread(labelled, parts)), tuple(undrawn))


def unsure(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of which it is not sure enough what they are, or the least sure where all together are not.

    "If so" and "if not" behind a question answer it whichever case they are read as, and the graph is the same; so it
    is of a case that denies one before it.
    """
    asked = next((at for at, part in enumerate(parts) if part.role == "if" and not _only_answers(part)), len(parts))
    drawn = [
        (part, part.alike if part.role == "name" or _denies_one(part, parts[:at]) else part.certainty)
        for at, part in enumerate(parts)
        if part.role != ASIDE and not (at > asked and _only_answers(part))
    ]
    found = [part for part, sure in drawn if sure < _SURE]
    if not found and math.prod(sure for _, sure in drawn) < _SURE_OF_ALL:
        return [min(drawn, key=lambda one: one[1])[0]]
    return found


def _denies_one(part: Part, before: Sequence[Part]) -> bool:
    """Say whether a part is a case that denies one before it: "if it is found, ...; if it is not found, ..."."""
    return part.role in _ASKING and any(one.role in _ASKING and is_denial(one.said, part.said) for one in before)


def _only_answers(part: Part) -> bool:
    return part.role in ("if", "else") and {token.lower for token in part.tokens} <= {"if", *ANSWERS}


def _end(drawing: Drawing) -> None:
    track = drawing.track
    for ends, name, outcome in ((track.frontier, "Done", "ok"), (track.ended, "Rejected", "rejected")):
        if ends:
            last = track.graph.add(name, "end", outcome=outcome)
            for end in ends:
                track.graph.lead(end, last.id)


def _unread(labelled: _Labelled, parts: Sequence[Part]) -> Iterable[str]:
    """Yield content words of which it is not sure that they are only said to lead from one part to the next."""
    doubtful = {token.start for part in parts if part.role == ASIDE and part.certainty < _SURE for token in part.tokens}
    behind = (*labelled.tokens[1:], None)
    counted = {token.start for part in parts if part.role == "num" for token in part.tokens}
    for token, label, sure, after in zip(labelled.tokens, labelled.labels, labelled.sure, behind, strict=True):
        if token.start in counted:
            continue
        if label in (OUTSIDE, ASIDE) and _counts(token):
            if (label == OUTSIDE or sure < _PLAIN) and (after is None or after.text != ")"):
                yield token.text
        elif token.is_content and (token.start in doubtful or (label == OUTSIDE and sure < _plain(token))):
            yield token.text


def _counts(token: Token) -> bool:
    """Say whether a word is a number that may be wanted: "5", "twice", and not "one", "first"."""
    small = token.value is None or token.value < _FEWEST or token.is_("first", "second", "third")
    return token.kind == "number" or not (small or token.has("det", "pron"))


def _plain(token: Token) -> float:
    """Return how probable it must be that a word stands in no part, one with which people tell work or any other."""
    return _LEADS if FLOW in words_with().get(token.lemma, ()) else _PLAIN


def _name_asked(parts: Sequence[Part]) -> str | None:
    """Return the name in a request of which no part is one: "build an invoice approval: ..."."""
    said = parts[0].before
    builds = next((at for at, token in enumerate(said) if {token.lemma, token.entry.verb} & word_set("build")), None)
    sign = next((at for at, token in enumerate(said) if token.text in (":", ".")), None)
    if sign is None or (sign > _LONGEST_TITLE if builds is None else sign < builds):
        return None
    named = tuple(token for token in said[builds + 1 if builds is not None else 0 : sign] if not token.has("pron"))
    is_workflow = builds is not None and any(token.among("workflow") for token in named[-1:])
    if said[sign].text == "." and not is_workflow:
        return None
    if said[sign].text == "." or all(token.among("workflow") for token in named if token.is_content):
        named = named[:-1]
    whole = all(token.has("det", "noun", "adj", "name") or not token.entry.known for token in named)
    return name_of(named) if whole and any(token.is_content for token in named) else None


def _name_alike(steps: Sequence[JsonObject]) -> None:
    """Write who does something one way: "Support", where a sentence began with them, as "support" elsewhere."""
    said = {one["assignee"] for one in steps if one.get("assignee")}
    for step in steps:
        for key in ("assignee", "escalate_to"):
            if step.get(key) and step[key].lower() in said:
                step[key] = step[key].lower()


def name_of_start(triggers: Sequence[JsonObject], steps: Sequence[JsonObject]) -> str | None:
    """Return a workflow's name made of what starts it and is approved in it: "Expense approval"; else None."""
    events = [str(one["event"]) for one in triggers if one.get("type") == "event"]
    thing = events[0].partition(".")[0].replace("_", " ") if len(events) == 1 and "." in events[0] else ""
    approves = any(akin(word.lower(), "approve") for step in steps for word in step["name"].split()[:1])
    return f"{capitalized(thing)} approval" if len(thing) > 2 and approves else None
