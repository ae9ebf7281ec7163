"""Fixes of what the linters of other tools find: applied, the finding is gone, and nothing else is another."""

import json
from typing import Any

import pytest

from workflow_agent.workflows.analysis.imported import format_findings
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats import import_workflow
from workflow_agent.workflows.formats.text import read_text


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
