"""From a description in words to the draft of a workflow, every content word accounted for."""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workflow_agent.assistant.offline.drafted import Drafted
from workflow_agent.assistant.offline.drafting.conditions import states_outcome, text_of
from workflow_agent.assistant.offline.drafting.doubts import doubts_of_graph, doubts_of_loops, doubts_of_text
from workflow_agent.assistant.offline.drafting.flow import Flow
from workflow_agent.assistant.offline.drafting.grammar import Grammar, is_role
from workflow_agent.assistant.offline.drafting.graph import MOST_STEPS, End
from workflow_agent.assistant.offline.drafting.lead import Lead, lead_of
from workflow_agent.assistant.offline.drafting.naming import role_named
from workflow_agent.assistant.offline.drafting.sentence import Segment, SentenceReader, Sub
from workflow_agent.assistant.offline.drafting.words import phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token, read_tokens, sentences, split_fences
from workflow_agent.values.stored import JsonObject

UNNAMED: Final = "New workflow"
_INLINE_NUMBER: Final = re.compile(r"(?<=[\s:])\(?(\d{1,2})[.)][ \t]+(?=[^\s\d])")
_WORD: Final = re.compile(r"[^\W_]+")
_MOST_DESCRIBED: Final = 2_000
_MOST_SENTENCES: Final = 500
_MOST_TOLD: Final = 12


@dataclass(frozen=True, slots=True)
class ReadStep:
    """A step read from a phrase inside an order: "legal reviews the contract within two days"."""

    fields: JsonObject
    """The step as `insert_step` takes it, its name included."""
    unread: tuple[str, ...]
    """Content words that are in no field."""


@dataclass(slots=True)
class _Line:
    """A sentence, and its place in a list."""

    tokens: tuple[Token, ...]
    bullet: Token | None = None
    column: int = 0
    is_item: bool = False
    has_children: bool = False


def read_description(text: str) -> Drafted | None:
    """Return the workflow that a text describes, or None when it describes none."""
    prose, _ = split_fences(text)
    prose = _with_numbers_on_lines(prose)
    lines = _lines(prose)
    if not lines:
        return None
    return _Description(prose, lines).read()


def read_step(text: str) -> ReadStep | None:
    """Return the one step that a phrase tells, or None where it tells none, several or more around it."""
    lines = _lines(text)
    if len(lines) != 1:
        return None
    reader = _Description(text, lines)
    tokens, role = reader.with_role(lines[0].tokens)
    reader.draw(SentenceReader(tokens, is_list=True).read(), role)
    return reader.only_step()


def _with_numbers_on_lines(text: str) -> str:
    """Return the text with each of "1. … 2. … 3. …" on a line of its own."""
    expected, places = 1, list[int]()
    for match in _INLINE_NUMBER.finditer(" " + text):
        if int(match[1]) == expected:
            expected += 1
            places.append(match.start() - 1)
    if len(places) < 2:
        return text
    parts = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    return "\n".join(part.rstrip(" ") for part in parts if part)


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    for said in sentences(read_tokens(text)):
        tokens = _with_arrows(said)
        line = _Line(tokens)
        if tokens[0].kind == "bullet":
            line.bullet, line.is_item = tokens[0], True
            line.column = tokens[0].start - (text.rfind("\n", 0, tokens[0].start) + 1)
            line.tokens = tokens[1:]
        elif found and found[-1].is_item and "\n" not in text[found[-1].tokens[-1].end : tokens[0].start]:
            line.column, line.is_item = found[-1].column, True
        if line.tokens:
            found.append(line)
    names = {token.text for line in found for token in line.tokens[1:] if token.text[:1].isupper()}
    for line in found:
        first = line.tokens[0]
        if (
            first.kind == "word"
            and first.text not in names
            and first.text[1:].islower()
            and first.entry.known
        ) or first.text in ("A", "I"):
            line.tokens = (replace(first, text=first.text.lower()), *line.tokens[1:])
    for line, following in itertools.pairwise(found):
        line.has_children = (
            line.bullet is not None and following.bullet is not None and following.column > line.column
        )
    return found


