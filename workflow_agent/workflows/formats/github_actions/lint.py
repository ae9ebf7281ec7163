"""What is wrong with a GitHub Actions workflow that has the right shape."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.workflows.formats.github_actions.expressions import Expression, expressions_in
from workflow_agent.workflows.formats.github_actions.shapes import needs_of
from workflow_agent.workflows.formats.github_actions.triggers import EVENTS
from workflow_agent.workflows.formats.lint import LintRule
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in
from workflow_agent.workflows.model.triggers import cron_problem

_LEAST_CRON_MINUTES = 5
_MOST_INPUTS = 25
_ANYWHERE = frozenset({"github", "inputs", "vars"})
_JOB = _ANYWHERE | {"needs", "strategy", "matrix"}
_STEP = _JOB | {"job", "runner", "env", "secrets", "steps"}
_ALLOWED: tuple[tuple[str, frozenset[str]], ...] = (
    (r"/(run-name|concurrency)(/.*)?", _ANYWHERE),
    (r"/env/.*", _ANYWHERE | {"secrets"}),
    (r"/on/workflow_call/outputs/.*", _ANYWHERE | {"jobs"}),
    (r"/on/.*", _ANYWHERE),
    (r"/jobs/[^/]+/if", _ANYWHERE | {"needs"}),
    (r"/jobs/[^/]+/strategy/.*", _ANYWHERE | {"needs"}),
    (r"/jobs/[^/]+/(name|runs-on|continue-on-error|timeout-minutes|concurrency|with)(/.*)?", _JOB),
    (r"/jobs/[^/]+/environment/url", _STEP - {"secrets"}),
    (r"/jobs/[^/]+/environment(/.*)?", _JOB),
    (r"/jobs/[^/]+/(env|secrets)/.*", _JOB | {"secrets"}),
    (r"/jobs/[^/]+/defaults/.*", _JOB | {"env"}),
    (r"/jobs/[^/]+/(container|services)(/.*)?", _STEP - {"steps"}),
    (r"/jobs/[^/]+/outputs/.*", _STEP),
    (r"/jobs/[^/]+/steps/\d+/if", _STEP - {"secrets"}),
    (r"/jobs/[^/]+/steps/.*", _STEP),
)
"""Which values an expression may name, by where it stands; the first place that fits counts."""
_STATUS = frozenset({"success", "failure", "always", "cancelled"})
_SCOPES = frozenset({
    "actions", "artifact-metadata", "attestations", "checks", "code-quality", "contents", "deployments",
    "discussions", "id-token", "issues", "models", "packages", "pages", "pull-requests",
    "repository-projects", "security-events", "statuses", "vulnerability-alerts",
})  # fmt: skip
_EVENTS = EVENTS - {"pull_request_comment"}
_FILTERS = ("branches", "tags", "paths")
_INPUT_TYPES = frozenset({"boolean", "choice", "environment", "number", "string"})
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
_UNTRUSTED = re.compile(
    r"github\.head_ref|github\.event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|"
    r"repo\.default_branch))|(?:comment|review|review_comment|discussion)\.(?:body|title)|pages\.\*\.page_name|"
    r"(?:commits\.\*|head_commit)\.(?:message|author\.(?:email|name))|workflow_run\.(?:head_branch|"
    r"head_commit\.(?:message|author\.(?:email|name))|pull_requests\.\*\.head\.ref))"
)
_ACTION = re.compile(r"\./.*|docker://.+|[^/@\s]+/[^@\s]+@\S+|\$.*|.*\$\{\{.*", re.DOTALL)
_WORKFLOW = re.compile(r"\./\.github/workflows/[^/@]+\.ya?ml|[^/@\s]+/[^/@\s]+/[^@\s]+\.ya?ml@\S+|\$.*", re.DOTALL)


def _jobs(document: Any, place: Place) -> Iterator[tuple[str, Mapping[str, Any], Place]]:
    for name, job in object_in(document.get("jobs")).items():
        yield name, object_in(job), place / "jobs" / name


def _steps(document: Any, place: Place) -> Iterator[tuple[Mapping[str, Any], Place]]:
    for _, job, here in _jobs(document, place):
        for at, step in enumerate(list_in(job.get("steps"))):
            yield object_in(step), here / "steps" / at


def _events(document: Any) -> dict[str, Any]:
    on = document.get("on")
    listed: list[Any] = [on] if isinstance(on, str) else list_in(on)
    return dict.fromkeys(map(str, listed)) if listed else object_in(on)


def _texts(value: Any, place: Place) -> Iterator[tuple[str, Place]]:
    if isinstance(value, str):
        yield value, place
        return
    for key, item in object_in(value).items():
        yield from _texts(item, place / str(key))
    for at, item in enumerate(list_in(value)):
        yield from _texts(item, place / at)


def _expressions(document: Any, place: Place) -> Iterator[tuple[Expression, Place]]:
    for text, here in _texts(document, place):
        if "${{" in text or here.path[-1:] == ("if",):
            for one in expressions_in(text, is_condition=here.path[-1:] == ("if",)):
                yield one, here


def _unreadable(document: Any, place: Place) -> None:
    for one, here in _expressions(document, place):
        if one.problem:
            here.refuse(f"the expression {one.text[:60]!r} {one.problem}")


def _misplaced(document: Any, place: Place) -> None:
    for one, here in _expressions(document, place):
        where = "/" + "/".join(map(str, here.path))
        allowed = next((names for pattern, names in _ALLOWED if re.fullmatch(pattern, where)), None)
        for root in {value[0] for value in one.values} if allowed is not None else ():
            if allowed is not None and root not in allowed:
                here.refuse(f"`{root}` is not known here", sorted(allowed))
        if one.functions & _STATUS and here.path[-1:] != ("if",):
            here.refuse("asks how the steps before ended, which only `if` can")


def _unknown_values(document: Any, place: Place) -> None:
    events = _events(document)
    inputs = {
        name.lower()
        for event in ("workflow_dispatch", "workflow_call")
        for name in object_in(object_in(events.get(event)).get("inputs"))
    }
    jobs = object_in(document.get("jobs"))
    for one, here in _expressions(document, place):
        job = object_in(jobs.get(str(here.path[1]))) if here.path[:1] == ("jobs",) and len(here.path) > 1 else {}
        known = _known(job, here.path)
        for root, *rest in one.values:
            if not rest or rest[0] == "*":
                continue
            names = inputs if root == "inputs" else known.get(root)
            if names is not None and rest[0] not in names:
                here.refuse(f"there is no `{root}.{rest[0]}`", sorted(names))
            elif root == "needs" and len(rest) > 2 and rest[1] == "outputs" and rest[2] != "*":
                _check_output(jobs, rest[0], rest[2], here)


def _known(job: Mapping[str, Any], path: Sequence[str | int]) -> dict[str, set[str]]:
    """Return the names below `steps`, `needs` and `matrix` in a place of a job, where that can be told."""
    if not job:
        return {}
    steps = list_in(job.get("steps"))
    before = steps[: int(path[3])] if path[2:3] == ("steps",) and len(path) > 3 else steps
    known = {
        "steps": {str(object_in(step).get("id", "")).lower() for step in before},
        "needs": {name.lower() for name in needs_of(job)},
    }
    strategy = job.get("strategy", {})
    matrix = object_in(strategy).get("matrix", {})
    include = object_in(matrix).get("include", [])
    # An expression in place of any of them may bring whatever it likes.
    if not any(isinstance(one, str) for one in (strategy, matrix, include)):
        said = [object_in(matrix), *(object_in(one) for one in list_in(include))]
        known["matrix"] = {str(key).lower() for one in said for key in one} - {"include", "exclude"}
    return known


def _check_output(jobs: Mapping[str, Any], needed: str, output: str, here: Place) -> None:
    job = object_in(next((one for name, one in jobs.items() if name.lower() == needed), None))
    outputs = {str(name).lower() for name in object_in(job.get("outputs"))}
    if "steps" in job and output not in outputs:
        here.refuse(f"the job {needed!r} has no output {output[:60]!r}", sorted(outputs))


def _schedules(document: Any, place: Place) -> None:
    for at, one in enumerate(list_in(_events(document).get("schedule"))):
        cron, here = str(object_in(one).get("cron", "")).strip(), place / "on" / "schedule" / at / "cron"
        if "$" in cron:
            continue
        if problem := cron_problem(cron):
            here.refuse(problem)
        elif (minutes := _shortest_minutes(cron.split()[0])) < _LEAST_CRON_MINUTES:
            here.refuse(f"would run every {minutes} minutes; GitHub runs a schedule every five at most")


def _shortest_minutes(field: str) -> int:
    """Return the fewest minutes between two runs of an hour by the minutes of a cron expression."""
    minutes: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        begin = 0 if span == "*" else int(first)
        end = 59 if span == "*" or (step and not last) else int(last or first)
        minutes.update(range(begin, end + 1, int(step or 1)))
    listed = sorted(minutes)
    return min(
        (after - before for before, after in zip(listed, [*listed[1:], listed[0] + 60], strict=True)), default=60
    )


def _unknown_events(document: Any, place: Place) -> None:
    for event, given in _events(document).items():
        here = place / "on" / event
        if event not in _EVENTS:
            here.refuse(f"GitHub has no event {event[:40]!r}", sorted(_EVENTS))
        for name in _FILTERS:
            if {name, f"{name}-ignore"} <= object_in(given).keys():
                here.refuse(f"has `{name}` and `{name}-ignore`, of which an event may have one")


def _inputs(document: Any, place: Place) -> None:
    for event in ("workflow_dispatch", "workflow_call"):
        inputs = object_in(object_in(_events(document).get(event)).get("inputs"))
        here = place / "on" / event / "inputs"
        if event == "workflow_dispatch" and len(inputs) > _MOST_INPUTS:
            here.refuse(f"has {len(inputs)} inputs, and GitHub takes at most {_MOST_INPUTS}")
        for name, given in inputs.items():
            _input(object_in(given), event, here / str(name))


def _input(given: Mapping[str, Any], event: str, here: Place) -> None:
    kind = given.get("type")
    allowed = _INPUT_TYPES if event == "workflow_dispatch" else frozenset({"boolean", "number", "string"})
    if kind is None and event == "workflow_call":
        here.refuse("needs a `type`", sorted(allowed))
    elif kind is not None and kind not in allowed:
        (here / "type").refuse(f"there is no type {str(kind)[:40]!r} of inputs here", sorted(allowed))
    options, default = list_in(given.get("options")), given.get("default")
    if kind == "choice" and not options:
        here.refuse("is a choice without `options`")
    elif kind == "choice" and default not in (None, "") and default not in options:
        (here / "default").refuse(f"{default!r} is none of the options", [str(one) for one in options])
    elif kind == "boolean" and default is not None and not isinstance(default, bool) and "$" not in str(default):
        (here / "default").refuse(f"must be true or false, got {default!r}")


def _permissions(document: Any, place: Place) -> None:
    places = [(document, place), *((job, here) for _, job, here in _jobs(document, place))]
    for owner, here in places:
        for scope, access in object_in(owner.get("permissions")).items():
            inside = here / "permissions" / str(scope)
            if scope not in _SCOPES:
                inside.refuse(f"there is no permission {str(scope)[:40]!r}", sorted(_SCOPES))
            elif access not in ("read", "write", "none") and "$" not in str(access):
                inside.refuse(f"must be read, write or none, got {str(access)[:40]!r}")


def _runners(document: Any, place: Place) -> None:
    for _, job, here in _jobs(document, place):
        runs_on = job.get("runs-on")
        labels = [runs_on] if isinstance(runs_on, str) else list_in(runs_on)
        for label in labels:
            is_hosted = isinstance(label, str) and _HOSTED.fullmatch(label) and "self-hosted" not in labels
            is_known = is_hosted and (_KNOWN_HOSTED.fullmatch(label) or _RETIRED_RUNNER.fullmatch(label))
            if is_hosted and not is_known:
                (here / "runs-on").refuse(f"GitHub has no runner {label[:40]!r}")


def _job_rules(document: Any, place: Place) -> None:
    names = [name.lower() for name, _, _ in _jobs(document, place)]
    for name, job, here in _jobs(document, place):
        if names.count(name.lower()) > 1:
            here.refuse("differs from another job by capital letters alone")
        _step_ids(job, here / "steps")
        if "uses" in job:
            _called(job, here)


def _step_ids(job: Mapping[str, Any], here: Place) -> None:
    seen: set[str] = set()
    for at, step in enumerate(list_in(job.get("steps"))):
        own = str(object_in(step).get("id", "")).lower()
        if own and own in seen:
            (here / at / "id").refuse(f"{own!r} is the id of an earlier step of this job")
        seen.add(own)


def _called(job: Mapping[str, Any], here: Place) -> None:
    for key in sorted({"runs-on", "env", "timeout-minutes", "container", "services"} & job.keys()):
        (here / key).refuse("has no place in a job that calls a workflow")
    if not _WORKFLOW.fullmatch(str(job["uses"])):
        (here / "uses").refuse(f"{str(job['uses'])[:80]!r} is no workflow like owner/repo/path.yml@ref")


def _actions(document: Any, place: Place) -> None:
    for step, here in _steps(document, place):
        uses = step.get("uses")
        if isinstance(uses, str) and not _ACTION.fullmatch(uses.strip()):
            (here / "uses").refuse(f"{uses[:80]!r} is no action like owner/repo@ref, ./path or docker://image")
        shell = step.get("shell")
        if isinstance(shell, str) and shell not in _SHELLS and "{0}" not in shell and "$" not in shell:
            (here / "shell").refuse(f"there is no shell {shell[:40]!r}", sorted(_SHELLS))
        for key in sorted({"shell", "working-directory"} & step.keys() if "uses" in step else ()):
            (here / key).refuse("counts only for `run`")


def _always_true(document: Any, place: Place) -> None:
    for text, here in _texts(document.get("jobs"), place / "jobs"):
        plain = text.strip()
        is_mixed = "${{" in plain and not (plain.startswith("${{") and plain.endswith("}}"))
        if here.path[-1:] == ("if",) and (is_mixed or plain.count("${{") > 1):
            here.refuse("is text around `${{ }}`, which always counts as true")


def _retired(document: Any, place: Place) -> None:
    for step, here in _steps(document, place):
        for command in sorted(set(_RETIRED.findall(str(step.get("run", ""))))):
            (here / "run").refuse(f"uses the command `{command}`, which GitHub has retired")
    for _, job, here in _jobs(document, place):
        if _RETIRED_RUNNER.fullmatch(str(job.get("runs-on"))):
            (here / "runs-on").refuse(f"GitHub has retired the runner {job['runs-on']!r}")


def _injections(document: Any, place: Place) -> None:
    for step, here in _steps(document, place):
        script = object_in(step.get("with")).get("script") if "github-script" in str(step.get("uses")) else None
        for name, text in (("run", step.get("run")), ("with", script)):
            for one in expressions_in(str(text)) if isinstance(text, str) else ():
                said = next((v for v in map(".".join, one.values) if _UNTRUSTED.fullmatch(v)), None)
                if said:
                    (here / name).refuse(f"puts `{said}`, which outsiders write, into a script")


def _passwords(document: Any, place: Place) -> None:
    for _, job, here in _jobs(document, place):
        containers = [("container", job.get("container"), here / "container")]
        services = object_in(job.get("services")).items()
        containers += [(str(name), one, here / "services" / str(name)) for name, one in services]
        for _, container, inside in containers:
            password = object_in(object_in(container).get("credentials")).get("password")
            if isinstance(password, str) and password and "${{" not in password:
                (inside / "credentials" / "password").refuse("has a password in the open; use a secret")


def _matrices(document: Any, place: Place) -> None:
    for _, job, here in _jobs(document, place):
        matrix = object_in(object_in(job.get("strategy")).get("matrix"))
        rows = {key: value for key, value in matrix.items() if key not in ("include", "exclude")}
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


RULES: Sequence[LintRule] = (
    LintRule(
        "github-expression",
        "error",
        _unreadable,
        "GitHub refuses the whole file.",
        "expressions that GitHub cannot read, and functions that do not exist",
    ),
    LintRule(
        "github-context",
        "error",
        _misplaced,
        "GitHub refuses the file, or the value is empty.",
        "values and functions that are not known where they are used",
    ),
    LintRule(
        "github-schedule",
        "error",
        _schedules,
        "GitHub does not run them so.",
        "schedules that are no cron expression, or shorter than five minutes",
    ),
    LintRule(
        "github-event",
        "error",
        _unknown_events,
        "The workflow never starts by it.",
        "events that GitHub does not have, and filters that exclude one another",
    ),
    LintRule(
        "github-input",
        "error",
        _inputs,
        "GitHub refuses to start the workflow.",
        "inputs with types, options or defaults that do not fit, and too many of them",
    ),
    LintRule("github-permission", "error", _permissions, "GitHub refuses the file.", "permissions that do not exist"),
    LintRule(
        "github-runner", "error", _runners, "The job waits for ever.", "labels of hosted runners that GitHub never had"
    ),
    LintRule(
        "github-job",
        "error",
        _job_rules,
        "GitHub refuses the file.",
        "ids used twice, and jobs that call a workflow in a way they cannot",
    ),
    LintRule("github-action", "error", _actions, "The job fails there.", "actions and shells that cannot be found"),
    LintRule(
        "github-unknown-value",
        "warning",
        _unknown_values,
        "The value is always empty.",
        "steps, jobs, inputs and matrix values that an expression names and nothing defines",
    ),
    LintRule(
        "github-matrix",
        "warning",
        _matrices,
        "Jobs are missing, or run twice.",
        "matrices with no value, a value twice, or one excluded that is not there",
    ),
    LintRule(
        "github-condition",
        "warning",
        _always_true,
        "What it guards always runs.",
        "conditions that are always true because of text around them",
    ),
    LintRule(
        "github-injection",
        "warning",
        _injections,
        "They can run what they like with the job's rights.",
        "scripts into which a value is put that outsiders write",
    ),
    LintRule(
        "github-password",
        "warning",
        _passwords,
        "Everybody who reads the file has it.",
        "passwords of containers in the open",
    ),
    LintRule(
        "github-retired",
        "warning",
        _retired,
        "The step fails now, or some day.",
        "commands and runners that GitHub has retired",
    ),
)
