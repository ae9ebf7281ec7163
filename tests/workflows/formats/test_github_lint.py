"""What GitHub's own linters find, in workflows that have the right shape."""

import textwrap

import pytest

from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.analysis import format_findings
from workflow_agent.workflows.formats import import_workflow
from workflow_agent.workflows.formats.github_actions.expressions import read_expression

STEPS = "jobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n"


def found(text: str) -> list[tuple[str, str]]:
    _, imported = import_workflow(textwrap.dedent(text), "github-actions")
    return [(one.rule, str(one.evidence["pointer"])) for one in format_findings(imported.workflow)]


def job(lines: str, *, on: str = "push") -> str:
    return f"on: {on}\njobs:\n  build:\n    runs-on: ubuntu-latest\n" + textwrap.indent(lines, "    ")


def steps(*lines: str) -> str:
    return job("steps:\n" + "".join(f"  - {line}\n" for line in lines))


RUN = "steps:\n  - run: make\n"


@pytest.mark.parametrize(
    ("text", "rule", "pointer"),
    [
        (steps("run: echo ${{ unknown.value }}"), "github-expression", "/jobs/build/steps/0/run"),
        (steps("run: echo ${{ toYaml(github) }}"), "github-expression", "/jobs/build/steps/0/run"),
        (steps('run: echo ${{ github.ref == "main" }}'), "github-expression", "/jobs/build/steps/0/run"),
        (steps("run: echo ${{ github.ref"), "github-expression", "/jobs/build/steps/0/run"),
        (job("if: secrets.TOKEN != ''\n" + RUN), "github-context", "/jobs/build/if"),
        (job("env:\n  A: ${{ runner.os }}\n" + RUN), "github-context", "/jobs/build/env/A"),
        (steps("run: echo ${{ success() }}"), "github-context", "/jobs/build/steps/0/run"),
        (job("container: '${{ secrets.IMAGE }}'\n" + RUN), "github-context", "/jobs/build/container"),
        (
            steps("run: echo ${{ steps.later.outputs.x }}", "{id: later, run: make}"),
            "github-unknown-value",
            "/jobs/build/steps/0/run",
        ),
        (steps("run: echo ${{ needs.other.result }}"), "github-unknown-value", "/jobs/build/steps/0/run"),
        (steps("run: echo ${{ matrix.os }}"), "github-unknown-value", "/jobs/build/steps/0/run"),
        (steps("run: echo ${{ inputs.name }}"), "github-unknown-value", "/jobs/build/steps/0/run"),
        (
            job(RUN) + "  after:\n    runs-on: ubuntu-latest\n    needs: build\n    steps:\n"
            "      - run: echo ${{ needs.build.outputs.tag }}\n",
            "github-unknown-value",
            "/jobs/after/steps/0/run",
        ),
        (job(RUN, on="{schedule: [{cron: '*/2 * * * *'}]}"), "github-schedule", "/on/schedule/0/cron"),
        (job(RUN, on="{schedule: [{cron: '0 25 * * *'}]}"), "github-schedule", "/on/schedule/0/cron"),
        (job(RUN, on="pushed"), "github-event", "/on/pushed"),
        (job(RUN, on="{push: {branches: [a], branches-ignore: [b]}}"), "github-event", "/on/push"),
        (
            job(RUN, on="{workflow_dispatch: {inputs: {" + "".join(f"i{n}: {{}}, " for n in range(26)) + "}}}"),
            "github-input",
            "/on/workflow_dispatch/inputs",
        ),
        (
            job(RUN, on="{workflow_dispatch: {inputs: {a: {type: text}}}}"),
            "github-input",
            "/on/workflow_dispatch/inputs/a/type",
        ),
        (
            job(RUN, on="{workflow_dispatch: {inputs: {a: {type: choice, options: [x], default: y}}}}"),
            "github-input",
            "/on/workflow_dispatch/inputs/a/default",
        ),
        (
            job(RUN, on="{workflow_dispatch: {inputs: {a: {type: choice}}}}"),
            "github-input",
            "/on/workflow_dispatch/inputs/a",
        ),
        (
            job(RUN, on="{workflow_dispatch: {inputs: {a: {type: boolean, default: 'yes'}}}}"),
            "github-input",
            "/on/workflow_dispatch/inputs/a/default",
        ),
        (job(RUN, on="{workflow_call: {inputs: {a: {}}}}"), "github-input", "/on/workflow_call/inputs/a"),
        (job("permissions: {content: read}\n" + RUN), "github-permission", "/jobs/build/permissions/content"),
        (job("permissions: {contents: admin}\n" + RUN), "github-permission", "/jobs/build/permissions/contents"),
        (job(RUN).replace("ubuntu-latest", "ubuntu-lates"), "github-runner", "/jobs/build/runs-on"),
        (job(RUN).replace("ubuntu-latest", "ubuntu-16.04"), "github-retired", "/jobs/build/runs-on"),
        (steps("{id: a, run: make}", "{id: A, run: make}"), "github-job", "/jobs/build/steps/1/id"),
        (job(RUN) + "  Build:\n    runs-on: ubuntu-latest\n    steps: [{run: make}]\n", "github-job", "/jobs/build"),
        ("on: push\njobs:\n  a:\n    uses: owner/repo/x.yml\n", "github-job", "/jobs/a/uses"),
        (
            "on: push\njobs:\n  a:\n    uses: o/r/x.yml@v1\n    timeout-minutes: 3\n",
            "github-job",
            "/jobs/a/timeout-minutes",
        ),
        (steps("uses: actions/checkout"), "github-action", "/jobs/build/steps/0/uses"),
        (steps("{run: make, shell: fish}"), "github-shell", "/jobs/build/steps/0/shell"),
        (steps("{uses: a/b@v1, shell: bash}"), "github-action", "/jobs/build/steps/0/shell"),
        (job("strategy: {matrix: {os: []}}\n" + RUN), "github-matrix", "/jobs/build/strategy/matrix/os"),
        (job("strategy: {matrix: {os: [a, a]}}\n" + RUN), "github-matrix", "/jobs/build/strategy/matrix/os"),
        (
            job("strategy: {matrix: {os: [a], exclude: [{os: b}]}}\n" + RUN),
            "github-matrix",
            "/jobs/build/strategy/matrix/exclude/0/os",
        ),
        (job("if: ${{ false }} && true\n" + RUN), "github-condition", "/jobs/build/if"),
        (steps("run: echo '::set-env name=a::b'"), "github-retired", "/jobs/build/steps/0/run"),
        (steps("uses: actions/checkout@v2"), "github-retired", "/jobs/build/steps/0/uses"),
        (job("timeout-minutes: 0\n" + RUN), "github-timeout", "/jobs/build/timeout-minutes"),
        (steps("{run: make, timeout-minutes: 0}"), "github-timeout", "/jobs/build/steps/0/timeout-minutes"),
        (
            steps("{uses: actions/checkout@v4, with: {fetch-deep: 0}}"),
            "github-action-input",
            "/jobs/build/steps/0/with/fetch-deep",
        ),
        (steps("{uses: actions/cache@v4, with: {path: a}}"), "github-action-input", "/jobs/build/steps/0/uses"),
        (steps("run: echo ${{ github.event.issue.title }}"), "github-injection", "/jobs/build/steps/0/run"),
        (
            steps("{uses: actions/github-script@v7, with: {script: 'x(${{ github.head_ref }})'}}"),
            "github-injection",
            "/jobs/build/steps/0/with",
        ),
        (
            job("container: {image: a, credentials: {username: u, password: hunter2}}\n" + RUN),
            "github-password",
            "/jobs/build/container/credentials/password",
        ),
    ],
)
def test_a_mistake_is_found_at_its_place(text: str, rule: str, pointer: str) -> None:
    assert (rule, pointer) in found(text)


