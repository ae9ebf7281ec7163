"""What is wrong with a GitHub Actions workflow that has the right shape."""

from collections.abc import Sequence
from typing import Any

from workflow_agent.workflows.formats.github_actions.lint import events, fixes, jobs, values
from workflow_agent.workflows.formats.lint import LintRule, setting
from workflow_agent.workflows.formats.schemas import schema_check
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in

_SCHEMA = "check_jsonschema/builtin_schemas/vendor/github-workflows.json"


def _against_schema(document: Any, place: Place) -> None:
    check = schema_check("check-jsonschema", _SCHEMA)
    if check is not None:
        check(_as_schema_wants(document), place)


def _as_schema_wants(value: Any, key: str = "") -> Any:
    """Return a document without what GitHub takes and the schema does not: blank values, strategies without matrix."""
    if isinstance(value, list):
        return [_as_schema_wants(one) for one in list_in(value)]
    if not isinstance(value, dict):
        return value
    return {
        name: _as_schema_wants(one, name)
        for name, one in object_in(value).items()
        if not (one is None and key in ("with", "env")) and not (name == "strategy" and "matrix" not in object_in(one))
    }


RULES: Sequence[LintRule] = (
    LintRule(
        "github-expression",
        "error",
        values.unreadable,
        "GitHub refuses the whole file.",
        "expressions that GitHub cannot read, and functions that do not exist",
    ),
    LintRule(
        "github-context",
        "error",
        values.misplaced,
        "GitHub refuses the file, or the value is empty.",
        "values and functions that are not known where they are used",
    ),
    LintRule(
        "github-schedule",
        "error",
        events.schedules,
        "GitHub does not run them so.",
        "schedules that are no cron expression, or shorter than five minutes",
    ),
    LintRule(
        "github-event",
        "error",
        events.unknown_events,
        "The workflow never starts by it.",
        "events that GitHub does not have, and filters that exclude one another",
    ),
    LintRule(
        "github-event-type",
        "error",
        events.unknown_types,
        "The workflow never starts by it.",
        "types of an event that it does not have",
    ),
    LintRule(
        "github-input",
        "error",
        events.inputs,
        "GitHub refuses to start the workflow.",
        "inputs with types, options or defaults that do not fit, and too many of them",
    ),
    LintRule(
        "github-permission", "error", jobs.permissions, "GitHub refuses the file.", "permissions that do not exist"
    ),
    LintRule(
        "github-runner",
        "error",
        jobs.runners,
        "The job waits for ever.",
        "labels of hosted runners that GitHub never had",
    ),
    LintRule(
        "github-job",
        "error",
        jobs.job_rules,
        "GitHub refuses the file.",
        "ids used twice, and jobs that call a workflow in a way they cannot",
    ),
    LintRule(
        "github-action",
        "error",
        jobs.actions,
        "The job fails there.",
        "actions that cannot be found",
        setting(fixes.without_version),
    ),
    LintRule("github-timeout", "error", jobs.timeouts, "GitHub refuses to run the job.", "deadlines of no time at all"),
    LintRule("github-shell", "error", jobs.shells, "The job fails there.", "shells that are not on the job's runner"),
    LintRule("github-variable", "error", jobs.variables, "GitHub refuses the file.", "names that no variable can have"),
    LintRule(
        "github-pattern",
        "error",
        events.patterns,
        "It matches nothing.",
        "patterns of branches, tags and paths that match nothing",
    ),
    LintRule(
        "github-unknown-value",
        "warning",
        values.unknown_values,
        "The value is always empty.",
        "steps, jobs, inputs and matrix values that an expression names and nothing defines",
    ),
    LintRule(
        "github-object", "warning", values.whole_objects, "Nobody can use it.", "objects that are put into a text"
    ),
    LintRule(
        "github-action-input",
        "warning",
        jobs.action_inputs,
        "The action does not look at it, or fails.",
        "inputs that well-known actions do not have, or cannot do without",
    ),
    LintRule(
        "github-default",
        "info",
        events.useless_defaults,
        "A reader takes it for what is used.",
        "defaults of inputs that are required",
    ),
    LintRule(
        "github-matrix",
        "warning",
        jobs.matrices,
        "Jobs are missing, or run twice.",
        "matrices with no value, a value twice, or one excluded that is not there",
    ),
    LintRule(
        "github-condition",
        "warning",
        values.always_the_same,
        "What it guards always runs, or never.",
        "conditions that never come out otherwise",
        setting(fixes.whole_expression),
    ),
    LintRule(
        "github-injection",
        "warning",
        values.injections,
        "They can run what they like with the job's rights.",
        "scripts into which a value is put that outsiders write",
    ),
    LintRule(
        "github-password",
        "warning",
        jobs.passwords,
        "Everybody who reads the file has it.",
        "passwords of containers in the open",
    ),
    LintRule(
        "github-retired",
        "warning",
        jobs.retired,
        "The step fails now, or some day.",
        "commands, actions and runners that GitHub has retired",
        setting(fixes.file_for_command),
    ),
    LintRule(
        "github-schema",
        "warning",
        _against_schema,
        "GitHub may refuse the file.",
        "what the published schema of workflows does not allow",
        is_spare=True,
    ),
)
