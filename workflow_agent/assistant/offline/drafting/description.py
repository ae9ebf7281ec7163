"""From a description in words to the draft of a workflow, every content word accounted for."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from workflow_agent.assistant.offline.drafting.clauses import Clause, read_clauses
from workflow_agent.assistant.offline.drafting.doubts import doubts_of_graph, doubts_of_text, without_echoes
from workflow_agent.assistant.offline.drafting.flow import Flow
from workflow_agent.assistant.offline.drafting.graph import End
from workflow_agent.assistant.offline.drafting.lead import (
    closing_at,
    lead_of,
    letter_itself,
    lists_nouns,
    name_at_end,
    only_asks_to_draw,
    says_workflow,
)
from workflow_agent.assistant.offline.drafting.lines import Line, lines_of, parted, take_label
from workflow_agent.assistant.offline.drafting.phrases import bare, capitalized, cased, is_role, phrase_at, text_of
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.references import akin
from workflow_agent.assistant.offline.tokens import Token, Tokens, split_fences
from workflow_agent.values.stored import JsonObject

UNNAMED: Final = "New workflow"
_WORD: Final = re.compile(r"[^\W_]+")
_MOST_DESCRIBED: Final = 2_000
_MOST_TOKENS: Final = 1_500
"""Read of a description; more would be more steps than are drawn."""
_MOST_TOLD: Final = 12
_LONGEST_OCCASION: Final = 6
"""Tokens to the colon of "an employee leaves:"."""
_NO_WORK: Final = frozenset({"decision", "fork", "join", "loop", "event", "wait"})


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


def read_description(text: str) -> Drafted | None:
    """Return the workflow that a text describes, or None when it describes none."""
    prose = split_fences(text)[0]
    lines, rest = _within(lines_of(letter_itself(prose)))
    if not lines or _only_asks(lines):
        return None
    draft = _Description(prose, lines).read()
    if draft is None or not rest:
        return draft
    return replace(draft, undrawn=(*draft.undrawn, f"what comes from {text_of(rest)[:100]!r} on"))


def _within(lines: list[Line]) -> tuple[list[Line], Tokens]:
    """Return the lines that are read, and where those begin that are not."""
    left = _MOST_TOKENS
    for at, line in enumerate(lines):
        if len(line.tokens) > left:
            rest, line.tokens = line.tokens[left : left + 20], line.tokens[:left]
            return [*lines[:at], *([line] if left else [])], rest
        left -= len(line.tokens)
    return lines, ()


def _only_asks(lines: Sequence[Line]) -> bool:
    """Say whether the text asks something instead of telling a process."""
    first = lines[0].tokens
    start = next((token for token in first if not token.has("filler")), first[0])
    asks = start.lower in word_set("description.only_asks.what") and first[-1].text == "?"
    return asks and all(line.tokens[-1].text == "?" or len(line.tokens) < 4 for line in lines)


class _Description:
    """One description while it is read."""

    def __init__(self, text: str, lines: list[Line]) -> None:
        self._text, self._lines = text, lines
        self._flow = Flow()
        self._name: str | None = None
        self._is_requested = False
        self._used: set[int] = set()

    def read(self) -> Drafted | None:
        told = self._told()
        headings: list[Clause] = []
        for at, line in enumerate(told):
            after = told[at + 1] if at + 1 < len(told) else None
            if headings and line.is_item and line.statements:
                line.statements[0].subs[:0] = headings
            headings = headings if after is not None and after.is_item and after.column >= line.column else []
            if _is_heading(line, after):
                headings = [*headings, *line.statements[0].subs]
                continue
            following = after.statements if after is not None else ()
            self._flow.sentence(
                line.statements, role=line.role, following=following, number=line.number, is_item=line.is_item
            )
        self._flow.finish()
        return self._drafted(told)

    def _told(self) -> list[Line]:
        """Return the lines that tell the process, requests and titles taken off, as statements."""
        self._without_closing()
        told: list[Line] = []
        is_open = False
        question: Tokens = ()
        for at, whole in enumerate(self._lines):
            self._without_ordinal(whole)
            if at == 0:
                whole.tokens = _as_occasion(whole.tokens)
            is_list, inherits = self._without_lead(whole, at, not all(map(_is_chatter, told)))
            self._without_ordinal(whole)
            is_list = is_list or is_open
            if not any(token.kind != "punct" for token in whole.tokens):
                is_open = is_list
                continue
            is_open = is_open and whole.is_item
            following = self._lines[at + 1].tokens if at + 1 < len(self._lines) else ()
            parts = parted(whole, is_list=is_list and not whole.is_item, has_told=bool(told))
            for n, line in enumerate(parts):
                after = parts[n + 1].tokens if n + 1 < len(parts) else following
                labelled = bool(told) and told[-1].label is not None
                take_label(line, question, has_told=bool(told), is_labelled=labelled, after=after)
                self._use(line.lead)
                if line.label is not None and not told:
                    self._flow.doubt(f"what is asked before {text_of(line.label.tokens)!r}")
                question = ()
                if not line.tokens:
                    continue
                if line.tokens[-1].text == "?" and len(line.tokens) <= 14 and told:
                    question = tuple(token for token in line.tokens if token.kind != "punct")
                    continue
                line.read()
                if inherits and n == 0 and line.statements:
                    line.statements[0].clause.form = line.statements[0].clause.form or "Z"
                if not told and self._is_title(line, at):
                    continue
                told.append(line)
        return told

    def _is_title(self, line: Line, at: int) -> bool:
        """Take the phrase above a list for its title: "nightly job"."""
        after = self._lines[at + 1] if at + 1 < len(self._lines) else None
        if line.is_item or after is None or not after.is_item or len(line.statements) != 1:
            return False
        only = line.statements[0]
        if only.clause.subject or only.subs or only.marks or len(line.tokens) > 5:
            return False
        if any(token.text == "." for token in line.tokens[-1:]):
            return False
        self._name = self._name or capitalized(cased(bare(line.tokens)))
        self._use(line.tokens)
        if "schedule" in only.clause.values:
            self._flow.triggers.append(only.clause.values["schedule"])
        return True

    def _without_closing(self) -> None:
        """Take thanks and a request for the workflow off the end of the text."""
        while self._lines:
            line = self._lines[-1]
            if len(self._lines) > 1 and (name := name_at_end(line.tokens)) is not None:
                self._name, self._is_requested = name, True
                self._use(line.tokens)
                self._lines.pop()
                continue
            at = closing_at(line.tokens)
            if at is None or (at == 0 and (line.is_signed or len(self._lines) == 1)):
                return
            self._is_requested = self._is_requested or only_asks_to_draw(line.tokens[at:])
            self._use(line.tokens[at:])
            line.tokens = line.tokens[: max(at - 1, 0)]
            if line.tokens:
                return
            self._lines.pop()

    def _without_ordinal(self, line: Line) -> None:
        """Take "second step:" and "phase two:" off a line, which is an item of a list then."""
        end = next((at for at, token in enumerate(line.tokens[:4]) if token.text == ":"), 0)
        said = line.tokens[:end]
        counts = any(token.value is not None or token.lower in ("last", "final", "next") for token in said)
        if counts and end < 4 and any(token.lemma in ("step", "phase", "stage", "part") for token in said):
            self._use(said)
            line.tokens, line.is_item = line.tokens[end + 1 :], True

    def _without_lead(self, line: Line, at: int, has_told: bool) -> tuple[bool, bool]:
        """Take the request or the title off a line; say whether a list follows, and whether the workflow acts."""
        if line.is_item:
            return False, False
        if only_asks_to_draw(line.tokens):
            self._is_requested = True
            self._use(line.tokens)
            line.tokens = ()
            return False, False
        following = self._lines[at + 1] if at + 1 < len(self._lines) else None
        told_next = following is not None and (following.is_item or _starts_clause(following.tokens))
        is_first = at == 0 or (not has_told and self._name is None and at < 3)
        lead = lead_of(line.tokens, told_next=told_next, is_first=is_first)
        if lead is None:
            return False, False
        self._name = self._name or lead.name
        self._is_requested = self._is_requested or lead.is_request
        self._use(line.tokens[: lead.end])
        line.tokens = line.tokens[lead.end :]
        if lead.inherits and line.tokens and line.tokens[0].has("verb") and "s" in line.tokens[0].entry.form.split():
            # "A workflow that backs up the data": no noun can stand there.
            verb = replace(line.tokens[0].entry, classes=frozenset({"verb"}), noun=None)
            line.tokens = (replace(line.tokens[0], entry=verb), *line.tokens[1:])
        starts = _starts_clause(line.tokens)
        alone = lead.is_request and not lead.is_list and len(line.tokens) < 9 and not starts
        if alone and not any(one.voice for one in read_clauses(line.tokens) if not one.is_sub):
            line.tokens = ()
        return lead.is_list and (not starts or lists_nouns(line.tokens)), lead.inherits

    def _use(self, tokens: Iterable[Token]) -> None:
        self._used |= {token.start for token in tokens}

    # ---- the result

    def _drafted(self, told: Sequence[Line]) -> Drafted | None:
        flow = self._flow
        nodes = flow.graph.nodes
        worked = [node for node in nodes if node.document["type"] not in _NO_WORK]
        says = self._is_requested or self._name or any(node.document.get("escalate_to") for node in worked)
        if not worked or (len(worked) < 2 and not says):
            return None
        if not self._is_requested and not self._name and _talks(told):
            return None
        self._end()
        steps, transitions = without_echoes(*flow.graph.documents())
        self._name = self._name or name_of_start(flow.triggers, steps)
        start = next((node.id for node in nodes if not flow.graph.into.get(node.id)), steps[0]["id"])
        arguments: JsonObject = {
            "name": self._name or UNNAMED,
            "description": self._text.strip()[:_MOST_DESCRIBED],
            "steps": steps,
            "transitions": transitions,
            "triggers": flow.triggers or [{"type": "manual"}],
            "start": start,
        }
        _name_alike(steps)
        undrawn = [*flow.undrawn, *doubts_of_graph(steps, transitions)]
        if not undrawn:
            undrawn += doubts_of_text([token for line in self._lines for token in line.tokens], arguments)
        lost = self._lost(arguments)
        structured = word_set("doubts.structure") | word_set("doubts.limits")
        skipped = {token.start for token in lost if token.lower in structured or token.value is not None}
        undrawn += [
            f"{text_of([token for token in line.tokens if token.start in skipped])[:120]!r}"
            for line in self._lines
            if any(token.start in skipped for token in line.tokens)
        ]
        undrawn = list(dict.fromkeys([*undrawn, *self._unmade(lost)]))
        if len(undrawn) > _MOST_TOLD:
            undrawn = [*undrawn[:_MOST_TOLD], f"{len(undrawn) - _MOST_TOLD} more"]
        return Drafted(arguments, self._name, tuple(token.text for token in lost), tuple(undrawn))

    def _end(self) -> None:
        graph, track = self._flow.graph, self._flow.track
        if track.frontier:
            done = graph.add("Done", "end", outcome="ok")
            for end in track.frontier:
                graph.lead(end, done.id)
        if track.ended:
            rejected = graph.add("Rejected", "end", outcome="rejected")
            for end in track.ended:
                graph.lead(End(end.step, end.when, end.type), rejected.id)

    def _lost(self, arguments: JsonObject) -> list[Token]:
        """Return the content words that no part of the draft holds.

        What a reader took for part of a clause must stand in the draft too, if it says something: a clause
        that came to nothing is told by its words. What leads up to the first step need not: it starts the
        workflow, or says what for.
        """
        drawn = set(_WORD.findall(str({**arguments, "description": ""}).lower().replace("_", " ")))
        steps = set(_WORD.findall(str([(one["name"], one.get("assignee")) for one in arguments["steps"]]).lower()))
        events = set(_WORD.findall(str(arguments["triggers"]).lower().replace("_", " ")))
        drawn |= {form for word in drawn for form in _forms_of(word)}
        light = word_set("description.light")
        if any(step.get("escalate_to") for step in arguments["steps"]):
            light |= word_set("description.told")
        tokens = [token for line in self._lines for token in line.tokens]
        first = next((token.start for token in tokens if token.is_content and _stands_in(token, steps)), 0)
        starting = {t.start for one, t in pairwise(tokens) if one.start < first or _stands_in(one, events)}
        light_at = {t.start for t in tokens if {t.lower, t.lemma} & light} | starting
        # Of "within three days" the unit says that it is a time, which is looked for elsewhere; "step 3" is a place.
        near = zip((None, *tokens[:-1]), tokens, (*tokens[1:], None), (*tokens[2:], None, None), strict=False)
        light_at |= {
            token.start
            for before, token, *behind in near
            if token.value is not None
            and ((before and before.lemma == "step") or any(one and {one.lower, one.lemma} & light for one in behind))
        }
        light_at |= {t.start for t in tokens if t.value is not None and f"{t.value:g}" in drawn}
        shown = self._used | self._flow.shown
        return [
            token
            for token in tokens
            if (token.is_content or (token.value is not None and not token.has("pron", "det")))
            and not (token.start in shown or _stands_in(token, drawn))
            and not (token.start in self._flow.used and token.start in light_at)
            and not phrase_at("skipped", [token], 0)
        ]

    def _unmade(self, lost: Sequence[Token]) -> list[str]:
        """Return the clauses whose verb no part of the draft holds, or somebody who is nowhere in it."""
        verbs = [t for t in lost if t.start in self._flow.used and t.entry.form in ("s", "ed") and t.has("verb")]
        people = [t for t in lost if t not in verbs and t.start in self._flow.used and is_role(t)]
        return [*(f"what {token.text!r} tells" for token in verbs), *(f"what {t.text!r} does" for t in people)]


def _name_alike(steps: Sequence[JsonObject]) -> None:
    """Write who does something one way: "Support", where a sentence began with them, as "support" elsewhere."""
    said = {one["assignee"] for one in steps if one.get("assignee")}
    for step in steps:
        if step.get("assignee", "").lower() in said:
            step["assignee"] = step["assignee"].lower()


def _is_heading(line: Line, after: Line | None) -> bool:
    """Say whether a line is a condition for the lines under it."""
    if after is None or not after.is_item or len(line.statements) != 1:
        return False
    only = line.statements[0]
    deeper = after.column > line.column or not line.is_item
    return deeper and not only.clause.tokens and bool(only.subs)


def _as_occasion(tokens: Tokens) -> Tokens:
    """Return "An employee leaves: HR ..." as "when an employee leaves, HR ..."."""
    sign = next((at for at, token in enumerate(tokens[:_LONGEST_OCCASION]) if token.text == ":"), 0)
    clauses = read_clauses(tokens[:sign])
    if len(clauses) != 1 or any(map(says_workflow, tokens[:sign])):
        return tokens
    only = clauses[0]
    if only.is_sub or not only.subject or only.form != "Z" or only.rest or not _starts_clause(tokens[sign + 1 :]):
        return tokens
    start, end = tokens[0].start, tokens[sign].end
    when, comma = Token("when", "word", start, start, entry_of("when")), Token(",", "punct", end, end, entry_of(","))
    return (when, *tokens[:sign], comma, *tokens[sign + 1 :])


def _is_chatter(line: Line) -> bool:
    """Say whether a sentence tells of who speaks, or greets."""
    clauses = [one.clause for one in line.statements]
    return all([t.lower for t in one.subject[:1]] in (["i"], ["we"]) or one.voice in ("", "state") for one in clauses)


def _starts_clause(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence begins with a subject and its verb."""
    first = next(iter(read_clauses(tokens)), None)
    return first is not None and bool(first.voice and first.subject)


