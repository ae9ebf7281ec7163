"""Says whether any document takes longer than a second or more than 200 MB: of the corpus, and large made ones.

    python -m benchmarks.eval_sizes

Each document is read, written in its own format, and analysed: seconds of the processor, the best of two, and
the most memory that Python had at once for it, with the garbage collector set as in a server. The made ones are
as large as a document may be, or nearly: 5 million characters and 200,000 values, with thousands of steps in a
row, beside one another and drawn in part.
"""

import json
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

from benchmarks.corpus import CORPUS, document_text, documents
from workflow_agent.main.process import collect_seldom
from workflow_agent.workflows.analysis import analysis_of
from workflow_agent.workflows.formats import import_workflow, import_workflows
from workflow_agent.workflows.formats.base import Format
from workflow_agent.workflows.model.workflow import Workflow

MOST_SECONDS, MOST_BYTES = 1.0, 200_000_000
STEPS = 4_900
_BPMN = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x"'
    ' xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"'
    ' xmlns:di="http://www.omg.org/spec/DD/20100524/DI">'
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one document takes, by what is done with it."""

    name: str
    seconds: Mapping[str, float]
    most_bytes: int

    @property
    def holds(self) -> bool:
        """Whether each takes no more than it may."""
        return max(self.seconds.values()) <= MOST_SECONDS and self.most_bytes <= MOST_BYTES


def cost(name: str, text: str, format_name: str) -> Cost:
    """Return what a document takes."""

    def read() -> tuple[Format, Workflow]:
        format_, imported = import_workflow(text, format_name)
        return format_, imported.workflow

    return _cost(name, *read(), read)


def _cost(name: str, format_: Format, workflow: Workflow, read: Callable[[], Any]) -> Cost:
    acts: dict[str, Callable[[], Any]] = {
        "read": read,
        "write": lambda: format_.write(workflow),
        "analyse": lambda: analysis_of(workflow, ()),
    }
    return Cost(name, {what: _seconds(act) for what, act in acts.items()}, max(map(_bytes, acts.values())))


def _seconds(act: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(2):
        started = process_time()
        act()
        best = min(best, process_time() - started)
        if best < MOST_SECONDS / 10:
            break
    return best


def _bytes(act: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bpmn(count: int, *, drawn: int, is_row: bool = True) -> str:
    """Return a process of so many tasks, of which the first ones are drawn."""
    ids = [f"t{number}" for number in range(count)]
    ends = list(zip(["s", *ids[:-1]], ids, strict=True)) if is_row else [("s", one) for one in ids]
    tasks = [f'<userTask id="{one}" name="Task {one}"/>' for one in ids]
    flows = [f'<sequenceFlow id="f-{b}" sourceRef="{a}" targetRef="{b}"/>' for a, b in ends]
    shapes = [
        f'<bpmndi:BPMNShape id="{one}_di" bpmnElement="{one}">'
        f'<dc:Bounds x="{150 * at}" y="80" width="100" height="80"/></bpmndi:BPMNShape>'
        for at, one in enumerate(ids[:drawn])
    ]
    lines = [
        f'<bpmndi:BPMNEdge id="f-{one}_di" bpmnElement="f-{one}"><di:waypoint x="{150 * at}" y="120"/>'
        f'<di:waypoint x="{150 * at + 50}" y="120"/></bpmndi:BPMNEdge>'
        for at, one in enumerate(ids[:drawn])
    ]
    sheet = f'<bpmndi:BPMNDiagram id="D"><bpmndi:BPMNPlane id="P" bpmnElement="p">{"".join(shapes + lines)}'
    diagram = f"{sheet}</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>" if drawn else ""
    parts = ['<startEvent id="s"/>', *tasks, *flows]
    return f'{_BPMN}<process id="p">{"".join(parts)}</process>{diagram}</definitions>'


def _machine(count: int) -> str:
    states: dict[str, Any] = {f"S{n}": {"Type": "Pass", "Next": f"S{n + 1}"} for n in range(count - 1)}
    return json.dumps({"StartAt": "S0", "States": {**states, f"S{count - 1}": {"Type": "Pass", "End": True}}})


def _tasks(count: int) -> str:
    tasks = [{"name": f"t{n}", "template": "say", **({"depends": f"t{n - 1}"} if n else {})} for n in range(count)]
    templates = [{"name": "main", "dag": {"tasks": tasks}}, {"name": "say", "container": {"image": "alpine"}}]
    head = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"generateName": "x-"}}
    return json.dumps({**head, "spec": {"entrypoint": "main", "templates": templates}})


def _jobs(count: int) -> str:
    job = {"runs-on": "ubuntu-latest", "steps": [{"run": "echo ${{ github.ref }}"}]}
    return json.dumps(
        {"on": "push", "jobs": {f"j{n}": {**job, **({"needs": f"j{n - 1}"} if n else {})} for n in range(count)}}
    )


def _chart(count: int) -> str:
    return "flowchart TD\n" + "\n".join(f"  n{n}[Step {n}] -->|ok| n{n + 1}[Step {n + 1}]" for n in range(count))


def _graph(count: int) -> str:
    return "digraph x {\n" + "\n".join(f'  n{n} -> n{n + 1} [label="ok"];' for n in range(count)) + "\n}"


def made() -> Iterator[tuple[str, str, str]]:
    """Yield the name, the text and the format of each large document."""
    yield f"BPMN, {STEPS:,} tasks in a row, drawn", bpmn(STEPS, drawn=STEPS), "bpmn"
    yield f"BPMN, {STEPS:,} tasks in a row, one drawn", bpmn(STEPS, drawn=1), "bpmn"
    yield f"BPMN, {STEPS:,} tasks beside one another, half drawn", bpmn(STEPS, drawn=STEPS // 2, is_row=False), "bpmn"
    yield f"States Language, {STEPS:,} states", _machine(STEPS), "asl"
    yield "Argo, 2,000 tasks", _tasks(2_000), "argo"
    yield "GitHub Actions, 1,000 jobs", _jobs(1_000), "github-actions"
    yield "Mermaid, 2,000 edges", _chart(2_000), "mermaid"
    yield "DOT, 2,000 edges", _graph(2_000), "dot"


def costs() -> Iterator[Cost]:
    """Yield what each large document takes."""
    for name, text, format_name in made():
        yield cost(name, text, format_name)


def costs_of_corpus() -> Iterator[Cost]:
    """Yield what each document of the corpus that is read takes; of several in a file, the whole file is read."""
    for one in documents(CORPUS):
        if one.format and one.imported:
            text = document_text(one.path)
            yield _cost(one.file, one.format, one.imported.workflow, partial(import_workflows, text))


def main() -> None:
    """Print what the large documents take, and the slowest and largest of the corpus."""
    collect_seldom()
    listed = list(costs())
    if CORPUS.is_dir():
        found = list(costs_of_corpus())
        listed += {
            one.name: one
            for one in (
                max(found, key=lambda each: max(each.seconds.values())),
                max(found, key=lambda each: each.most_bytes),
            )
        }.values()
    for one in listed:
        told = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in one.seconds.items())
        print(f"{one.name}: {told}, {one.most_bytes / 1e6:.0f} MB{'' if one.holds else '  TOO MUCH'}")


if __name__ == "__main__":
    main()
