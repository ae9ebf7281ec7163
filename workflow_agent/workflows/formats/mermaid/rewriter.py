"""The text of a diagram with what changed since it was read: lines that say the same are left as they are."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from workflow_agent.workflows.diagrams.mermaid import escaped
from workflow_agent.workflows.formats.mermaid import writer
from workflow_agent.workflows.formats.mermaid.chart import END, Arrow, Line, Link, Node, Statement
from workflow_agent.workflows.formats.mermaid.reader import BEGIN
from workflow_agent.workflows.model.transitions import Transition


class Rewriter:
    """Writes a diagram again, line by line."""

    def __init__(self, changes: writer.Changes) -> None:
        self._changes = changes
        self._chart = changes.chart
        self._mentions = writer.Mentions(changes)
        self._first: dict[int, int] = {}
        """The number that Mermaid gives the first link of an arrow, by what that is in memory."""
        self._numbers: list[int] = []
        """For each link that is written, which one it was before; -1 for a new one."""
        count = 0
        for arrow in self._chart.arrows():
            self._first[id(arrow)] = count
            count += len(arrow.pairs)
        self._count = count

    def whole(self) -> str:
        """Return the whole document."""
        new, begun = self._new_by_line()
        begin = "[*]" if self._chart.is_state else BEGIN
        found: list[str] = []
        for at, line in enumerate(self._chart.lines):
            found += self._state_line(line) if self._chart.is_state else self._line(line)
            added = [one for edge in new.get(at, ()) for one in self._new_link(edge)]
            added += [f"{begin} --> {self._mentions.mention(one)}" for one in begun.get(at, ())]
            left = [text for node, text in self._mentions.waiting.items() if text != node or self._is_alone(node)]
            self._mentions.waiting.clear()
            found += [self._indent(at) + one for one in (*left, *added)]
        found += [self._indent(len(self._chart.lines)) + one for one in self._undrawn()]
        return "\n".join(self._renamed(list(self._styled(found))))

    def _line(self, line: Line) -> list[str]:
        if {line.opens, line.closes} & self._changes.gone_scopes:
            return []
        if not self._is_changed(line):
            self._mentions.declared |= {node.id for node in line.nodes}
            for arrow in (one for statement in line.statements for one in statement.arrows):
                self._numbers += range(self._first[id(arrow)], self._first[id(arrow)] + len(arrow.pairs))
            return [line.text]
        pieces = self._pieces(line)
        head = line.text[: line.statements[0].groups[0][0].at[0]]
        if not head.strip():
            return [line.indent + piece for piece in pieces]
        # The kind of the diagram stands on the same line.
        return [head + pieces[0], *pieces[1:]] if pieces else [head.rstrip("; \t")]

    def _pieces(self, line: Line) -> list[str]:
        """Return what the statements of a line become; with what stands between and after them, where each is one."""
        told = [self._statement(one, line) for one in line.statements]
        if any(len(one) != 1 for one in told):
            pieces = [piece for one in told for piece in one]
            return ["; ".join(pieces)] if len(told) > 1 and pieces else pieces
        ends = [one.groups[-1][-1].at[1] for one in line.statements]
        begins = [*(one.groups[0][0].at[0] for one in line.statements[1:]), len(line.text)]
        return ["".join(f"{one[0]}{line.text[e:b]}" for one, e, b in zip(told, ends, begins, strict=True)).rstrip()]

    def _is_changed(self, line: Line) -> bool:
        changes = self._changes
        if any(id(link) in changes.dropped for link in line.links):
            return True
        return any(one.id in changes.gone or self._mentions.is_told_anew(one) for one in line.nodes)

    def _statement(self, statement: Statement, line: Line) -> list[str]:
        """Return what a statement becomes: as it was, with new nodes between, or cut where an arrow is gone."""
        pieces: list[str] = []
        apart: list[tuple[Arrow, str, Link]] = []
        group, is_joined = statement.groups[0], not statement.arrows
        text = self._group(group, line)
        for arrow, span, following in self._joined(statement):
            path = self._changes.path_of(arrow) if text else ()
            if path:
                text += self._along(path, arrow, line, span)
                is_joined = self._last(path) == following[0].id
                if not is_joined:
                    pieces.append(text + self._mentions.mention(self._last(path)))
                text = (text if is_joined else "") + self._group(following, line)
            elif text and self._changes.stays(arrow) and self._is_there(following):
                number = self._first[id(arrow)]
                gone = self._changes.gone
                self._numbers += [at for at, pair in enumerate(arrow.pairs, number) if not {*pair} & gone]
                text, is_joined = text + line.text[slice(*span)] + self._group(following, line), True
            else:
                self._end(pieces, text, None if is_joined else group, line)
                text, is_joined = self._group(following, line), False
                kept = [one for one in arrow.links if id(one) not in self._changes.dropped]
                left = [one for one in kept if not {one.source, one.target} & self._changes.gone]
                apart += [(arrow, line.text[slice(*span)], one) for one in left]
            group = following
        self._end(pieces, text, None if is_joined else group, line)
        return [*pieces, *(self._kept_link(*one) for one in apart)]

    def _kept_link(self, arrow: Arrow, between: str, link: Link) -> str:
        """Return one of several links that were one arrow, where others of it are gone."""
        at = arrow.links.index(link)
        self._numbers.append(self._first[id(arrow)] + at if at < len(arrow.pairs) else -1)
        between = " --> " if arrow.text.startswith("<") else between
        return f"{self._mentions.mention(link.source)}{between}{self._mentions.mention(link.target)}"

    def _end(self, pieces: list[str], text: str, alone: Sequence[Node] | None, line: Line) -> None:
        """End a piece of a statement; nodes that are joined to nothing in it wait for what they are joined to now."""
        if alone is None:
            pieces += [text] if text else []
            return
        known = self._changes.gone | self._mentions.pulled | self._mentions.waiting.keys()
        left = [one for one in alone if one.id not in known]
        self._mentions.waiting |= {one.id: self._mentions.text(one, line) for one in left}

    def _joined(self, statement: Statement) -> Iterator[tuple[Arrow, tuple[int, int], list[Node]]]:
        """Yield each arrow of a statement with where it stands and what it leads to, past a node that is gone."""
        is_passed = False
        for at, arrow in enumerate(statement.arrows):
            following = statement.groups[at + 1]
            span = statement.groups[at][-1].at[1], following[0].at[0]
            path = self._changes.path_of(arrow)
            after = statement.groups[at + 2] if at + 2 < len(statement.groups) else []
            leads_past = path and len(after) == 1 and after[0].id == self._last(path) and not self._is_there(following)
            if not is_passed:
                yield arrow, span, after if leads_past else following
            is_passed = bool(leads_past)

    def _last(self, path: writer.Path) -> str:
        return self._changes.ends(path[-1])[1]

    def _is_there(self, group: Sequence[Node]) -> bool:
        return any(node.id not in self._changes.gone for node in group)

    def _group(self, group: Sequence[Node], line: Line) -> str:
        """Return the nodes of a group that are there still."""
        left = [node for node in group if node.id not in self._changes.gone]
        if len(left) < len(group):
            return " & ".join(self._mentions.text(node, line) for node in left)
        text = ""
        for at, node in enumerate(group):
            text += line.text[group[at - 1].at[1] : node.at[0]] if at else ""
            text += self._mentions.text(node, line)
        return text

    def _along(self, path: writer.Path, arrow: Arrow, line: Line, span: tuple[int, int]) -> str:
        """Return the arrow that leads to the first of new nodes, and those between them."""
        self._numbers += [self._first[id(arrow)], *([-1] * (len(path) - 1))]
        was, edge = self._changes.was[id(arrow.links[0])], path[0]
        text = line.text[slice(*span)]
        if (was.type, writer.words_of(was)) != (edge.type, writer.words_of(edge)):
            text = self._relabelled(edge, arrow, line, span)
        for before, following in pairwise(path):
            text += f"{self._mentions.mention(self._changes.ends(before)[1])} {_arrow(following)} "
        return text

    def _relabelled(self, edge: Transition, arrow: Arrow, line: Line, span: tuple[int, int]) -> str:
        words = _quoted(writer.words_of(edge))
        if not words or edge.type in writer.ARROWS or arrow.text.startswith("-."):
            return f" {_arrow(edge)} "
        if arrow.label_at is None:
            return f"{line.text[slice(*span)].rstrip()}|{words}| "
        begins, ends = arrow.label_at
        told = f"|{words}|" if line.text[begins] == "|" else words
        return line.text[span[0] : begins] + told + line.text[ends : span[1]]

    def _state_line(self, line: Line) -> list[str]:
        changes = self._changes
        if {line.opens, line.closes} & changes.gone_scopes:
            return []
        named = [
            line.indent + self._declared_state(one.id)
            for one in line.nodes
            if self._mentions.is_told_anew(one)
            and one.label_at is None
            and one.opening not in ("fork", "join", "choice")
        ]
        for link in line.links:
            return [*named, *(line.indent + one for one in self._state_link(link, line))]
        self._mentions.declared |= {node.id for node in line.nodes}
        node = next(iter(line.nodes), None)
        if node is not None and node.id in changes.gone:
            return []
        if node is None or node.id not in changes.fresh:
            return [line.text]
        if node.label_at is None:
            # A composite state that opens here keeps its brace.
            return [f"{named[0]} {{"] if named and line.opens else named or [line.text]
        begins, ends = node.label_at
        return [line.text[:begins] + writer.label_of(changes.steps[node.id]) + line.text[ends:]]

    def _state_link(self, link: Link, line: Line) -> list[str]:
        if id(link) not in self._changes.dropped:
            self._mentions.declared |= {link.source, link.target}
            return [line.text.lstrip()]
        path = self._changes.path_of(line.statements[0].arrows[0])
        lines = [one for edge in path for one in self._new_link(edge)]
        left = [one.id for one in line.nodes if one.id in self._changes.steps and one.id not in self._mentions.declared]
        alone = [one for one in left if self._is_alone(one) and not one.startswith(END)]
        self._mentions.declared |= {*alone}
        return [*lines, *alone]

    def _new_by_line(self) -> tuple[dict[int, list[Transition]], dict[int, list[str]]]:
        """Return new transitions by the line that they come after, and where the whole begins if that is new."""
        changes, lines = self._changes, self._chart.lines
        last = max((at for at, line in enumerate(lines) if line.text.strip()), default=0)
        place: dict[str, int] = {}
        for at, line in enumerate(lines):
            place |= {node.id: at for node in line.nodes if node.id not in place}
            place |= {link.source: at for link in line.links}
        for at, line in enumerate(lines):
            place |= {link.source: at for link in line.links if id(link) in changes.dropped}
            for path in (changes.turned.get(id(link), ()) for link in line.links):
                place |= {changes.ends(edge)[1]: at for edge in path if changes.ends(edge)[1] not in changes.seen}
        for edge in (*changes.new, *changes.new):
            source, target = changes.ends(edge)
            if (known := place.get(source)) is not None:
                place.setdefault(target, known)
        found = self._in_order(place, last)
        if changes.is_begun:
            return found, {}
        dropped = (at for at, line in enumerate(lines) if any(id(link) in changes.dropped for link in line.links))
        return found, {next(dropped, last): [changes.nodes[changes.workflow.start]]}

    def _in_order(self, place: Mapping[str, int], last: int) -> dict[int, list[Transition]]:
        """Return new transitions by the line that they come after.

        That is the line of the transition before it, so that they are read in the order that they have, or that
        of its source where the other is in another subgraph.
        """
        changes, lines = self._changes, self._chart.lines
        drawn = {(link.source, link.target): at for at, line in enumerate(lines) for link in line.links}
        new, before = {id(edge) for edge in changes.new}, 0
        found: dict[int, list[Transition]] = {}
        for edge in changes.workflow.transitions:
            source, target = changes.ends(edge)
            if id(edge) not in new:
                before = drawn.get((source, target), before)
                continue
            at = place.get(source, place.get(target, last))
            before = max(before, at) if lines[before].scope == lines[at].scope else before
            found.setdefault(before if lines[before].scope == lines[at].scope else at, []).append(edge)
        return found

    def _new_link(self, edge: Transition) -> list[str]:
        ends = self._changes.ends(edge)
        if ends[0].startswith(END):
            # Nothing leaves the pseudo-state in which a scope ends: such a link would say where it begins.
            return []
        self._numbers.append(-1)
        if not self._chart.is_state:
            source = self._mentions.mention(ends[0])
            return [f"{source} {_arrow(edge)} {self._mentions.mention(ends[1])}"]
        known = self._mentions.declared | self._changes.seen.keys()
        lines = [self._declared_state(node) for node in ends if node in self._changes.fresh and node not in known]
        self._mentions.declared |= {*ends}
        words = escaped(writer.words_of(edge))
        link = f"{self._mentions.mention(ends[0])} --> {self._mentions.mention(ends[1])}"
        return [*lines, f"{link} : {words}" if words else link]

    def _undrawn(self) -> Iterator[str]:
        """Yield the declarations of new nodes that are joined to nothing."""
        known = self._mentions.declared | self._changes.seen.keys()
        for node in self._changes.steps:
            if node not in known and not node.startswith(END):
                yield self._declared_state(node) if self._chart.is_state else self._mentions.made(node)

    def _declared_state(self, node_id: str) -> str:
        return f'state "{writer.label_of(self._changes.steps[node_id])}" as {node_id}'

    def _is_alone(self, node_id: str) -> bool:
        workflow = self._changes.workflow
        return not any(node_id in self._changes.ends(edge) for edge in workflow.transitions)

    def _indent(self, at: int) -> str:
        """Return how what comes after a line is indented: as the nearest statement above it."""
        above = (line for line in reversed(self._chart.lines[: at + 1]) if line.is_statement and line.text.strip())
        line = next(above, None)
        return line.indent if line is not None and not line.opens else "    "

    def _styled(self, lines: Sequence[str]) -> Iterator[str]:
        """Yield the lines with styles of those nodes and links alone that are there."""
        numbers = {old: new for new, old in enumerate(self._numbers) if old >= 0}
        is_as_was = numbers == {at: at for at in range(self._count)}
        gone = self._changes.gone
        for line in lines:
            words = line.split(None, 2)
            indent = line[: len(line) - len(line.lstrip())]
            if len(words) == 3 and words[0] in ("class", "style", "click") and gone & {*words[1].split(",")}:
                left = [one for one in words[1].split(",") if one not in gone]
                yield from [f"{indent}{words[0]} {','.join(left)} {words[2]}"] if left else []
            elif len(words) == 3 and words[0] == "linkStyle" and words[1] != "default" and not is_as_was:
                given = [int(one) for one in words[1].split(",") if one.isdigit()]
                left = [str(numbers[one]) for one in given if one in numbers]
                yield from [f"{indent}linkStyle {','.join(left)} {words[2]}"] if left else []
            else:
                yield line

    def _renamed(self, lines: list[str]) -> list[str]:
        """Return the lines with the name of the workflow, where it has got another one."""
        name = self._changes.workflow.name
        if name == self._changes.base.name:
            return lines
        for at, line in enumerate(lines):
            if line.strip().startswith(("title:", "accTitle:")):
                return [*lines[:at], f'{line.partition(":")[0]}: "{escaped(name)}"', *lines[at + 1 :]]
        return [*writer.front(name), *lines]


def _arrow(edge: Transition) -> str:
    words = _quoted(writer.words_of(edge))
    return writer.ARROWS.get(edge.type, "-->") + (f"|{words}|" if words else "")


def _quoted(words: str) -> str:
    return words if writer.PLAIN_LABEL.fullmatch(words) else f'"{escaped(words)}"' if words else ""
