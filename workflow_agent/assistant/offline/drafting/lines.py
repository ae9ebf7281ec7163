"""The sentences of a description: of prose, of lists by bullets, numbers, arrows and commas, with labels in front."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from workflow_agent.assistant.offline.drafting.clauses import Clause, read_clauses
from workflow_agent.assistant.offline.drafting.conditions import label_end, states_outcome
from workflow_agent.assistant.offline.drafting.phrases import is_role, phrase_at, role_named
from workflow_agent.assistant.offline.drafting.spans import spans_of
from workflow_agent.assistant.offline.drafting.statements import Statement, read_statements
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, sentences

_INLINE_NUMBER: Final = re.compile(r"(?<=[\s:])\(?(\d{1,2})[.)][ \t]+(?=[^\s\d])")
_SIGNS: Final = ("-", "\u2013", "\u2014", ">", "|", "/")


@dataclass(slots=True)
class Line:
    """A sentence, and its place in a list."""

    tokens: Tokens
    is_item: bool = False
    is_signed: bool = False
    """Whether a bullet or a number stands in front of it."""
    number: int | None = None
    column: int = 0
    role: str | None = None
    """Who does it, where that stands in front: "HR: …"."""
    label: Clause | None = None
    """The condition in front of it: "approved: …", or the question that was asked before it."""
    lead: Tokens = ()
    """What was taken off as role or label."""
    statements: Sequence[Statement] = ()

    def read(self) -> None:
        """Read the statements of what it tells."""
        self.statements = read_statements(read_clauses(self.tokens, is_item=self.is_item))
        if self.label is not None and self.statements:
            self.statements[0].subs.insert(0, self.label)
            self.statements[0].marks.discard("yes")


def lines_of(text: str) -> list[Line]:
    """Return the sentences of a text."""
    text = _with_numbers_on_lines(text)
    found: list[Line] = []
    for said in [part for one in sentences(read_tokens(text)) for part in _without_brackets(one)]:
        line = Line(_with_arrows(said))
        if said[0].kind == "bullet":
            number = re.search(r"\d+", said[0].text)
            line.tokens, line.is_item, line.is_signed = line.tokens[1:], True, True
            line.number = int(number[0]) if number else None
            line.column = said[0].start - (text.rfind("\n", 0, said[0].start) + 1)
        elif found and found[-1].is_item and "\n" not in text[found[-1].tokens[-1].end : said[0].start]:
            line.column, line.is_item = found[-1].column, True
        while line.tokens and line.tokens[0].text == "->":
            line.tokens = line.tokens[1:]
        if line.tokens:
            line.tokens = (_in_small_letters(line.tokens[0]), *line.tokens[1:])
            found.append(line)
    return found


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


def _without_brackets(tokens: Tokens) -> list[Tokens]:
    """Return a sentence in parts, what brackets say of a case or of what follows as one of its own."""
    start = next((at for at, token in enumerate(tokens) if token.text == "("), None)
    end = next((at for at, token in enumerate(tokens) if token.text == ")"), None)
    if start is None or end is None or not 0 < start < end:
        return [tokens]
    inside = tokens[start + 1 : end]
    said = " ".join(token.lower for token in inside if not token.among("lines.several"))
    if said in word_set("lines.together"):
        # "(both at once)".
        first, last = inside[0].start, inside[-1].end
        parallel = (Token(word, "word", first, last, entry_of(word)) for word in ("in", "parallel"))
        return _without_brackets((*tokens[:start], *parallel, *tokens[end + 1 :]))
    marked = inside[:1] and inside[0].lower == "or"
    marked = marked or any(
        token.text == "->" or phrase_at("sub", inside, at) or phrase_at("mark", inside, at)
        for at, token in enumerate(inside)
    )
    if not marked:
        return [tokens]
    parts = [tokens[:start], inside, *_without_brackets(tokens[end + 1 :])]
    return [part for part in parts if any(token.kind != "punct" for token in part)]


def _in_small_letters(first: Token) -> Token:
    """Return the first word of a sentence in small letters, unless it is a name or an abbreviation."""
    plain = first.kind == "word" and first.text[1:].islower() and first.entry.known
    return replace(first, text=first.text.lower()) if plain or first.text in ("A", "I") else first


def _with_arrows(tokens: Tokens) -> Tokens:
    """Return a line with "book - invite - meet" and "a > b > c" told by arrows."""
    for sign in _SIGNS:
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


def parted(line: Line, *, is_list: bool, has_told: bool) -> list[Line]:
    """Return a sentence as the items that arrows, labels and, in a list, commas part."""
    parts: list[Tokens] = []
    for part in _at_labels(line.tokens):
        if any(token.text == "->" for token in part) and not _is_labelled(part, has_told=has_told or bool(parts)):
            parts += _split(part, "->")
            is_list = True
        else:
            parts.append(part)
    if is_list:
        parts = [piece for part in parts for piece in _items(part)]
    parts = [piece for part in parts for piece in _at_labels(part)]
    if len(parts) == 1 and not is_list:
        return [line]
    items = is_list or line.is_item
    return [
        replace(line, tokens=part, is_item=items, number=line.number if at == 0 else None)
        for at, part in enumerate(parts)
        if any(token.kind != "punct" for token in part)
    ]


def _is_labelled(tokens: Tokens, *, has_told: bool) -> bool:
    end = next((at for at, token in enumerate(tokens) if token.text == "->"), 0)
    return has_told and sum(token.text == "->" for token in tokens) == 1 and 0 < end < 7


def _split(tokens: Tokens, sign: str) -> list[Tokens]:
    """Return what stands between signs, outside of brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if token.text == sign and depth <= 0 and token.kind == "punct":
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts if part]