def test_what_is_right_is_left_alone() -> None:
    text = """
        name: Right
        on:
          schedule: [{cron: '0,30 * * * *'}, {cron: $cron-daily}]
          workflow_dispatch: {inputs: {level: {type: choice, options: [a, b], default: a}}}
        permissions: {contents: read, id-token: write}
        env: {TOKEN: '${{ secrets.TOKEN }}'}
        jobs:
          build:
            strategy: {matrix: {os: [ubuntu-latest, macos-14], include: [{os: windows-2022, extra: 1}]}}
            runs-on: ${{ matrix.os }}
            outputs: {tag: '${{ steps.tag.outputs.tag }}'}
            steps:
              - {id: tag, run: 'echo ${{ matrix.extra || github.event.commits[0].id }}'}
              - {if: 'always() && !cancelled()', run: 'echo ${{ join(inputs.level) }}', shell: pwsh}
              - {uses: ./local, if: "${{ steps['tag'].outcome == 'success' && (hashFiles('a') != '') }}"}
          deploy:
            needs: [build]
            if: needs.build.outputs.tag != '' && contains(fromJSON('[1, -2.5]'), 1)
            uses: owner/repo/.github/workflows/deploy.yml@v1
            with: {tag: '${{ needs.build.outputs.tag }}'}
    """

    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    ["", "a(", "github.", "1 ==", "contains('a')", "github.ref main", "(github.ref", "github['a'", "'open", ",", "!"],
)
def test_an_expression_that_cannot_be_read_says_why(text: str) -> None:
    assert read_expression(text).problem


def test_the_same_key_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'build' is there twice at line"):
        found(job(RUN) + "  build:\n    runs-on: a\n    steps: [{run: b}]\n")


def test_a_finding_names_the_step_it_is_about() -> None:
    _, imported = import_workflow(steps("run: make", "run: echo ${{ github.head_ref }}"))

    (one,) = format_findings(imported.workflow)

    inner = [step.id for step in imported.workflow.steps if step.parent]
    assert one.steps == (inner[1],)
