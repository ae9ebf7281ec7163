"""Invalid GitHub workflows of many kinds, after the checks that actionlint documents."""

import textwrap

import pytest

from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.analysis import format_findings
from workflow_agent.workflows.formats import import_workflow

BUILD = "jobs:\n  build:\n    runs-on: ubuntu-latest\n"
RUN = "steps:\n  - run: make\n"


def job(lines: str, runner: str = "ubuntu-latest") -> str:
    return f"on: push\njobs:\n  build:\n    runs-on: {runner}\n" + textwrap.indent(lines, "    ")


def run(script: str) -> str:
    return job(f"steps:\n  - run: {script}\n")


def on(event: str, lines: str) -> str:
    return f"on:\n  {event}:\n" + textwrap.indent(lines, "    ") + "\n" + BUILD + textwrap.indent(RUN, "    ")


def call(lines: str) -> str:
    return "on: push\njobs:\n  build:\n" + textwrap.indent(lines, "    ")


BAD_SHELL = "steps:\n  - run: make\n    shell: "
ENDS_BADLY = on("workflow_call", "outputs:\n  n:\n    value: ${{ jobs.ghost.outputs.x }}")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        pytest.param(on("issues", "types: [opened, vanished]"), "github-event-type", id="a type that never happens"),
        pytest.param(on("release", "types: publish"), "github-event-type", id="a single type"),
        pytest.param(on("push", "types: [opened]"), "github-schema", id="types of an event without any"),
        pytest.param(on("push", "branch: main"), "github-schema", id="a filter misspelt"),
        pytest.param(on("issues", "branches: [main]"), "github-event", id="a filter of another event"),
        pytest.param(on("workflow_run", "types: [completed]"), "github-event", id="a run of no workflow"),
        pytest.param(on("push", "branches: ['v[0-9']"), "github-pattern", id="a class that does not end"),
        pytest.param(on("push", "branches: ['+x']"), "github-pattern", id="once or more of nothing"),
        pytest.param(on("push", "branches: ['my branch']"), "github-pattern", id="space in a branch"),
        pytest.param(on("push", "tags: ['v^1']"), "github-pattern", id="a character no tag has"),
        pytest.param(on("push", "paths: ['./src/**']"), "github-pattern", id="a path that begins with a dot"),
        pytest.param(on("push", "branches: ['']"), "github-pattern", id="an empty pattern"),
        pytest.param(on("schedule", "- cron: '0 0 * * * *'"), "github-schedule", id="six fields"),
        pytest.param(on("schedule", "- cron: '*/2 * * * *'"), "github-schedule", id="every two minutes"),
        pytest.param(
            on("workflow_call", "inputs:\n  n:\n    type: number\n    default: many"), "github-input", id="no number"
        ),
        pytest.param(
            on("workflow_call", "inputs:\n  n:\n    type: string\n    required: true\n    default: x"),
            "github-default",
            id="a default that is never used",
        ),
        pytest.param(ENDS_BADLY, "github-unknown-value", id="an output of no job"),
        pytest.param(run("echo ${{ github.reff }}"), "github-unknown-value", id="no value of github"),
        pytest.param(run("echo ${{ runner.oss }}"), "github-unknown-value", id="no value of the runner"),
        pytest.param(run("echo ${{ job.state }}"), "github-unknown-value", id="no value of the job"),
        pytest.param(run("echo ${{ github.ref.name }}"), "github-unknown-value", id="a part of a text"),
        pytest.param(run("echo ${{ github.event }}"), "github-object", id="an object in a script"),
        pytest.param(run("echo ${{ upper(github.ref) }}"), "github-expression", id="no function"),
        pytest.param(run("echo ${{ format('{0} {1}', 'a') }}"), "github-expression", id="too few for format"),
        pytest.param(run("echo ${{ format('{0}', 'a', 'b') }}"), "github-expression", id="too many for format"),
        pytest.param(run("echo ${{ fromJSON('{a') }}"), "github-expression", id="no JSON"),
        pytest.param(job("env:\n  A: ${{ hashFiles('x') }}\n" + RUN), "github-context", id="files before the steps"),
        pytest.param(job("permissions:\n  id-token: read\n" + RUN), "github-schema", id="an access a scope has not"),
        pytest.param(job(RUN, "[ubuntu-latest, windows-latest]"), "github-runner", id="two systems at once"),
        pytest.param(job(BAD_SHELL + "cmd\n"), "github-shell", id="a shell of Windows"),
        pytest.param(job("defaults:\n  run:\n    shell: powershell\n" + RUN), "github-shell", id="by default"),
        pytest.param("defaults:\n  run:\n    shell: zsh\n" + job(RUN), "github-shell", id="no shell, for all jobs"),
        pytest.param(job("steps:\n  - uses: ./action@v1\n"), "github-action", id="a version of an own action"),
        pytest.param(
            job("steps:\n  - uses: actions/cache@v2\n    with: {path: ~/.cache, key: all}\n"),
            "github-retired",
            id="an action shut down",
        ),
        pytest.param(job("if: true\n" + RUN), "github-condition", id="always"),
        pytest.param(job("steps:\n  - run: make\n    if: ${{ false }}\n"), "github-condition", id="never"),
        pytest.param(job("env:\n  MY VAR: 1\n" + RUN), "github-variable", id="space in a variable"),
        pytest.param(job("env:\n  'A=B': 1\n" + RUN), "github-variable", id="a sign in a variable"),
        pytest.param(job("container:\n  env:\n    A: b\n" + RUN), "github-schema", id="a container of nothing"),
        pytest.param(job("services:\n  db:\n    image: x\n    port: 80\n" + RUN), "github-schema", id="no such field"),
    ],
)
def test_an_invalid_workflow_has_a_finding_at_its_place(text: str, rule: str) -> None:
    _, imported = import_workflow(text, "github-actions")
    found = format_findings(imported.workflow)

    assert [one.rule for one in found] == [rule]
    assert str(found[0].evidence["pointer"]).count("/") > 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param(job(RUN + RUN), "", id="a key twice"),
        pytest.param(job("needs: ghost\n" + RUN), "/jobs/build/needs", id="needs nobody"),
        pytest.param(job("needs: build\n" + RUN), "/jobs/build/needs", id="needs itself"),
        pytest.param(job("steps:\n  - uses: a/b@v1\n    run: make\n"), "/jobs/build/steps/0", id="two things at once"),
        pytest.param(job("timeout-minutes: long\n" + RUN), "/jobs/build/timeout-minutes", id="no minutes"),
        pytest.param(job("continue-on-error: perhaps\n" + RUN), "/jobs/build/continue-on-error", id="no yes or no"),
        pytest.param(job(RUN + "    timeout: 3\n"), "/jobs/build/steps/0/timeout", id="no field of a step"),
        pytest.param(
            call("uses: a/b/.github/workflows/c.yml@v1\nsecrets: inherits\n"), "/jobs/build/secrets", id="misspelt"
        ),
    ],
)
def test_a_workflow_of_the_wrong_shape_is_refused_at_its_place(text: str, place: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        import_workflow(text, "github-actions")

    assert refused.value.problems[0].pointer == place


@pytest.mark.parametrize(
    "text",
    [
        on("push", "branches: ['releases/**', '!main', 'v[0-9]+.x']\npaths: ['**.js', '[a-z]/?x']"),
        on("pull_request", "types: [opened, ready_for_review]\nbranches-ignore: ['feature/*']"),
        on("repository_dispatch", "types: [whatever, we call it]"),
        run("echo ${{ format('{{x}} {0} {1}', 'a', github.sha) }} ${{ github.event.issue.number }}"),
        job("strategy:\n  fail-fast: false\nsteps:\n  - uses: a/b@v1\n    with:\n      empty:\n"),
        job(BAD_SHELL + "cmd\n", "windows-latest"),
        job("if: github.ref == 'refs/heads/main' && always()\n" + RUN, "[self-hosted, linux]"),
    ],
)
def test_a_valid_workflow_has_no_finding(text: str) -> None:
    _, imported = import_workflow(text, "github-actions")

    assert format_findings(imported.workflow) == []