def _items(tokens: Tokens) -> list[Tokens]:
    """Return the items of a list by commas, the last two joined by "and"."""
    while tokens and tokens[-1].kind == "punct" and tokens[-1].text in ".!;":
        tokens = tokens[:-1]
    items: list[Tokens] = []
    for piece in _split(tokens, ","):
        if items and [one.kind for one in spans_of(piece)] in (["times"], ["within"], ["length"]):
            # "Check the form, within 3 days" is one item.
            items[-1] = (*items[-1], *piece)
        else:
            items.append(piece)
    if not items:
        return []
    last = items[-1]
    heads = [read_clauses(item, is_item=True)[:1] for item in items[:12]]
    verbless = not any(one[0].voice for one in heads if one)
    at = next((at for at in range(len(last) - 1, 0, -1) if last[at].lower in ("and", "&")), None)
    if at is not None and at + 1 < len(last):
        clauses = read_clauses(last, is_item=True)
        if len(clauses) > 1 or (verbless and len(items) > 1) or len(last) == 3:
            items = [*items[:-1], last[:at], last[at + 1 :]]
    return [_without_and(item) for item in items]


def _without_and(item: Tokens) -> Tokens:
    return item[1:] if len(item) > 1 and item[0].lower in ("and", "&") else item


_BEFORE_LABEL: Final = (",", ";", "->")


def _at_labels(tokens: Tokens) -> list[Tokens]:
    """Return a sentence parted in front of each further label: "ok: pay it, not ok: reject it"."""
    starts = [
        at + 1
        for at, token in enumerate(tokens)
        if token.text in _BEFORE_LABEL
        and (end := label_end(tokens, at + 1)) is not None
        and end < len(tokens) - 1
        and (token.text != "->" or tokens[end].text == ":")
    ]
    parts = [tokens[start:end] for start, end in zip([0, *starts], [*starts, len(tokens)], strict=True)]
    return [part[:-1] if part and part[-1].text in _BEFORE_LABEL else part for part in parts]


def take_label(line: Line, question: Tokens, *, has_told: bool, is_labelled: bool, after: Tokens) -> None:
    """Take "approved:" and "HR:" off a line, and the answer to the question before it.

    Args:
        line: The line.
        question: What was asked before it, empty for nothing.
        has_told: Whether a step was told.
        is_labelled: Whether the line before has a label.
        after: The next line.
    """
    tokens = line.tokens
    if question and has_told:
        yes = tokens[0].lower in ("yes", "no") or phrase_at("mark", tokens, 0) is not None
        no = tokens[0].lower in ("no", "otherwise", "else")
        if yes and not no:
            end = 1 + (len(tokens) > 1 and tokens[1].text in (":", ",", "->"))
            line.lead, line.tokens = tokens[:end], tokens[end:]
        if not (yes and no):
            line.label = _as_condition(question, "question")
            return
    end = next((at for at, token in enumerate(tokens[:9]) if token.text in (":", "->", *_SIGNS[:3])), None)
    if not end or end + 1 >= len(tokens):
        return
    marked = phrase_at("mark", tokens, 0) or phrase_at("sub", tokens, 0)
    plain = any(token.has("adj") and (is_labelled or not token.has("noun")) for token in tokens[:1])
    alone = tokens[end].text == "->" and end == 1 and plain
    run = tokens[end].text == "->" and end < 4 and (is_labelled or _first_arrow(after) is not None)
    if not marked and (states_outcome(tokens[:end]) or (has_told and (alone or run))):
        line.label = _as_condition(tokens[:end], "label")
        line.lead, line.tokens = tokens[: end + 1], tokens[end + 1 :]
    elif end < 5 and (is_role(tokens[end - 1]) or (line.is_item and tokens[end - 1].text[:1].isupper())):
        if any(one.subject for one in read_clauses(tokens[end + 1 :], is_item=True)[:1]):
            return
        line.role = role_named(tokens[:end])
        line.lead, line.tokens, line.is_item = tokens[: end + 1], tokens[end + 1 :], True


def _as_condition(tokens: Tokens, word: str) -> Clause:
    said = next(iter(read_clauses(tokens)), Clause())
    return replace(said, kind="if", word=word, tokens=tokens, marks=set())


def _first_arrow(tokens: Tokens) -> int | None:
    """Return where the only arrow of a sentence stands, behind at most three words; else None."""
    arrows = [at for at, token in enumerate(tokens) if token.text == "->"]
    return arrows[0] if len(arrows) == 1 and 0 < arrows[0] < 4 else None
