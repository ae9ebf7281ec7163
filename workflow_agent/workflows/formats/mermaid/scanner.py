"""Reading the lines of a Mermaid flowchart or state diagram."""

import html
import re
from dataclasses import replace

from workflow_agent.errors import Problem
from workflow_agent.workflows.formats.base import MAX_DEPTH, UnreadableDocument
from workflow_agent.workflows.formats.mermaid.chart import (
    END,
    SHAPES,
    START,
    TITLE,
    Arrow,
    Chart,
    Line,
    Link,
    Node,
    Span,
    Statement,
)
from workflow_agent.workflows.formats.text import MERMAID_HEAD, header_line

_OTHER = re.compile(r"(?:%%|(?:classDef|class|style|linkStyle|click|direction|accTitle|accDescr)\b)")
_SUBGRAPH = re.compile(r"subgraph\b[ \t]*(?P<id>[^\s\[\"]*)[ \t]*(?P<title>.*)")
_NODE_ID = re.compile(r"[^\W](?:[\w./]|-(?![-.=>]))*")
_CLASS = re.compile(r":::([\w-]+)")
_ATTRIBUTE = re.compile(r"\b(label|shape)\s*:\s*(?:\"([^\"]*)\"|([\w-]+))")
_NAMED_SHAPES = {
    **dict.fromkeys(("diam", "diamond", "decision", "question"), "{"),
    **dict.fromkeys(("stadium", "terminal", "pill"), "(["),
    **dict.fromkeys(("circle", "circ", "start", "sm-circ"), "(("),
    **dict.fromkeys(("dbl-circ", "fr-circ", "stop"), "((("),
    **dict.fromkeys(("fr-rect", "subproc", "subprocess", "subroutine", "framed-rectangle"), "[["),
}
_ARROW = re.compile(
    r"(?:\w+@)?(?:[<xo](?=[-=]))?(?:(?P<dotted>-\.+-)[>xo]?|(?P<hidden>~{3,})|(?:-{2,}|={2,})[>xo]|-{3,}|={3,})"
)
_WORDED = re.compile(r"(?:[<xo](?=[-=]))?(?P<begins>--|==|-\.)(?=\s|\w|\")")
_ARROW_ENDS = {"--": re.compile(r"-{2,}[->xo]"), "==": re.compile(r"={2,}[=>xo]"), "-.": re.compile(r"\.+-[>xo]?")}
_STATE = re.compile(
    r"state[ \t]+(?:\"(?P<label>[^\"]*)\"[ \t]+as[ \t]+)?(?P<id>[\w.-]+)[ \t]*"
    r"(?:<<(?P<kind>\w+)>>|\[\[(?P<old>\w+)\]\])?[ \t]*(?P<opens>\{)?"
)
_STATE_LINK = re.compile(
    r"(?P<from>\[\*\]|[\w.-]+?)(?:::: *[\w-]+)?[ \t]*-->[ \t]*(?P<to>\[\*\]|[\w.-]+)(?::::[\w-]+)?"
)
_STATE_NAME = re.compile(r"(?P<id>[\w.-]+)(?::::[\w-]+)?")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_NUMBERED = re.compile(r"#(\d{1,7}|[a-z]{2,8});")


def read_chart(text: str) -> Chart:
    """Return the lines of a diagram.

    Raises:
        UnreadableDocument: It is no diagram that is read here, or a line of it is no statement; says which.
    """
    head = header_line(text)
    if head is None:
        raise UnreadableDocument(TITLE, [Problem("", "begins with none of `flowchart`, `graph` and `stateDiagram`")])
    return _Scanner(text.lstrip("\ufeff").split("\n"), head).chart


def plain_label(text: str) -> str:
    """Return the words of a label: without marks, and with characters in place of their numbers."""
    text = text.strip()
    if text.startswith("`") and text.endswith("`") and len(text) > 1:
        text = text[1:-1]
    return " ".join(unescaped(_TAG.sub("", _BREAK.sub(" ", text))).split())


def unescaped(text: str) -> str:
    """Return a text with the characters that are given by number or by name."""

    def character(match: re.Match[str]) -> str:
        code = match[1]
        if not code.isdigit():
            return html.unescape(f"&{code};")
        number = int(code)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else match[0]

    return _NUMBERED.sub(character, text)


class _Malformed(ValueError):
    """Says what is wrong with a statement."""


