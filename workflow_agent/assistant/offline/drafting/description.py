"""From a description in words to the draft of a workflow, every content word accounted for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from workflow_agent.assistant.offline.drafting.conditions import states_outcome
from workflow_agent.assistant.offline.drafting.details import name_of_start
from workflow_agent.assistant.offline.drafting.flow import Flow
from workflow_agent.assistant.offline.drafting.grammar import Grammar
from workflow_agent.assistant.offline.drafting.graph import End
from workflow_agent.assistant.offline.drafting.lead import lead_of
from workflow_agent.assistant.offline.drafting.phrases import (
    bare,
    capitalized,
    cased,
    is_role,
    phrase_at,
    role_named,
    text_of,
)
from workflow_agent.assistant.offline.drafting.statements import Statement, Sub, read_statements
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token, read_tokens, sentences, split_fences
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.values.stored import JsonObject

UNNAMED: Final = "New workflow"
_INLINE_NUMBER: Final = re.compile(r"(?<=[\s:])\(?(\d{1,2})[.)][ \t]+(?=[^\s\d])")
_WORD: Final = re.compile(r"[^\W_]+")
_MOST_DESCRIBED: Final = 2_000
_MOST_SENTENCES: Final = 500
_MOST_TOLD: Final = 12
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


@dataclass(slots=True)
class _Line:
    """A sentence, and its place in a list."""

    tokens: tuple[Token, ...]
    is_item: bool = False
    number: int | None = None
    column: int = 0
    is_list: bool = False
    role: str | None = None
    form: str = ""
    """How a verb goes on with the request in front of it."""
    label: Sub | None = None
    """The condition in front of it: "approved: …", or the question that was asked before it."""
    statements: Sequence[Statement] = ()


def read_description(text: str) -> Drafted | None:
    """Return the workflow that a text describes, or None when it describes none."""
    prose = _with_numbers_on_lines(split_fences(text)[0])
    lines = _lines(prose)[:_MOST_SENTENCES]
    if not lines or _only_asks(lines):
        return None
    return _Description(prose, lines).read()


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
    return "\n".join(part.strip(" ") for part in parts if part)


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    for said in [part for one in sentences(read_tokens(text)) for part in _without_brackets(one)]:
        line = _Line(_with_arrows(said))
        if said[0].kind == "bullet":
            number = re.search(r"\d+", said[0].text)
            line.tokens, line.is_item = line.tokens[1:], True
            line.number = int(number[0]) if number else None
            line.column = said[0].start - (text.rfind("\n", 0, said[0].start) + 1)
        elif found and found[-1].is_item and "\n" not in text[found[-1].tokens[-1].end : said[0].start]:
            line.column, line.is_item = found[-1].column, True
        if line.tokens:
            line.tokens = (_in_small_letters(line.tokens[0]), *line.tokens[1:])
            found.append(line)
    return found


def _without_brackets(tokens: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """Return a sentence in parts, what brackets say of a case or of what follows as one of its own."""
    start = next((at for at, token in enumerate(tokens) if token.text == "("), None)
    end = next((at for at, token in enumerate(tokens) if token.text == ")"), None)
    if start is None or end is None or not 0 < start < end:
        return [tokens]
    inside = tokens[start + 1 : end]
    tells = inside[:1] and inside[0].lower == "or"
    marked = any(
        token.text == "->" or phrase_at("sub", inside, at) or phrase_at("mark", inside, at)
        for at, token in enumerate(inside)
    )
    if not (tells or marked):
        return [tokens]
    parts = [tokens[:start], inside, *_without_brackets(tokens[end + 1 :])]
    return [part for part in parts if any(token.kind != "punct" for token in part)]


def _in_small_letters(first: Token) -> Token:
    """Return the first word of a sentence in small letters, unless it is a name or an abbreviation."""
    plain = first.kind == "word" and first.text[1:].islower() and first.entry.known
    return replace(first, text=first.text.lower()) if plain or first.text in ("A", "I") else first


def _with_arrows(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return a line with "book - invite - meet" and "a > b > c" told by arrows."""
    for sign in ("-", "\u2013", "\u2014", ">", "|", "/"):
        places = {
            at
            for at in range(1, len(tokens) - 1)
            if tokens[at].text == sign and tokens[at - 1].end < tokens[at].start < tokens[at].end < tokens[at + 1].start
        }
        if len(places) > 1 and not any(token.kind == "number" for token in tokens):
            arrow = read_tokens("->")[0]
            return tuple(
                replace(arrow, start=token.start, end=token.end) if at in places else token
                for at, token in enumerate(tokens)
            )
    return tokens