def name_of_start(triggers: Sequence[JsonObject], steps: Sequence[JsonObject]) -> str | None:
    """Return a workflow's name made of what starts it and is approved in it: "Expense approval"; else None."""
    events = [str(one["event"]) for one in triggers if one.get("type") == "event"]
    thing = events[0].partition(".")[0].replace("_", " ") if len(events) == 1 and "." in events[0] else ""
    approves = any(akin(word.lower(), "approve") for step in steps for word in step["name"].split()[:1])
    return f"{capitalized(thing)} approval" if len(thing) > 2 and approves else None


def _talks(told: Sequence[Line]) -> bool:
    """Say whether somebody only tells of themselves or of what was: no request, no list, no condition."""
    statements = [one for line in told for one in line.statements]
    if any(line.is_item for line in told) or any(one.subs or one.marks for one in statements):
        return False
    clauses = [one.clause for one in statements]
    past = sum(clause.is_past for clause in clauses)
    oneself = all(any(token.lower in ("i", "me", "my") for token in line.tokens) for line in told)
    return oneself or past > len(clauses) - past


def _forms_of(word: str) -> Iterable[str]:
    entry = entry_of(word)
    return (form for form in (entry.lemma, entry.verb, entry.noun) if form)


def _stands_in(token: Token, drawn: set[str]) -> bool:
    if {token.lower, token.lemma, token.entry.verb, token.entry.noun} & drawn:
        return True
    parts = _WORD.findall(token.text.lower())
    return bool(parts) and all(part in drawn for part in parts)