class _Scanner:
    def __init__(self, lines: list[str], head: int) -> None:
        self.chart = Chart(is_state=lines[head].strip().startswith("stateDiagram"))
        self._open: list[str] = []
        self._in_note = False
        for line in lines[:head]:
            if line.strip().startswith("title:"):
                title = line.partition(":")[2].strip()
                self.chart.title = title[1:-1] if title[:1] in ('"', "'") and title[-1] == title[0] else title
            self.chart.lines.append(Line(line))
        for at, line in enumerate(_joined(lines[head:]), head):
            here = Line(line, self._open[-1] if self._open else "")
            plain = line.strip()
            if at == head:
                plain = MERMAID_HEAD.sub("", plain, count=1).lstrip(" \t;")
            try:
                self._line(here, plain, len(line.rstrip()) - len(plain))
            except _Malformed as error:
                told = f"line {at + 1} cannot be read: {error}, in {plain[:60]!r}"
                raise UnreadableDocument(TITLE, [Problem(f"/line/{at + 1}", told)]) from error
            self.chart.lines.append(here)
        if self._open:
            raise UnreadableDocument(TITLE, [Problem("", f"{self._open[-1]!r} is not closed")])

    def _line(self, here: Line, plain: str, begins: int) -> None:
        if self._in_note:
            self._in_note = plain != "end note"
        elif plain.startswith("accTitle"):
            self.chart.title = plain.partition(":")[2].strip()
        elif plain in ("end", "}"):
            self._end(here)
        elif not plain or _OTHER.match(plain):
            return
        elif self.chart.is_state:
            self._state(here, plain, begins)
        elif match := _SUBGRAPH.fullmatch(plain):
            title = match["title"].strip().removeprefix("[").removesuffix("]").strip().strip('"')
            here.opens = match["id"] or title or f"subgraph {len(self.chart.scopes)}"
            self._begin(here.opens, title or match["id"])
        else:
            here.is_statement = True
            for at, part in _statements(plain):
                self._flow(here, part, begins + at)

    def _end(self, here: Line) -> None:
        if not self._open:
            raise _Malformed("nothing is open that could end here")
        here.closes = self._open.pop()
        here.scope = self._open[-1] if self._open else ""

    def _begin(self, scope: str, title: str) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise _Malformed("it is nested too deep")
        self.chart.within[scope] = self._open[-1] if self._open else ""
        self.chart.scopes[scope] = title
        self._open.append(scope)

    def _flow(self, here: Line, text: str, begins: int) -> None:
        statement = Statement()
        here.statements.append(statement)
        arrow: Arrow | None = None
        at = 0
        while True:
            nodes, at = _node_group(text, at, begins)
            here.nodes += nodes
            if arrow is not None:
                joined = _joining(arrow, statement.groups[-1], nodes)
                statement.arrows.append(joined)
                here.links += joined.links
            statement.groups.append(nodes)
            if at >= len(text):
                return
            arrow, at = _arrow(text, at, begins)

    def _state(self, here: Line, plain: str, begins: int) -> None:
        if plain == "--":
            return
        if re.match(r"note\b", plain):
            self._in_note = ":" not in plain
            return
        here.is_statement = True
        statement, colon, said = _apart(plain)
        told = begins + len(plain) - len(said.lstrip()), begins + len(plain)
        if match := _STATE.fullmatch(statement.rstrip()):
            kind = match["kind"] or match["old"] or "state"
            span = (begins + match.start("label"), begins + match.end("label")) if match["label"] else None
            here.nodes.append(Node(match["id"], kind, label=match["label"], label_at=span))
            if match["opens"]:
                here.opens = match["id"]
                self._begin(match["id"], match["label"] or match["id"])
        elif match := _STATE_LINK.fullmatch(statement.strip()):
            source = START + here.scope if match["from"] == "[*]" else match["from"]
            target = END + here.scope if match["to"] == "[*]" else match["to"]
            link = Link(source, target, "-->", said.strip())
            ends = [[Node(source)], [Node(target)]]
            label_at = (begins + len(statement.rstrip()), told[1]) if colon else None
            arrow = Arrow("-->", said.strip(), label_at, (link,), ((source, target),))
            here.statements.append(Statement(ends, [arrow]))
            here.nodes += [one for group in ends for one in group]
            here.links.append(link)
        elif match := _STATE_NAME.fullmatch(statement.strip()):
            span = told if said.strip() else None
            here.nodes.append(Node(match["id"], "state" if said else "", label=said.strip() or None, label_at=span))
        else:
            raise _Malformed("it is neither a state nor a transition")


def _joined(lines: list[str]) -> list[str]:
    """Return the lines, those of a text between quotes as one."""
    found: list[str] = []
    is_open = False
    for line in lines:
        if is_open:
            found[-1] += "\n" + line
        else:
            found.append(line)
        is_open ^= line.count('"') % 2 == 1 and not line.lstrip().startswith("%%")
    return found