def _only_asks(lines: Sequence[_Line]) -> bool:
    """Say whether the text asks something instead of telling a process."""
    first = lines[0].tokens
    start = next((token for token in first if not token.has("filler")), first[0])
    asks = start.lower in word_set("description.only_asks.what") and first[-1].text == "?"
    return asks and all(line.tokens[-1].text == "?" or len(line.tokens) < 4 for line in lines)


class _Description:
    """One description while it is read."""

    def __init__(self, text: str, lines: list[_Line]) -> None:
        self._text, self._lines = text, lines
        self._flow = Flow()
        self._name: str | None = None
        self._is_requested = False
        self._used: set[int] = set()

    def read(self) -> Drafted | None:
        told = self._told()
        pending: list[Sub] = []
        for at, line in enumerate(told):
            after = told[at + 1] if at + 1 < len(told) else None
            if pending and line.is_item and line.statements:
                line.statements[0].subs[:0] = pending
            pending = pending if after is not None and after.is_item and after.column >= line.column else []
            if _is_heading(line, after):
                pending = [*pending, *line.statements[0].subs]
                continue
            self._flow.number = line.number
            following = after.statements if after is not None else ()
            self._flow.sentence(line.statements, role=line.role, following=following)
        self._flow.finish()
        return self._drafted(told)

    def _told(self) -> list[_Line]:
        """Return the lines that tell the process, requests and titles taken off, as statements."""
        told: list[_Line] = []
        is_open = False
        question: tuple[Token, ...] = ()
        for at, line in enumerate(self._lines):
            self._without_ordinal(line)
            is_list = self._without_lead(line, at, bool(told)) or is_open
            if not any(token.kind != "punct" for token in line.tokens):
                is_open = is_open or is_list
                continue
            if _is_list_heading(line.tokens):
                self._use(line.tokens)
                is_open = True
                continue
            signs = sum(token.text in ("->", ">") for token in line.tokens)
            line.is_list = is_list or signs > 1 or (signs == 1 and any(t.text == "->" for t in line.tokens))
            is_open = is_open and line.is_item
            after = self._lines[at + 1].tokens if at + 1 < len(self._lines) else ()
            self._label(line, question, told, after)
            question = ()
            if line.tokens[-1].text == "?" and len(line.tokens) <= 14:
                question = tuple(token for token in line.tokens if token.kind != "punct")
                continue
            commas = line.is_list and not line.is_item
            line.statements = read_statements(
                line.tokens, is_list=commas, is_item=line.is_item or line.is_list, form=line.form
            )
            self._title(line, at, told)
            if line.label is not None and line.statements:
                line.statements[0].subs.insert(0, line.label)
                line.statements[0].marks.discard("yes")
            told.append(line)
        return told

    def _title(self, line: _Line, at: int, told: Sequence[_Line]) -> None:
        """Take the phrase above a list for its title: "nightly job"."""
        after = self._lines[at + 1] if at + 1 < len(self._lines) else None
        if told or line.is_item or after is None or not after.is_item or len(line.statements) != 1:
            return
        only = line.statements[0]
        alone = only.phrase or (only.schedule and only.clause and not (only.clause.subject or only.clause.rest))
        if alone and not only.subs and not only.marks:
            self._name = self._name or capitalized(cased(bare(only.tokens)))
            self._use(only.tokens)
            only.phrase, only.clause = (), None

    def _without_ordinal(self, line: _Line) -> None:
        """Take "second step:" and "phase two:" off a line, which is an item of a list then."""
        end = next((at for at, token in enumerate(line.tokens[:4]) if token.text == ":"), 0)
        said = line.tokens[:end]
        counts = any(token.value is not None or token.lower in ("last", "final", "next") for token in said)
        if counts and end < 4 and any(token.lemma in ("step", "phase", "stage", "part") for token in said):
            self._use(said)
            line.tokens, line.is_item = line.tokens[end + 1 :], True

    def _without_lead(self, line: _Line, at: int, has_told: bool) -> bool:
        """Take the request or the title off a line; say whether a list follows in it."""
        if line.is_item:
            return False
        following = self._lines[at + 1] if at + 1 < len(self._lines) else None
        told_next = following is not None and (following.is_item or Grammar(following.tokens).starts_clause(0))
        is_first = at == 0 or (not has_told and self._name is None and at < 3)
        lead = lead_of(line.tokens, told_next=told_next, is_first=is_first)
        if lead is None:
            return False
        self._name = self._name or lead.name
        self._is_requested = self._is_requested or lead.is_request
        self._use(line.tokens[: lead.end])
        line.tokens = line.tokens[lead.end :]
        line.form = "s" if lead.inherits else ""
        rest = Grammar(line.tokens)
        is_short = not lead.is_list and len(line.tokens) < 9 and not rest.starts_clause(0)
        joined = rest.has(0, "prep", "conj", "wh")
        if lead.is_request and is_short and (joined or not any(map(rest.forms, range(len(line.tokens))))):
            self._flow.remarks |= {token.start for token in line.tokens if token.value is None}
            line.tokens = ()
        return lead.is_list and not rest.starts_clause(0)

    def _label(self, line: _Line, question: tuple[Token, ...], told: Sequence[_Line], after: tuple[Token, ...]) -> None:
        """Take "approved:" and "HR:" off a line, and the answer to a question before it."""
        tokens, has_told = line.tokens, bool(told)
        is_told = has_told and told[-1].label is not None
        if question and has_told:
            yes = tokens[0].lower in ("yes", "no") or phrase_at("mark", tokens, 0) is not None
            no = tokens[0].lower in ("no", "otherwise", "else")
            said = question if not yes or not no else ()
            if yes and not no:
                line.tokens = tokens[1 + (len(tokens) > 1 and tokens[1].text in (":", ",")) :]
            if said:
                line.label = Sub("if", "question", said, Grammar(said).clause(0, len(said)))
                return
        end = next((at for at, token in enumerate(tokens[:9]) if token.text in (":", "->")), None)
        marked = phrase_at("mark", tokens, 0) or phrase_at("sub", tokens, 0)
        first = tokens[0] if tokens else None
        arrow = end == 1 and [token.text for token in tokens[1:2]] == ["->"]
        alone = arrow and first is not None and first.has("adj") and (is_told or not first.has("noun"))
        run = _arrow_of(tokens) == end and (is_told or _arrow_of(after) is not None)
        outcome = bool(end) and (states_outcome(tokens[:end]) or alone or run)
        if end and end + 1 < len(tokens) and has_told and not marked and outcome:
            line.label = Sub("if", "label", tokens[:end])
            line.tokens = tokens[end + 1 :]
            line.is_list = False
        elif line.is_item or line.is_list or (end and end < 4 and is_role(tokens[end - 1])):
            self._role(line, end)

    def _role(self, line: _Line, end: int | None) -> None:
        """Take "HR:" off an item, and "(HR)" behind it: who does it."""
        tokens = line.tokens
        led = (
            end
            and end < 5
            and end + 1 < len(tokens)
            and (is_role(tokens[end - 1]) or tokens[end - 1].text[:1].isupper())
        )
        if end and led and not Grammar(tokens[end + 1 :]).starts_clause(0):
            self._use(tokens[:end])
            line.role, line.tokens = role_named(tokens[:end]), tokens[end + 1 :]

    def _use(self, tokens: Iterable[Token]) -> None:
        self._used |= {token.start for token in tokens}

    # ---- the result

    def _drafted(self, told: Sequence[_Line]) -> Drafted | None:
        flow = self._flow
        nodes = flow.graph.nodes
        worked = [node for node in nodes if node.document["type"] not in _NO_WORK]
        if not worked or (len(worked) < 2 and not self._is_requested and not self._name):
            return None
        if not self._is_requested and not self._name and _talks(told):
            return None
        self._end()
        steps, transitions = flow.graph.documents()
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
        undrawn = [*flow.undrawn, *_doubts_of_graph(steps, transitions)]
        if not undrawn:
            undrawn += _doubts_of_text([token for line in self._lines for token in line.tokens], arguments)
        lost = self._lost(arguments)
        skipped = {token.start for token in lost if token.start not in flow.remarks or token.value is not None}
        undrawn += [
            f"{text_of([token for token in line.tokens if token.start in skipped])[:120]!r}"
            for line in self._lines
            if any(token.start in skipped for token in line.tokens)
        ]
        undrawn = list(dict.fromkeys(undrawn))
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
        """Return the content words that no part of the draft holds."""
        drawn = set(_WORD.findall(str({**arguments, "description": ""}).lower()))
        used = self._used | self._flow.used
        return [
            token
            for line in self._lines
            for token in line.tokens
            if token.is_content
            and (token.start in self._flow.remarks or not (token.start in used or _stands_in(token, drawn)))
            and not phrase_at("skipped", [token], 0)
        ]


