"""What is wrong with the jobs and steps of a GitHub Actions workflow."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.github_actions.reader import default_name
from workflow_agent.workflows.formats.github_actions.shapes import VOCABULARY, jobs_in, steps_in
from workflow_agent.workflows.formats.lint import LintRule, lint_rule, setting
from workflow_agent.workflows.formats.plain import list_in, object_in, repeated, without
from workflow_agent.workflows.formats.shapes import Place
from workflow_agent.workflows.model.steps import Step

RULES: list[LintRule] = []
_SCOPES: frozenset[str] = VOCABULARY["permissions"]
_HOSTED = re.compile(r"(?:ubuntu|windows|macos)-[\w.-]+", re.IGNORECASE)
_KNOWN_HOSTED = re.compile(
    r"ubuntu-(?:latest|slim|2[0246]\.04)(?:-arm)?|windows-(?:latest|20(?:19|22|25))(?:-vs20\d\d)?|windows-11-arm"
    r"|macos-(?:latest|1[1-9]|2\d)(?:\.\d+)?(?:-(?:x?large|intel))?"
    r"|(?:ubuntu|windows|macos)-[\w.]+-\d+-?cores?(?:-[\w-]+)?|(?:ubuntu|windows)-latest-[\w-]+",
    re.IGNORECASE,
)
_RETIRED_RUNNER = re.compile(r"ubuntu-1[4-9]\.\d\d|windows-201\d|macos-(?:10\.\d+|1[1-3])")
_SHELLS = frozenset({"bash", "sh", "pwsh", "powershell", "cmd", "python"})
_RETIRED = re.compile(r"::(set-env|add-path|set-output|save-state)\b")
_ACTION = re.compile(r"\./.*|docker://.+|[^/@\s]+/[^@\s]+@\S+|\$.*|.*\$\{\{.*", re.DOTALL)
_WORKFLOW = re.compile(r"\./\.github/workflows/[^/@]+\.ya?ml|[^/@\s]+/[^/@\s]+/[^@\s]+\.ya?ml@\S+|\$.*", re.DOTALL)
_RETIRED_ACTION = re.compile(r"actions/(?:(?:upload|download)-artifact@v[1-3]|cache(?:/\w+)?@v[12])(?:\.[\d.]+)?")
"""Those that GitHub's servers do not answer any more."""
_NODE_12 = re.compile(
    r"actions/(?:checkout@v[12]|setup-(?:node|java|dotnet|go)@v1|setup-(?:node|java|go|python)@v2|setup-python@v1"
    r"|github-script@v[1-5]|labeler@v[23]|stale@v[1-4])(?:\.[\d.]+)?"
    r"|docker/(?:login-action|setup-buildx-action|setup-qemu-action)@v1(?:\.[\d.]+)?"
    r"|docker/build-push-action@v2(?:\.[\d.]+)?"
)
"""Those that are written for Node.js 12, which runners do not have any more."""
_INPUTS: Mapping[str, frozenset[str]] = VOCABULARY["inputs"]
"""What actions of GitHub's own take, of any version, in small letters: case does not count."""
_NEEDED: Mapping[str, frozenset[str]] = VOCABULARY["needed"]
_ONLY_WINDOWS = frozenset({"cmd", "powershell"})
_NO_VARIABLE = re.compile(r"[\s=&]")
_FILES = {"set-output": "OUTPUT", "set-env": "ENV", "save-state": "STATE", "add-path": "PATH"}
_COMMAND = re.compile(
    r"^([ \t]*)echo[ \t]+([\"']?)::"
    r"(?:(set-output|set-env|save-state)[ ]name=([\w-]+)|(add-path))::([^\"'\n%;|&<>\\]*)\2[ \t]*$",
    re.MULTILINE,
)
"""A line that does nothing but give a command, without the escapes that only commands have."""