def _statements(line: str) -> list[tuple[int, str]]:
    """Return the statements of a line with where they begin; semicolons in quotes or numbered characters part none."""
    found: list[tuple[int, str]] = []
    begins, is_quoted = 0, False
    for at, char in enumerate(line):
        if char == '"':
            is_quoted = not is_quoted
        elif char == ";" and not is_quoted and not _NUMBERED.match(line, max(line.rfind("#", at - 8, at), 0)):
            found.append((begins, line[begins:at]))
            begins = at + 1
    found.append((begins, line[begins:]))
    return [(at + len(one) - len(one.lstrip()), one.strip()) for at, one in found if one.strip()]


def _apart(line: str) -> tuple[str, str, str]:
    """Return what stands before and after the colon of a statement about states."""
    at = line.find(":")
    while at >= 0 and line.startswith(":::", at):
        at = line.find(":", at + 3)
    return (line, "", "") if at < 0 else (line[:at], ":", line[at + 1 :])


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _node_group(text: str, at: int, begins: int) -> tuple[list[Node], int]:
    """Return the nodes between `&` that begin at a position, and where what follows them begins."""
    nodes: list[Node] = []
    while True:
        node, at = _node(text, _skipped(text, at), begins)
        nodes.append(node)
        at = _skipped(text, at)
        if not text.startswith("&", at):
            return nodes, at
        at += 1


def _node(text: str, at: int, begins: int) -> tuple[Node, int]:
    match = _NODE_ID.match(text, at)
    if match is None:
        raise _Malformed(f"a node is missing at character {at + 1}")
    node_id, first, at = match[0].rstrip("."), at, match.end()
    opening = closing = style = ""
    label: str | None = None
    span: Span | None = None
    if text.startswith("@{", at):
        end = text.find("}", at)
        if end < 0:
            raise _Malformed("`@{` is not closed")
        given = {one[1]: one for one in _ATTRIBUTE.finditer(text, at, end)}
        said = {name: one[2] or one[3] or "" for name, one in given.items()}
        opening, label, at = _NAMED_SHAPES.get(said.get("shape", ""), "["), said.get("label"), end + 1
        closing = SHAPES[opening][0]
        if told := given.get("label"):
            span = (told.start(2) - 1, told.end(2) + 1) if told[2] is not None else told.span(3)
    elif found := next((one for one in SHAPES if text.startswith(one, at)), None):
        opening, inside = found, at + len(found)
        label, closing, at = _bracketed(text, inside, SHAPES[opening])
        span = inside, at - len(closing)
    if match := _CLASS.match(text, at):
        style, at = match[1], match.end()
    label_at = (begins + span[0], begins + span[1]) if span else None
    return Node(node_id, opening, closing, label, style, (begins + first, begins + at), label_at), at


def _bracketed(text: str, at: int, closings: tuple[str, ...]) -> tuple[str, str, int]:
    begins = _skipped(text, at)
    if text.startswith('"', begins):
        quote = text.find('"', begins + 1)
        end = _skipped(text, quote + 1)
        closing = next((one for one in closings if quote > 0 and text.startswith(one, end)), None)
        if closing is None:
            raise _Malformed("a label is not closed")
        return text[begins + 1 : quote], closing, end + len(closing)
    ends = [(found, one) for one in closings if (found := text.find(one, at)) >= 0]
    if not ends:
        raise _Malformed(f"a label has no {' or '.join(closings)} at its end")
    end, closing = min(ends)
    return text[at:end].strip(), closing, end + len(closing)


def _arrow(text: str, at: int, begins: int) -> tuple[Arrow, int]:
    """Return an arrow with its label, and where the node after it begins."""
    if match := _ARROW.match(text, at):
        at, label = match.end(), ""
        span: Span | None = None
        if text.startswith("|", bar := _skipped(text, at)):
            end = text.find("|", bar + 1)
            if end < 0:
                raise _Malformed("the label of a link is not closed")
            label, span, at = text[bar + 1 : end].strip().strip('"'), (begins + bar, begins + end + 1), end + 1
        return Arrow("~~~" if match["hidden"] else match[0].rpartition("@")[2], label, span), at
    if match := _WORDED.match(text, at):
        closed = _ARROW_ENDS[match["begins"]].search(text, match.end())
        if closed is not None:
            arrow = "-.->" if match["begins"] == "-." else f"{match['begins']}>"
            said = text[match.end() : closed.start()].strip()
            first = text.index(said, match.end())
            span = begins + first, begins + first + len(said)
            return Arrow(arrow, said.strip('"'), span), closed.end()
    raise _Malformed(f"there is no link at character {at + 1}")


def _joining(arrow: Arrow, before: list[Node], after: list[Node]) -> Arrow:
    """Return an arrow with what it joins."""
    pairs = tuple((one.id, other.id) for one in before for other in after)
    links = [Link(*ends, arrow.text, arrow.label) for ends in pairs] if arrow.text != "~~~" else []
    if arrow.text.startswith("<"):
        links += [Link(other, one, arrow.text, arrow.label) for one, other in pairs]
    return replace(arrow, links=tuple(links), pairs=pairs)