def _arrow_of(tokens: Sequence[Token]) -> int | None:
    """Return where the only arrow of a sentence stands, behind at most three words; else None."""
    arrows = [at for at, token in enumerate(tokens) if token.text == "->"]
    return arrows[0] if len(arrows) == 1 and 0 < arrows[0] < 4 else None


def _is_heading(line: _Line, after: _Line | None) -> bool:
    """Say whether a line is a condition for the lines under it."""
    if after is None or not after.is_item or len(line.statements) != 1:
        return False
    only = line.statements[0]
    deeper = after.column > line.column or not line.is_item
    return deeper and only.clause is None and not only.phrase and bool(only.subs)


def _is_list_heading(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence is "Steps:" or "Here is how it works:"."""
    said = [token.lower for token in tokens if token.kind != "punct"]
    if tokens[-1].text != ":" and said[:1] != ["steps"]:
        return False
    return len(said) <= 8 and any(word in word_set("description.is_list_heading.step") for word in said)


def _talks(told: Sequence[_Line]) -> bool:
    """Say whether somebody only tells of themselves or of what was: no request, no list, no condition."""
    statements = [one for line in told for one in line.statements]
    if any(line.is_item or line.is_list for line in told) or any(one.subs or one.marks for one in statements):
        return False
    clauses = [one.clause for one in statements if one.clause is not None]
    past = sum(clause.is_past for clause in clauses)
    oneself = all(any(token.lower in ("i", "me", "my") for token in line.tokens) for line in told)
    return oneself or past > len(clauses) - past


def _stands_in(token: Token, drawn: set[str]) -> bool:
    if {token.lower, token.lemma, token.entry.verb, token.entry.noun} & drawn:
        return True
    parts = _WORD.findall(token.text.lower())
    return bool(parts) and all(part in drawn for part in parts)


# ---- what the graph and the text say of each other


def _doubts_of_graph(steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Return what may be wrong in the graph: a question without arms, a step told twice or not reached."""
    out: dict[str, set[str]] = {}
    into: set[str] = set()
    for edge in transitions:
        out.setdefault(edge["from"], set()).add(edge["to"])
        into.add(edge["to"])
    told: set[tuple[str, str]] = set()
    for step in steps:
        told_as = (step["name"].casefold(), step.get("assignee", ""))
        if told_as in told and step["type"] in ("human", "action"):
            yield f"whether {step['name']!r} is done twice or is one step"
        told.add(told_as)
        shown = (step["name"].removesuffix("?"), step.get("assignee", ""))
        asks_more = step["type"] == "decision" and "(" in step["name"]
        is_open = step["name"].count("(") != step["name"].count(")")
        if any(set(text) & set("?:;|[]{}<") for text in shown) or "(" in shown[1] or asks_more or is_open:
            yield f"what {step['name']!r} is"
        if step["type"] != "decision" and step["name"].casefold().startswith(("not ", "no ")):
            yield f"whether {step['name']!r} is a step"
        if step["type"] == "decision" and len(out.get(step["id"], ())) < 2:
            yield f"the condition {step['name']!r}"
    for step in [one for one in steps if one["id"] not in into and not one.get("parent")][1:]:
        if step["type"] != "end":
            yield f"what comes before {step['name']!r}"


def _doubts_of_text(tokens: Sequence[Token], arguments: JsonObject) -> Iterable[str]:
    """Return what a text tells and the graph has no counterpart of: a case, a loop, work at once, a time."""
    steps, transitions = arguments["steps"], arguments["transitions"]
    is_scheduled = any(one["type"] == "schedule" for one in arguments["triggers"])
    words = [
        token
        for before, token in zip((None, *tokens), tokens, strict=False)
        if token.kind == "word" and not (before is not None and before.has("det"))
    ]
    cases = [token for token in words if token.among("doubts.cases")]
    cases = [token for token in cases if token.lower != "whether"] or cases
    if any(one["type"] == "event" for one in arguments["triggers"]):
        cases = [token for token in cases if token.lower != "whenever"]
    arms = [edge for edge in transitions if edge.get("when") or edge.get("type") in ("default", "error")]
    held = [step for step in steps if step.get("escalate_to") or step.get("retry")]
    if len(cases) > len(arms) + len(held):
        yield f"one of the cases told with {cases[-1].text!r}"
    again = [token for token in words if token.among("doubts.again")]
    if again and not _has_loop(steps, transitions):
        yield f"the loop told with {again[0].text!r}"
    together = [token for token in words if token.among("doubts.together")]
    if together and not any(step["type"] == "fork" for step in steps):
        yield f"what happens at the same time, told with {together[0].text!r}"
    timed = sum(bool(step.get("timeout")) + bool(step.get("duration")) for step in steps)
    count = len({found.value for _, found in durations_in(tokens)})
    if count > timed + is_scheduled:
        yield f"one of the {count} times"


def _has_loop(steps: Sequence[Mapping[str, Any]], transitions: Sequence[Mapping[str, Any]]) -> bool:
    rank = {step["id"]: at for at, step in enumerate(steps)}
    back = any(rank[edge["to"]] <= rank[edge["from"]] for edge in transitions)
    return back or any(step["type"] == "loop" or step.get("retry") for step in steps)