def _with_arrows(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return a line with "book - invite - meet" and "a > b > c" told by arrows."""
    for sign in ("-", "\u2013", "\u2014", ">", "|"):
        places = {
            at
            for at in range(1, len(tokens) - 1)
            if tokens[at].text == sign
            and tokens[at - 1].end < tokens[at].start < tokens[at].end < tokens[at + 1].start
        }
        if len(places) > 1 and not any(token.kind == "number" for token in tokens):
            arrow = read_tokens("->")[0]
            return tuple(
                replace(arrow, start=token.start, end=token.end) if at in places else token
                for at, token in enumerate(tokens)
            )
    return tokens


class _Description:
    """One description while it is read."""

    def __init__(self, text: str, lines: list[_Line]) -> None:
        self._text, self._lines = text, lines
        self._flow = Flow()
        self._name: str | None = None
        self._is_requested = False
        self._used: set[int] = set()
        self._question: tuple[Token, ...] = ()
        self._past = self._present = 0
        self._lost: set[int] = set()
        self._is_marked = False

    def read(self) -> Drafted | None:
        if self._only_asks():
            return None
        open_list = False
        pending: list[Segment] = []
        for at, line in enumerate(self._lines):
            tokens, is_list = line.tokens, line.is_item or open_list
            told_next = at + 1 < len(self._lines) and Grammar(self._lines[at + 1].tokens).starts_clause(0)
            told_next = told_next or (
                at + 1 < len(self._lines) and self._lines[at + 1].bullet is not None and line.bullet is None
            )
            lead = (
                lead_of(
                    tokens,
                    told_next=told_next,
                    is_first=at == 0
                    or (not self._flow.graph.nodes and self._name is None and not line.is_item and at < 3),
                )
                if not line.is_item
                else None
            )
            if lead is not None:
                tokens = self._begun(lead, tokens)
                is_list = is_list or lead.is_list
                open_list = False
            if not any(token.kind != "punct" for token in tokens):
                continue
            if at >= _MOST_SENTENCES or len(self._flow.graph.nodes) >= MOST_STEPS:
                self._flow.unread += tokens
                continue
            if _is_list_heading(tokens):
                self._use(tokens)
                open_list = True
                continue
            is_list = (
                is_list
                or any(token.text == "->" for token in tokens)
                or sum(token.text == ">" for token in tokens) > 1
            )
            commas_part = lead is not None and lead.is_list and not Grammar(tokens).starts_clause(0)
            segments, role = self._read_line(line, tokens, is_list=is_list, commas_part=commas_part)
            if line.has_children and (heading := _heading(segments)) is not None:
                pending = heading
                continue
            if line.has_children and not any(segment.clause for segment in segments):
                self._flow.unread += tokens
                continue
            if pending and line.is_item:
                segments, pending = self._under_heading(pending, segments, at)
                if pending:
                    continue
            self._flow.sentence(segments, is_list=is_list, role=role)
        self._flow.finish()
        return self._drafted()

    def draw(self, segments: list[Segment], role: str | None) -> None:
        """Draw the segments of one line of a list."""
        self._flow.sentence(segments, is_list=True, role=role)
        self._flow.finish()

    def only_step(self) -> ReadStep | None:
        """Return the step that was drawn, where it is the only one and nothing was left out around it."""
        nodes = self._flow.graph.nodes
        if len(nodes) != 1 or self._flow.undrawn or self._flow.triggers:
            return None
        fields = {key: value for key, value in nodes[0].document.items() if key != "id"}
        return ReadStep(fields, self._unread(fields))

    def _under_heading(
        self, pending: list[Segment], segments: list[Segment], at: int
    ) -> tuple[list[Segment], list[Segment]]:
        """Return what is read with the heading above it, and what waits for the heading's last line."""
        here, following = self._lines[at], self._lines[at + 1] if at + 1 < len(self._lines) else None
        together = pending + segments
        if following is not None and following.is_item and following.column >= here.column:
            return [], together
        return together, []

    def _only_asks(self) -> bool:
        """Say whether the text asks something instead of telling a process."""
        first = self._lines[0].tokens
        start = next((token for token in first if not token.has("filler")), first[0])
        asks = start.lower in word_set("description.only_asks.what") and first[-1].text == "?"
        return asks and all(line.tokens[-1].text == "?" or len(line.tokens) < 4 for line in self._lines)

    def _begun(self, lead: Lead, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        self._name = self._name or lead.name
        self._is_requested = self._is_requested or lead.is_request
        self._use(tokens[: lead.end])
        return tokens[lead.end :]

    def _use(self, tokens: Iterable[Token]) -> None:
        self._used |= {token.start for token in tokens}

    def _read_line(
        self, line: _Line, tokens: tuple[Token, ...], *, is_list: bool, commas_part: bool
    ) -> tuple[list[Segment], str | None]:
        role: str | None = None
        subs: list[Sub] = []
        tokens, label = self._labelled(tokens)
        if label is not None:
            subs.append(label)
        elif is_list:
            tokens, role = self.with_role(tokens)
        if line.bullet is not None and (number := re.search(r"\d+", line.bullet.text)):
            self._flow.awaiting_number = int(number[0])
        if self._question and not subs:
            subs += self._answered(tokens)
        self._question = ()
        if self._is_question(tokens):
            self._question = tokens
            return [], None
        segments = SentenceReader(tokens, is_list=is_list, commas_part=commas_part).read()
        if subs and segments:
            segments[0].subs = (*subs, *segments[0].subs)
        elif subs:
            segments = [Segment(subs=tuple(subs))]
        for segment in segments:
            self._use(segment.lead_tokens)
            self._is_marked = self._is_marked or bool(segment.marks or segment.subs)
            if segment.clause is not None:
                past = (segment.clause.form == "ed" and segment.clause.voice == "active") or any(
                    token.lower in ("was", "were", "had", "did") for token in segment.clause.tokens
                )
                self._past += past
                self._present += not past
        return segments, role

    def _labelled(self, tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], Sub | None]:
        """Take "approved:" and "score < 500 ->" off as the condition of what follows."""
        end = next((at for at, token in enumerate(tokens[:9]) if token.text in (":", "->")), None)
        if (
            end is None
            or end + 1 >= len(tokens)
            or not states_outcome(tokens[:end])
            or not (self._flow.graph.nodes or self._question)
        ):
            return tokens, None
        if phrase_at("mark", tokens, 0) or phrase_at("sub", tokens, 0):
            return tokens, None
        return tokens[end + 1 :], Sub("if", tokens[:end], None, "label")

    def with_role(self, tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], str | None]:
        """Take "HR:" off a list's item, and "(HR)" behind it: who does it."""
        end = next((at for at, token in enumerate(tokens[:5]) if token.text == ":"), None)
        led = (
            end and end + 1 < len(tokens) and (is_role(tokens[end - 1]) or tokens[end - 1].text[:1].isupper())
        )
        if end and led and not Grammar(tokens[end + 1 :]).starts_clause(0):
            self._use(tokens[:end])
            return tokens[end + 1 :], role_named(tokens[:end])
        if len(tokens) > 3 and tokens[-1].text == ")":
            start = next(
                (at for at in range(len(tokens) - 2, max(len(tokens) - 7, 0), -1) if tokens[at].text == "("),
                None,
            )
            if start and is_role(tokens[-2]):
                self._use(tokens[start:])
                return tokens[:start], role_named(tokens[start + 1 : -1])
        return tokens, None

    def _is_question(self, tokens: tuple[Token, ...]) -> bool:
        return tokens[-1].text == "?" and len(tokens) <= 14

    def _answered(self, tokens: tuple[Token, ...]) -> list[Sub]:
        """Return the condition that a question puts on what follows it."""
        asked = tuple(token for token in self._question if token.kind != "punct")
        mark = phrase_at("mark", tokens, 0)
        yes_or_no = tokens[0].lower in ("yes", "no") or (mark is not None and mark[0] in ("yes", "else"))
        if yes_or_no:
            self._flow.asked = asked
        if yes_or_no or not self._flow.graph.nodes or not asked:
            return []
        return [Sub("if", asked, None, "question")]

    # ---- the result

    def _drafted(self) -> Drafted | None:
        flow = self._flow
        worked = [
            node
            for node in flow.graph.nodes
            if node.document["type"] not in ("decision", "fork", "join", "loop", "event", "wait")
        ]
        if not worked or (len(worked) < 2 and not self._is_requested and not self._name):
            return None
        if self._talks_of_oneself():
            return None
        if (
            self._past > self._present
            and not self._is_requested
            and not any(line.is_item for line in self._lines)
        ):
            return None
        self._end()
        steps, transitions = flow.graph.documents()
        start = next(
            (node.id for node in flow.graph.nodes if not flow.graph.into.get(node.id)), steps[0]["id"]
        )
        arguments: JsonObject = {
            "name": self._name or UNNAMED,
            "description": self._text.strip()[:_MOST_DESCRIBED],
            "steps": steps,
            "transitions": transitions,
            "triggers": flow.triggers or [{"type": "manual"}],
            "start": start,
        }
        flow.undrawn += doubts_of_graph(steps, transitions)
        if not flow.undrawn:
            told = [token for line in self._lines for token in line.tokens]
            flow.undrawn += doubts_of_text(told, steps, transitions)
        unread = self._unread(arguments)
        self._flag_unread()
        undrawn = tuple(dict.fromkeys(flow.undrawn))
        if len(undrawn) > _MOST_TOLD:
            undrawn = (*undrawn[:_MOST_TOLD], f"{len(undrawn) - _MOST_TOLD} more")
        listed = any(line.is_item for line in self._lines)
        unsure = () if listed else tuple(doubts_of_loops(steps, transitions))
        return Drafted(arguments, self._name, unread, undrawn, tuple(flow.assumptions), unsure)

    def _talks_of_oneself(self) -> bool:
        """Say whether somebody only tells of themselves: "I" in every sentence, no condition, no list."""
        if self._is_requested or self._name or any(line.is_item for line in self._lines) or self._is_marked:
            return False
        return all(any(token.lower in ("i", "me", "my") for token in line.tokens) for line in self._lines)

    def _end(self) -> None:
        graph, flow = self._flow.graph, self._flow
        if flow.frontier:
            done = graph.add("Done", "end", outcome="ok")
            for end in flow.frontier:
                graph.lead(end, done.id)
        if flow.ended:
            rejected = graph.add("Rejected", "end", outcome="rejected")
            for end in flow.ended:
                graph.lead(End(end.step, end.when, end.type), rejected.id)

    def _flag_unread(self) -> None:
        """Name each stretch that was not read, unless it is a remark: it may hold a step or a branch."""
        remarks = {token.start for token in self._flow.remarks}
        for line in self._lines:
            lost = [
                token for token in line.tokens if token.start in self._lost and token.start not in remarks
            ]
            if lost:
                self._flow.undrawn.append(f"{text_of(lost)[:120]!r}")

    def _unread(self, arguments: JsonObject) -> tuple[str, ...]:
        """Return the content words that no part of the draft holds."""
        drawn = set(_WORD.findall(str({**arguments, "description": ""}).lower()))
        told = {token.start for token in (*self._flow.unread, *self._flow.remarks)}
        used = self._used | {token.start for token in self._flow.used}
        lost = [
            token
            for line in self._lines
            for token in line.tokens
            if token.is_content
            and (token.start in told or not (token.start in used or _stands_in(token, drawn)))
            and not phrase_at("skipped", [token], 0)
        ]
        self._lost = {token.start for token in lost}
        return tuple(token.text for token in lost)


def _stands_in(token: Token, drawn: set[str]) -> bool:
    forms = {token.lower, token.lemma, token.entry.verb, token.entry.noun}
    if forms & drawn:
        return True
    parts = _WORD.findall(token.text.lower())
    return bool(parts) and all(part in drawn for part in parts)


def _is_list_heading(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence is "Steps:" or "Here is how it works:"."""
    said = [token.lower for token in tokens if token.kind != "punct"]
    if tokens[-1].text != ":" and said[:1] != ["steps"]:
        return False
    return len(said) <= 8 and any(word in word_set("description.is_list_heading.step") for word in said)


def _heading(segments: list[Segment]) -> list[Segment] | None:
    """Return the condition or the parallel mark of a heading, for the lines under it; None for any other."""
    if (
        len(segments) == 1
        and segments[0].clause is None
        and not segments[0].phrase
        and (segments[0].subs or segments[0].marks & {"else", "meanwhile", "yes"})
    ):
        return segments
    return None
