"""Fixes of what the linters of other tools find: applied, the finding is gone, and nothing else is another."""

import json
from typing import Any

import pytest

from tests.support.growth import assert_grows_linearly
from workflow_agent.workflows.analysis import format_findings
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats import import_workflow
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow


def fixed(text: str) -> tuple[set[str], Any]:
    """Return the rules that offer a fix for a document, and the document with the fixes applied."""
    format_, imported = import_workflow(text)
    findings = [one for one in format_findings(imported.workflow) if one.fix]
    workflow = imported.workflow
    for one in findings:
        workflow = apply_edits(workflow, parse_edits(list(one.fix))).workflow
    assert {one.rule for one in findings}.isdisjoint(one.rule for one in format_findings(workflow))
    return {one.rule for one in findings}, read_text(format_.write(workflow).text)


def job(step: str, runner: str = "ubuntu-latest") -> str:
    return f"on: push\njobs:\n  build:\n    runs-on: {runner}\n    steps:\n      - {step}\n"


@pytest.mark.parametrize(
    ("script", "mended"),
    [
        ('echo "::set-output name=tag::v $TAG"', 'echo "tag=v $TAG" >> "$GITHUB_OUTPUT"'),
        ("echo ::set-output name=tag::$TAG", 'echo "tag=$TAG" >> "$GITHUB_OUTPUT"'),
        ("echo '::set-env name=A::b'", "echo 'A=b' >> \"$GITHUB_ENV\""),
        ("echo ::add-path::/opt/bin", 'echo "/opt/bin" >> "$GITHUB_PATH"'),
        ("make\n  echo ::save-state name=a::b\nmake", 'make\n  echo "a=b" >> "$GITHUB_STATE"\nmake'),
    ],
)
def test_a_retired_command_becomes_a_line_of_the_runners_file(script: str, mended: str) -> None:
    text = job(f"run: {json.dumps(script)}")

    rules, after = fixed(text)

    assert rules == {"github-retired"}
    assert after == read_text(job(f"run: {json.dumps(mended)}"))


@pytest.mark.parametrize(
    "step",
    [
        job("run: 'echo ::set-output name=a::b'", "windows-latest"),
        job("{run: 'echo ::set-output name=a::b', shell: pwsh}"),
        job("run: 'echo ::set-output name=a::b%0Ac'"),
        job("run: 'echo ::set-output name=a::b | tee log'"),
        job("uses: actions/cache@v1"),
    ],
)
def test_what_may_mean_something_else_is_left_to_people(step: str) -> None:
    rules, after = fixed(step)

    assert rules == set()
    assert after == read_text(step)


def test_a_condition_with_text_around_it_is_worked_out_as_a_whole() -> None:
    rules, after = fixed(job("{run: make, if: \"${{ github.ref == 'a' || vars.b }} && true\"}"))

    assert rules == {"github-condition"}
    assert after["jobs"]["build"]["steps"][0]["if"] == "(github.ref == 'a' || vars.b) && true"


def test_an_action_of_the_same_repository_loses_its_version() -> None:
    rules, after = fixed(job("uses: ./tools/act@v1"))

    assert rules == {"github-action"}
    assert after == read_text(job("uses: ./tools/act"))


def test_deprecated_fields_of_a_map_get_their_new_names() -> None:
    inner = {"StartAt": "B", "States": {"B": {"Type": "Pass", "End": True}}}
    state = {"Type": "Map", "Iterator": inner, "Parameters": {"x.$": "$.y"}, "End": True}

    rules, after = fixed(json.dumps({"StartAt": "A", "States": {"A": state}}))

    assert rules == {"asl-deprecated"}
    assert after["States"]["A"] == {"Type": "Map", "ItemProcessor": inner, "ItemSelector": {"x.$": "$.y"}, "End": True}


def machine_of(state: dict[str, Any], **rest: Any) -> str:
    return json.dumps({"StartAt": "A", "States": {"A": state, "B": {"Type": "Pass", "End": True}}, **rest})


def test_space_around_an_expression_goes() -> None:
    state = {"Type": "Pass", "Output": {"a": " {% $x := 1 %}\n"}, "Next": "B"}

    rules, after = fixed(machine_of(state, QueryLanguage="JSONata"))

    assert rules == {"asl-literal"}
    assert after["States"]["A"]["Output"] == {"a": "{% $x := 1 %}"}


def test_a_rule_that_is_never_taken_goes() -> None:
    big = {"Variable": "$.n", "NumericGreaterThan": 9, "Next": "B"}

    rules, after = fixed(machine_of({"Type": "Choice", "Choices": [big, big], "Default": "B"}))

    assert rules == {"asl-choice"}
    assert after["States"]["A"]["Choices"] == [big]


def test_a_rule_that_is_never_taken_stays_where_nothing_else_leads_to_its_state() -> None:
    big = {"Variable": "$.n", "NumericGreaterThan": 9}
    choice = {"Type": "Choice", "Choices": [{**big, "Next": "B"}, {**big, "Next": "C"}], "Default": "B"}

    assert (
        fixed(json.dumps({"StartAt": "A", "States": {"A": choice} | {one: {"Type": "Succeed"} for one in "BC"}}))[0]
        == set()
    )


def test_the_one_flow_without_a_condition_becomes_the_default() -> None:
    text = process(
        '<startEvent id="s" name="S"/><exclusiveGateway id="g" name="G?"/><task id="t" name="T"/>'
        '<endEvent id="e" name="E"/><sequenceFlow id="f1" sourceRef="s" targetRef="g"/>'
        '<sequenceFlow id="f2" sourceRef="g" targetRef="t">'
        "<conditionExpression>x</conditionExpression></sequenceFlow>"
        '<sequenceFlow id="f3" sourceRef="g" targetRef="e"/><sequenceFlow id="f4" sourceRef="t" targetRef="e"/>'
    )

    rules, after = fixed(text)

    assert rules == {"bpmn-condition"}
    assert '<bpmn:exclusiveGateway name="G?" id="g" default="f3">' in after


@pytest.mark.parametrize(
    "others", ["", '<endEvent id="e" name="E"/><sequenceFlow id="f2" sourceRef="s" targetRef="e"/>']
)
def test_work_that_ends_somewhere_is_led_to_an_end(others: str) -> None:
    text = process(
        '<startEvent id="s" name="S"/><task id="t" name="T"/><sequenceFlow id="f1" sourceRef="s" targetRef="t"/>'
        + others
    )

    rules, after = fixed(text)

    assert rules == {"bpmn-implicit-end"}
    assert after.count("<bpmn:endEvent") == 1


def process(inside: str) -> str:
    model = "http://www.omg.org/spec/BPMN/20100524/MODEL"
    return f'<definitions xmlns="{model}" targetNamespace="x"><process id="p">{inside}</process></definitions>'


@pytest.mark.slow
def test_fixes_of_open_ends_take_as_long_as_there_are_ends() -> None:
    def made(count: int) -> Workflow:
        steps = [{"id": "start", "name": "Start"}, *({"id": f"s{at}", "name": f"Step {at}"} for at in range(count))]
        ways = [{"id": f"t{at}", "from": "start", "to": f"s{at}"} for at in range(count)]
        source = {"format": "bpmn", "name": "Wide"}
        return parse_workflow({"id": "wf_wide", "name": "Wide", "steps": steps, "transitions": ways, "source": source})

    def fixes(workflow: Workflow) -> None:
        found = [one for one in format_findings(workflow) if one.fix]
        assert len(found) == len(workflow.steps) - 1

    assert_grows_linearly(made, fixes, 4_800)