def file_for_command(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return a script that writes into the files of the runner what it gave as retired commands."""
    job = object_in(object_in(document.get("jobs")).get(problem.pointer.split("/")[2]))
    shells = (object_in(object_in(one.get("defaults")).get("run")).get("shell") for one in (document, job))
    shell = step.with_.get("shell") or next(filter(None, shells), None)
    script, runner = step.with_.get("run"), str(job.get("runs-on"))
    is_of_unix = shell in ("bash", "sh") or (shell is None and runner.startswith(("ubuntu-", "macos-")))
    if not isinstance(script, str) or not is_of_unix:
        return {}
    mended = _COMMAND.sub(_written, script)
    if _RETIRED.search(mended):
        return {}
    return {"with": {**step.with_, "run": mended}} | _name(step, {"run": script}, {"run": mended})


def _name(step: Step, before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the name of a step that was called after what it does, now that it does this."""
    return {"name": default_name(after)} if step.name == default_name(before) else {}


def _written(command: re.Match[str]) -> str:
    indent, quote, name, key, path, value = command.groups()
    if not quote and re.search(r"\s", value):
        return command[0]
    said = f"{key}={value}" if key else value
    mark = quote or '"'
    return f'{indent}echo {mark}{said}{mark} >> "$GITHUB_{_FILES[name or path]}"'


def without_version(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return an action of the same repository without the version that it does not take."""
    del problem, document
    if not step.uses or not step.uses.startswith("./"):
        return {}
    uses = step.uses.partition("@")[0]
    return {"uses": uses} | _name(step, {"uses": step.uses}, {"uses": uses})


@lint_rule(RULES, "github-permission", "error", "GitHub refuses the file.")
def _permissions(document: Any, place: Place) -> None:
    """Find permissions that do not exist."""
    for owner, here in ((document, place), *jobs_in(document, place)):
        for scope, access in object_in(owner.get("permissions")).items():
            inside = here / "permissions" / str(scope)
            if scope not in _SCOPES:
                inside.refuse(f"there is no permission {str(scope)[:40]!r}", sorted(_SCOPES))
            elif access not in ("read", "write", "none") and "$" not in str(access):
                inside.refuse(f"must be read, write or none, got {str(access)[:40]!r}")


@lint_rule(RULES, "github-runner", "error", "The job waits for ever.")
def _runners(document: Any, place: Place) -> None:
    """Find labels of hosted runners that GitHub never had."""
    for job, here in jobs_in(document, place):
        runs_on = job.get("runs-on")
        labels = [runs_on] if isinstance(runs_on, str) else list_in(runs_on)
        systems = {
            label.split("-")[0].lower() for label in labels if isinstance(label, str) and _HOSTED.fullmatch(label)
        }
        if len(systems) > 1:
            (here / "runs-on").refuse(f"asks for a runner that is {' and '.join(sorted(systems))} at once")
        for label in labels:
            is_hosted = isinstance(label, str) and _HOSTED.fullmatch(label) and "self-hosted" not in labels
            is_known = is_hosted and (_KNOWN_HOSTED.fullmatch(label) or _RETIRED_RUNNER.fullmatch(label))
            if is_hosted and not is_known:
                (here / "runs-on").refuse(f"GitHub has no runner {label[:40]!r}")


@lint_rule(RULES, "github-job", "error", "GitHub refuses the file.")
def _job_rules(document: Any, place: Place) -> None:
    """Find ids used twice, and jobs that call a workflow in a way they cannot."""
    names = [str(here.path[-1]).lower() for _, here in jobs_in(document, place)]
    for job, here in jobs_in(document, place):
        if names.count(str(here.path[-1]).lower()) > 1:
            here.refuse("differs from another job by capital letters alone")
        _step_ids(job, here / "steps")
        if "uses" in job:
            _called(job, here)


def _step_ids(job: Mapping[str, Any], here: Place) -> None:
    ids = [str(object_in(step).get("id", "")).lower() for step in list_in(job.get("steps"))]
    for at in (at for at in repeated(ids) if ids[at]):
        (here / at / "id").refuse(f"{ids[at]!r} is the id of an earlier step of this job")


def _called(job: Mapping[str, Any], here: Place) -> None:
    for key in sorted({"runs-on", "env", "timeout-minutes", "container", "services"} & job.keys()):
        (here / key).refuse("has no place in a job that calls a workflow")
    if not _WORKFLOW.fullmatch(str(job["uses"])):
        (here / "uses").refuse(f"{str(job['uses'])[:80]!r} is no workflow like owner/repo/path.yml@ref")


@lint_rule(RULES, "github-action", "error", "The job fails there.", fix=setting(without_version))
def _actions(document: Any, place: Place) -> None:
    """Find actions that cannot be found."""
    for step, here in steps_in(document, place):
        uses = step.get("uses")
        if isinstance(uses, str) and not _ACTION.fullmatch(uses.strip()):
            (here / "uses").refuse(f"{uses[:80]!r} is no action like owner/repo@ref, ./path or docker://image")
        elif isinstance(uses, str) and uses.startswith("./") and "@" in uses:
            (here / "uses").refuse(f"{uses[:80]!r} is in this repository, and takes no `@` and version")
        for key in sorted({"shell", "working-directory"} & step.keys() if "uses" in step else ()):
            (here / key).refuse("counts only for `run`")


@lint_rule(RULES, "github-action-input", "warning", "The action does not look at it, or fails.")
def _action_inputs(document: Any, place: Place) -> None:
    """Find inputs that well-known actions do not have, or cannot do without."""
    for step, here in steps_in(document, place):
        action = str(step.get("uses", "")).strip().partition("@")[0].lower()
        given = object_in(step.get("with"))
        for name in given if action in _INPUTS else ():
            if name.lower() not in _INPUTS[action]:
                (here / "with" / name).refuse(f"{action} has no input {name[:40]!r}", sorted(_INPUTS[action]))
        for name in sorted(_NEEDED.get(action, frozenset[str]()) - {name.lower() for name in given}):
            (here / "uses").refuse(f"{action} needs the input `{name}`")


@lint_rule(RULES, "github-timeout", "error", "GitHub refuses to run the job.")
def _timeouts(document: Any, place: Place) -> None:
    """Find deadlines of no time at all."""
    for owner, here in (*jobs_in(document, place), *steps_in(document, place)):
        if owner.get("timeout-minutes") == 0:
            (here / "timeout-minutes").refuse("must be more than 0 minutes")


@lint_rule(RULES, "github-shell", "error", "The job fails there.")
def _shells(document: Any, place: Place) -> None:
    """Find shells that are not on the job's runner."""
    for shell, system, here in _shells_used(document, place):
        if shell not in _SHELLS and "{0}" not in shell and "$" not in shell:
            here.refuse(f"there is no shell {shell[:40]!r}", sorted(_SHELLS))
        elif shell in _ONLY_WINDOWS and system in ("ubuntu", "macos"):
            here.refuse(f"{shell!r} is only on Windows, and the job runs on {system}")


def _shells_used(document: Any, place: Place) -> Iterator[tuple[str, str, Place]]:
    """Yield the shells with the system they are for, where that is told."""

    def of(owner: Mapping[str, Any], system: str, here: Place) -> Iterator[tuple[str, str, Place]]:
        if isinstance(shell := owner.get("shell"), str):
            yield shell, system, here / "shell"

    yield from of(object_in(object_in(document.get("defaults")).get("run")), "", place / "defaults" / "run")
    for job, here in jobs_in(document, place):
        label = job.get("runs-on")
        system = label.split("-")[0].lower() if isinstance(label, str) and _HOSTED.fullmatch(label) else ""
        yield from of(object_in(object_in(job.get("defaults")).get("run")), system, here / "defaults" / "run")
        for at, step in enumerate(list_in(job.get("steps"))):
            yield from of(object_in(step), system, here / "steps" / at)


@lint_rule(RULES, "github-variable", "error", "GitHub refuses the file.")
def _variables(document: Any, place: Place) -> None:
    """Find names that no variable can have."""
    for owner, here in ((document, place), *jobs_in(document, place), *steps_in(document, place)):
        for name in object_in(owner.get("env")):
            if not name or _NO_VARIABLE.search(name):
                (here / "env" / name).refuse(f"{name[:40]!r} is no name of a variable: it has space, `=` or `&`")


@lint_rule(RULES, "github-retired", "warning", "The step fails now, or some day.", fix=setting(file_for_command))
def _retired(document: Any, place: Place) -> None:
    """Find commands, actions and runners that GitHub has retired."""
    for step, here in steps_in(document, place):
        for command in sorted(set(_RETIRED.findall(str(step.get("run", ""))))):
            (here / "run").refuse(f"uses the command `{command}`, which GitHub has retired")
        if isinstance(uses := step.get("uses"), str) and _RETIRED_ACTION.fullmatch(uses.strip()):
            (here / "uses").refuse(f"GitHub has shut down what {uses.strip()!r} asks")
        elif isinstance(uses, str) and _NODE_12.fullmatch(uses.strip()):
            (here / "uses").refuse(f"{uses.strip()!r} is for Node.js 12, which GitHub's runners do not have any more")
    for job, here in jobs_in(document, place):
        if _RETIRED_RUNNER.fullmatch(str(job.get("runs-on"))):
            (here / "runs-on").refuse(f"GitHub has retired the runner {job['runs-on']!r}")


@lint_rule(RULES, "github-password", "warning", "Everybody who reads the file has it.")
def _passwords(document: Any, place: Place) -> None:
    """Find passwords of containers in the open."""
    for job, here in jobs_in(document, place):
        services = object_in(job.get("services")).items()
        placed = [(one, here / "services" / str(name)) for name, one in services]
        for container, inside in ((job.get("container"), here / "container"), *placed):
            password = object_in(object_in(container).get("credentials")).get("password")
            if isinstance(password, str) and password and "${{" not in password:
                (inside / "credentials" / "password").refuse("has a password in the open; use a secret")


@lint_rule(RULES, "github-matrix", "warning", "Jobs are missing, or run twice.")
def _matrices(document: Any, place: Place) -> None:
    """Find matrices with no value, a value twice, or one excluded that is not there."""
    for job, here in jobs_in(document, place):
        matrix = object_in(object_in(job.get("strategy")).get("matrix"))
        rows = without(matrix, "include", "exclude")
        inside = here / "strategy" / "matrix"
        for key, values in rows.items():
            if values == []:
                (inside / key).refuse("has no values, so that the job never runs")
            elif any(one in list_in(values)[:at] for at, one in enumerate(list_in(values))):
                (inside / key).refuse("has a value twice")
        for at, one in enumerate(list_in(matrix.get("exclude"))):
            for key, value in object_in(one).items():
                row = rows.get(key, [])
                if isinstance(row, list) and value not in row and "${{" not in f"{row}{value}":
                    (inside / "exclude" / at / key).refuse(f"{value!r} is no value of this matrix")
