"""A workflow as a Mermaid diagram: the one that was read with what changed, or a new one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from workflow_agent.workflows.diagrams.mermaid import escaped
from workflow_agent.workflows.diagrams.view import said
from workflow_agent.workflows.formats.base import Imported, UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft
from workflow_agent.workflows.formats.fidelity import kept_in
from workflow_agent.workflows.formats.mermaid import reader
from workflow_agent.workflows.formats.mermaid.chart import END, SHAPES, START, TITLE, Chart, Line, Node, read_chart
from workflow_agent.workflows.formats.mermaid.reader import BEGIN, SCOPE_PREFIX, kept_text, node_id_of
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.steps import Step, StepType
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

OPENINGS: Mapping[StepType, str] = {
    "action": "[", "human": "[/", "decision": "{", "fork": "{{", "join": "{{", "loop": "[[", "wait": "((",
    "event": ">", "subworkflow": "[[", "state": "(", "end": "([",
}  # fmt: skip
_ARROWS = {"error": "-.->", "compensation": "-.->", "data": "-.-"}
_Key = tuple[str, str, str, str]


def bare(workflow: Workflow, format_name: str) -> Workflow:
    """Return a workflow without the text and the node ids that are kept beside it."""

    def left(extensions: Mapping[str, object]) -> dict[str, object]:
        return {key: value for key, value in extensions.items() if key != format_name}

    steps = tuple(
        step.model_copy(update={"extensions": left(step.extensions)}) if step.extensions else step
        for step in workflow.steps
    )
    return workflow.model_copy(update={"steps": steps, "extensions": left(workflow.extensions)})


def diagram_text(workflow: Workflow, format_name: str) -> str:
    """Return the diagram of a workflow: the one it was read from, but for what changed; else a plain one."""
    text = kept_text(workflow, format_name)
    if text is None:
        return plain_diagram(workflow)
    try:
        return _Changed(workflow, read_chart(text), format_name).text()
    except UnreadableDocument:
        return plain_diagram(workflow)


def plain_diagram(workflow: Workflow) -> str:
    """Return a flowchart from the model alone."""
    members: dict[str | None, list[Step]] = {}
    for step in workflow.steps:
        members.setdefault(step.parent, []).append(step)
    lines = [*_front(workflow.name), "flowchart TD", f'    {BEGIN}((" "))', *_nested(members, None, "    ")]
    lines.append(f"    {BEGIN} --> {node_id_of(workflow.start)}")
    for edge in workflow.transitions:
        arrow = f"{_ARROWS.get(edge.type, '-->')}{_label(_words(edge))}"
        lines.append(f"    {node_id_of(edge.from_)} {arrow} {node_id_of(edge.to)}")
    return "\n".join(lines) + "\n"


def _front(title: str) -> list[str]:
    return ["---", f'title: "{escaped(title)}"', "---"]


def _nested(members: Mapping[str | None, Sequence[Step]], parent: str | None, indent: str) -> Iterator[str]:
    for step in members.get(parent, ()):
        who = f"<br/><i>{escaped(step.assignee)}</i>" if step.assignee else ""
        opening = OPENINGS[step.type]
        label = f'{opening}"{escaped(step.name)}{who}"{SHAPES[opening][0]}:::{step.type}Step'
        yield f"{indent}{node_id_of(step.id)}{label}"
        if step.id in members:
            yield f'{indent}subgraph {SCOPE_PREFIX}{step.id.replace("-", "D")}["{escaped(step.name)}"]'
            yield from _nested(members, step.id, indent + "    ")
            yield f"{indent}end"


def _label(words: str) -> str:
    return f'|"{escaped(words)}"|' if words else ""


def _words(edge: Transition) -> str:
    if edge.type == "error" and not edge.label and edge.errors:
        return f"on {', '.join(edge.errors)}"
    return said(edge)


class _Changed:
    """Writes the lines of a diagram again, those anew that say something that is no longer so."""

    def __init__(self, workflow: Workflow, chart: Chart, format_name: str) -> None:
        self._workflow = workflow
        self._chart = chart
        self._reader = reader.DiagramReader(chart, Draft(format_name, TITLE))
        self._base = self._reader.whole({}).workflow
        self._seen = reader.nodes_of(chart)
        before = {self._node_of(step, format_name): step for step in self._base.steps}
        self._nodes: dict[str, str] = {}
        """The node of each step."""
        taken = {one for one in self._seen if one not in before}
        for step in workflow.steps:
            node = self._node_of(step, format_name)
            node = unique_id(node, taken) if node in taken else node
            taken.add(node)
            self._nodes[step.id] = node
        after = {self._nodes[step.id]: step for step in workflow.steps}
        self._steps = after
        self._before = before
        self._gone = before.keys() - after.keys()
        own = {SCOPE_PREFIX + one.removeprefix(reader.STEP_PREFIX) for one in self._gone}
        has_scopes = chart.is_state or self._reader.is_ours
        self._gone_scopes = self._gone | own if has_scopes else set[str]()
        self._fresh = {one for one in after if one not in before or _told(before[one]) != _told(after[one])}
        """The nodes that have to be declared anew."""
        self._declared: set[str] = set()
        self._left = Counter(self._key(edge) for edge in workflow.transitions)
        self._dropped: set[int] = set()
        """The links that are no longer there, by what they are in memory: two of them may be equal."""
        names = {step.id: node for node, step in before.items()}
        for link, edge in zip(self._reader.drawn, self._base.transitions, strict=True):
            key = (names[edge.from_], names[edge.to], edge.type, said(edge))
            if self._left[key] > 0:
                self._left[key] -= 1
            else:
                self._dropped.add(id(link))
        start = self._nodes[workflow.start]
        self._dropped |= {id(link) for link, target in self._reader.started if target != start}
        self._starts = not self._reader.started or any(one == start for _, one in self._reader.started)

    def _node_of(self, step: Step, format_name: str) -> str:
        kept = kept_in(step.extensions, format_name).get("id")
        return kept if isinstance(kept, str) and kept in self._seen else node_id_of(step.id)

    def _key(self, edge: Transition) -> _Key:
        return self._nodes[edge.from_], self._nodes[edge.to], edge.type, said(edge)

    def text(self) -> str:
        """Return the whole document."""
        found: list[str] = []
        added = self._added()
        moved: list[int] = []
        numbered = {id(link): at for at, link in enumerate(x for line in self._chart.lines for x in line.links)}
        for at, line in enumerate(self._chart.lines):
            is_changed = self._is_changed(line)
            moved += [numbered[id(link)] for link in line.links if id(link) not in self._dropped]
            found += self._anew(line) if is_changed else [line.text]
            if not is_changed:
                self._declared |= {node.id for node in line.nodes}
            for statement in added.get(at, ()):
                found.append(statement)
                moved += [-1] * (" --> " in statement or "-.-" in statement)
        return "\n".join(self._renamed(self._styled(found, moved)))

    def _is_changed(self, line: Line) -> bool:
        if any(scope in self._gone_scopes for scope in (line.opens, line.closes) if scope):
            return True
        nodes = {node.id for node in line.nodes}
        return (
            bool(nodes & self._gone)
            or any(id(link) in self._dropped for link in line.links)
            or bool((nodes & self._fresh) - self._declared)
        )

    def _anew(self, line: Line) -> list[str]:
        if line.opens in self._gone_scopes or line.closes in self._gone_scopes:
            return []
        mentioned = {node.id: node for node in line.nodes if node.id not in self._gone}
        statements: list[str] = []
        if self._chart.is_state:
            statements += [self._state(one, line) for one in mentioned.values() if self._is_told(one)]
            self._declared |= mentioned.keys()
        linked: set[str] = set()
        for link in line.links:
            if id(link) not in self._dropped:
                source = self._mention(mentioned.get(link.source), link.source)
                target = self._mention(mentioned.get(link.target), link.target)
                statements.append(self._link(source, target, link.arrow, link.label))
                linked |= {link.source, link.target}
        if not self._chart.is_state:
            alone = [one for one in mentioned.values() if one.id not in linked]
            statements += [self._mention(one, one.id) for one in alone if one.opening or one.id in self._fresh]
        return [line.indent + one for one in statements]

    def _is_told(self, node: Node) -> bool:
        return bool(node.opening) or (node.id in self._fresh and node.id not in self._declared)

    def _state(self, node: Node, line: Line) -> str:
        step = self._steps[node.id]
        opens = " {" if line.opens == node.id else ""
        if node.opening in ("fork", "join", "choice"):
            return f"state {node.id} <<{node.opening}>>"
        return f'state "{escaped(step.name)}" as {node.id}{opens}'

    def _mention(self, node: Node | None, node_id: str) -> str:
        """Return the id of a node, with its label and shape where it has to be told here."""
        if node_id not in self._steps or self._chart.is_state:
            return "[*]" if node_id.startswith((START, END)) else node_id
        is_fresh = node_id in self._fresh and node_id not in self._declared
        self._declared.add(node_id)
        if node is not None and node.opening and node_id not in self._fresh:
            style = f":::{node.style}" if node.style else ""
            return f'{node_id}{node.opening}"{node.label or ""}"{node.closing}{style}'
        return self._made(node_id) if is_fresh or (node is not None and node.opening) else node_id

    def _made(self, node_id: str) -> str:
        step, seen = self._steps[node_id], self._seen.get(node_id)
        before = self._before.get(node_id)
        who = f"<br/><i>{escaped(step.assignee)}</i>" if step.assignee and self._reader.is_ours else ""
        if seen is not None and before is not None and before.type == step.type:
            opening, closing = seen.node.opening or "[", seen.node.closing or "]"
            style = f":::{seen.node.style}" if seen.node.style else ""
        else:
            opening = OPENINGS[step.type]
            closing, style = SHAPES[opening][0], f":::{step.type}Step"
            style = "" if step.type in ("action", "decision") and not self._reader.is_ours else style
        return f'{node_id}{opening}"{escaped(step.name)}{who}"{closing}{style}'

    def _link(self, source: str, target: str, arrow: str, label: str) -> str:
        if self._chart.is_state:
            return f"{source} --> {target}" + (f" : {label}" if label else "")
        quoted = label if not label or label.isalnum() else f'"{label}"'
        return f"{source} {arrow}{f'|{quoted}|' if label else ''} {target}"

    def _added(self) -> dict[int, list[str]]:
        """Return the statements of what is new, by the line that they come after."""
        last = max((at for at, line in enumerate(self._chart.lines) if line.text.strip()), default=0)
        place: dict[str, int] = {}
        for at, line in enumerate(self._chart.lines):
            place |= {node.id: at for node in line.nodes if node.id not in place}
            place |= {link.source: at for link in line.links}
        for at, line in enumerate(self._chart.lines):
            place |= {link.source: at for link in line.links if id(link) in self._dropped}
        found: dict[int, list[str]] = {}
        new = [edge for edge in self._workflow.transitions if self._take(edge)]
        for edge in (*new, *new):
            ends = self._nodes[edge.from_], self._nodes[edge.to]
            if (known := place.get(ends[0])) is not None:
                place.setdefault(ends[1], known)
        if not self._starts:
            node = self._nodes[self._workflow.start]
            at = next(
                (
                    at
                    for at, one in enumerate(self._chart.lines)
                    if any(id(link) in self._dropped for link in one.links)
                ),
                last,
            )
            begin = "[*]" if self._chart.is_state else BEGIN
            found.setdefault(at, []).append(self._indented(at, f"{begin} --> {node}"))
        for edge in new:
            ends = self._nodes[edge.from_], self._nodes[edge.to]
            at = place.get(ends[0], place.get(ends[1], last))
            found.setdefault(at, []).extend(self._indented(at, one) for one in self._new_link(edge, *ends))
        for node in sorted(self._fresh - self._declared - self._seen.keys(), key=list(self._steps).index):
            made = f'state "{escaped(self._steps[node].name)}" as {node}' if self._chart.is_state else self._made(node)
            found.setdefault(last, []).append(self._indented(last, made))
        return found

    def _take(self, edge: Transition) -> bool:
        key = self._key(edge)
        if self._left[key] <= 0:
            return False
        self._left[key] -= 1
        return True

    def _new_link(self, edge: Transition, source: str, target: str) -> list[str]:
        lines: list[str] = []
        for node in (source, target):
            if self._chart.is_state and node in self._fresh and node not in self._declared | self._seen.keys():
                lines.append(f'state "{escaped(self._steps[node].name)}" as {node}')
                self._declared.add(node)
        told = {one: one if one in self._seen else self._mention(None, one) for one in (source, target)}
        told = {one: "[*]" if one.startswith(END) else text for one, text in told.items()}
        arrow = _ARROWS.get(edge.type, "-->")
        return [*lines, self._link(told[source], told[target], arrow, escaped(_words(edge)))]

    def _indented(self, at: int, statement: str) -> str:
        line = self._chart.lines[at]
        return (line.indent if line.is_statement and line.text.strip() else "    ") + statement

    def _styled(self, lines: list[str], moved: Sequence[int]) -> list[str]:
        """Return the lines with styles of those nodes and links alone that are there."""
        numbers = {old: new for new, old in enumerate(moved) if old >= 0}
        is_as_was = numbers == {at: at for at in range(len(moved))} and not self._dropped
        found: list[str] = []
        for line in lines:
            words = line.split(None, 2)
            if len(words) == 3 and words[0] in ("class", "style", "click") and self._gone:
                left = [one for one in words[1].split(",") if one not in self._gone]
                if len(left) < words[1].count(",") + 1:
                    if left:
                        found.append(f"{line[: len(line) - len(line.lstrip())]}{words[0]} {','.join(left)} {words[2]}")
                    continue
            elif len(words) == 3 and words[0] == "linkStyle" and words[1] != "default" and not is_as_was:
                at = [numbers[int(one)] for one in words[1].split(",") if one.isdigit() and int(one) in numbers]
                if at:
                    indent = line[: len(line) - len(line.lstrip())]
                    found.append(f"{indent}linkStyle {','.join(map(str, at))} {words[2]}")
                continue
            found.append(line)
        return found

    def _renamed(self, lines: list[str]) -> list[str]:
        """Return the lines with the name of the workflow, where it has got another one."""
        if self._workflow.name == self._base.name:
            return lines
        for at, line in enumerate(lines):
            if line.strip().startswith(("title:", "accTitle:")):
                return [*lines[:at], f'{line.partition(":")[0]}: "{escaped(self._workflow.name)}"', *lines[at + 1 :]]
        return [*_front(self._workflow.name), *lines]


def _told(step: Step) -> tuple[object, ...]:
    return step.name, step.type, step.assignee


def read_diagram(text: str, format_name: str) -> Imported:
    """Return the workflow of a diagram.

    Raises:
        UnreadableDocument: It is no diagram that is read here, or has no steps.
    """
    chart = read_chart(text)
    imported = reader.DiagramReader(chart, Draft(format_name, TITLE)).whole({"text": text})
    return _without_kept(imported, format_name) if plain_diagram(imported.workflow) == text else imported


def _without_kept(imported: Imported, format_name: str) -> Imported:
    imported.report.kept.clear()
    left = {k: v for k, v in imported.workflow.extensions.items() if k != format_name}
    return Imported(imported.workflow.model_copy(update={"extensions": left}), imported.report)
