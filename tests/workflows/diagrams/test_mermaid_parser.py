"""The Mermaid we write is read by Mermaid's own parser."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.diagrams import HOSTILE, inside_a_loop, named
from tests.support.findings import process
from tests.support.mermaid_parser import MermaidParser, MermaidSyntaxError
from tests.support.workflows import workflows
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.diagrams import DiagramView
from workflow_agent.workflows.diagrams.graph import diagram_of
from workflow_agent.workflows.diagrams.svg.style import changes_of
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.model.steps import STEP_TYPES
from workflow_agent.workflows.model.transitions import TRANSITION_TYPES
from workflow_agent.workflows.model.workflow import Workflow

pytestmark = pytest.mark.untraced

many = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def mermaid() -> Iterator[MermaidParser]:
    parser = MermaidParser()
    yield parser
    parser.close()


def assert_reads(mermaid: MermaidParser, workflow: Workflow) -> None:
    """Check that the parser finds every step and line of a workflow's Mermaid."""
    view = DiagramView(workflow)

    chart = mermaid.parse(diagram_of(workflow, findings=analyze(workflow)))

    node_ids = {f"s_{step_id.replace('-', 'D')}" for step_id in view.shown}
    assert node_ids | {"begin"} == set(chart.texts) - {"rest"}
    assert len(chart.edges) == len(view.lines) + 1
    assert len(chart.subgraphs) == sum(1 for scope in view.children if scope)


def test_the_parser_refuses_what_is_no_diagram(mermaid: MermaidParser) -> None:
    with pytest.raises(MermaidSyntaxError, match="Parse error"):
        mermaid.parse('flowchart TD\n    a["unclosed --> b\n')


def test_mermaid_of_every_kind_of_step_and_transition_parses(mermaid: MermaidParser) -> None:
    steps = {kind: {"type": kind} for kind in STEP_TYPES}

    assert_reads(mermaid, process(*(f"action>human ({kind})" for kind in TRANSITION_TYPES), **steps))


@pytest.mark.parametrize("name", HOSTILE)
def test_mermaid_of_hostile_names_parses(mermaid: MermaidParser, name: str) -> None:
    assert_reads(mermaid, named(name))


@many
@given(st.text(min_size=1, max_size=120).filter(str.strip))
def test_mermaid_of_any_name_parses(mermaid: MermaidParser, name: str) -> None:
    assert_reads(mermaid, named(name))


@many
@given(workflows())
def test_mermaid_of_any_workflow_parses(mermaid: MermaidParser, workflow: Workflow) -> None:
    assert_reads(mermaid, workflow)


@many
@given(workflows(), workflows())
def test_mermaid_of_any_change_parses(mermaid: MermaidParser, before: Workflow, after: Workflow) -> None:
    changes = changes_of(diff_workflows(before, after))

    assert mermaid.parse(diagram_of(after, changes=changes, collapse="always")).texts


def test_mermaid_of_a_large_workflow_parses(mermaid: MermaidParser) -> None:
    assert_reads(mermaid, inside_a_loop(100))
    assert_reads(mermaid, process(*[f"n{at}>n{at + 1}" for at in range(1_000)]))
