"""What is promised of the sample workflows in `data/samples`."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import STEP_TYPES, Step
from workflow_agent.workflows.model.transitions import TRANSITION_TYPES
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

SAMPLES = sorted((Path(__file__).parents[3] / "data" / "samples").glob("*.json"))

each_sample = pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SAMPLES])


def read(path: Path) -> Workflow:
    return parse_workflow(json.loads(path.read_text(encoding="utf-8")))


def everything() -> list[Workflow]:
    return [read(path) for path in SAMPLES]


def next_steps(workflow: Workflow, step_id: str) -> set[str]:
    """Return where a step leads, into the scope it opens included."""
    entries = {s.id for s in workflow.steps if s.parent == step_id and not workflow.incoming(s.id)}
    return {edge.to for edge in workflow.outgoing(step_id)} | entries


def reached_from(workflow: Workflow, step_id: str) -> set[str]:
    reached: set[str] = set()
    waiting = [step_id]
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting += next_steps(workflow, here)
    return reached


def leads_on(workflow: Workflow, step: Step) -> str:
    """Return the step whose way on counts: a loop's body ends where its loop goes on."""
    return step.parent or step.id


def repeated(values: Iterable[str]) -> set[str]:
    listed = [value.casefold() for value in values]
    return {value for value in listed if listed.count(value) > 1}


def test_there_are_processes_and_lifecycles_enough_to_talk_about() -> None:
    lifecycles = [w for w in everything() if any(step.type == "state" for step in w.steps)]

    assert len(SAMPLES) >= 10
    assert len(lifecycles) >= 2
    assert len(SAMPLES) - len(lifecycles) >= 8


@each_sample
def test_sample_is_canonical_byte_for_byte(path: Path) -> None:
    written = path.read_text(encoding="utf-8")

    canonical = json.dumps(workflow_document(read(path)), indent=2, ensure_ascii=False) + "\n"

    assert written == canonical


@each_sample
def test_file_is_named_after_the_workflow(path: Path) -> None:
    assert read(path).id == f"wf_{path.stem}"


@each_sample
def test_sample_is_a_first_version_that_seeding_dates(path: Path) -> None:
    sample = read(path)

    assert (sample.version, sample.created_at, sample.updated_at) == (1, None, None)


@each_sample
def test_sample_can_be_found_and_started(path: Path) -> None:
    sample = read(path)

    assert sample.description
    assert sample.aliases
    assert sample.tags
    assert sample.triggers


@each_sample
def test_every_step_is_reached_from_the_start(path: Path) -> None:
    sample = read(path)

    assert {step.id for step in sample.steps} - reached_from(sample, sample.start) == set()


@each_sample
def test_every_step_leads_to_an_end_that_says_how_it_ends(path: Path) -> None:
    sample = read(path)
    ends = {step.id for step in sample.steps if step.type == "end" and step.outcome}

    stuck = [s.id for s in sample.steps if not reached_from(sample, leads_on(sample, s)) & ends]

    assert stuck == []


@each_sample
def test_nothing_leaves_an_end(path: Path) -> None:
    sample = read(path)

    assert [step.id for step in sample.steps if step.type == "end" and sample.outgoing(step.id)] == []


@each_sample
def test_every_decision_is_complete(path: Path) -> None:
    sample = read(path)

    for step in sample.steps:
        if step.type == "decision":
            types = sorted(edge.type for edge in sample.outgoing(step.id))
            assert types[:1] == ["condition"], step.id
            assert types.count("default") == 1, step.id


@each_sample
def test_every_person_has_a_role_and_every_action_a_service(path: Path) -> None:
    sample = read(path)

    assert [step.id for step in sample.steps if step.type == "human" and not step.assignee] == []
    assert [step.id for step in sample.steps if step.type == "action" and not step.uses] == []


@each_sample
def test_what_is_read_was_written_by_a_form_or_a_step(path: Path) -> None:
    sample = read(path)
    written = {key for step in sample.steps for key in step.writes}
    written |= {field.key for step in sample.steps if step.form for field in step.form.fields}

    assert {key for step in sample.steps for key in step.reads} - written == set()


@each_sample
def test_what_a_lifecycle_lets_people_do_has_a_permission(path: Path) -> None:
    sample = read(path)

    assert [edge.id for edge in sample.transitions if edge.action and not edge.permission] == []


def test_names_and_aliases_mean_one_sample_each() -> None:
    assert repeated(name for sample in everything() for name in (sample.name, *sample.aliases)) == set()


def test_subworkflows_are_among_the_samples() -> None:
    ids = {sample.id for sample in everything()}

    called = {step.workflow for sample in everything() for step in sample.steps if step.workflow}

    assert called
    assert called <= ids


def test_samples_use_every_type_of_step() -> None:
    assert {step.type for sample in everything() for step in sample.steps} == set(STEP_TYPES)


def test_samples_use_every_type_of_transition_but_side_ports() -> None:
    used = {edge.type for sample in everything() for edge in sample.transitions}

    assert used == set(TRANSITION_TYPES) - {"data"}


def test_samples_use_every_type_of_trigger() -> None:
    used = {trigger.type for sample in everything() for trigger in sample.triggers}

    assert used == {"manual", "schedule", "event", "webhook", "workflow"}


@pytest.mark.parametrize("service", ["slack", "jira", "stripe", "email", "salesforce", "github", "okta"])
def test_common_services_are_found_in_some_sample(service: str) -> None:
    calls = [step.uses for sample in everything() for step in sample.steps if step.uses]
    calls += [automation.effect.type for sample in everything() for automation in sample.automations]

    assert any(call.startswith(service) for call in calls)
