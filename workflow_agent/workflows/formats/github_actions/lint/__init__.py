"""What is wrong with a GitHub Actions workflow of the right shape: with what starts it, its conditions and scripts."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.github_actions.expressions import CONTEXTS, expressions_in, read_expression
from workflow_agent.workflows.formats.github_actions.lint import jobs, values
from workflow_agent.workflows.formats.github_actions.shapes import EVENTS, VOCABULARY, events_of, jobs_in, steps_in
from workflow_agent.workflows.formats.lint import LintRule, lint_rule, schema_check, setting
from workflow_agent.workflows.formats.plain import list_in, object_in
from workflow_agent.workflows.formats.shapes import Place
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.triggers import cron_problem

_RULES: list[LintRule] = []
_SCHEMA = "check_jsonschema/builtin_schemas/vendor/github-workflows.json"
_LEAST_CRON_MINUTES = 5
_MOST_INPUTS = 25
_EVENTS = EVENTS - {"pull_request_comment"}
_FILTERS: Mapping[str, frozenset[str]] = VOCABULARY["filters"]
"""The filters, each with the events that have it."""
_TYPES: Mapping[str, frozenset[str]] = VOCABULARY["types"]
"""What may happen of an event."""
_INPUT_TYPES = frozenset({"boolean", "choice", "environment", "number", "string"})
_NOT_IN_NAMES = re.compile(r"[ ~^:\x00-\x1f\x7f]|\.\.|@\{|^/|/$")
"""What no branch or tag can have, by `git check-ref-format`."""
_NUMBER = re.compile(r"\s*(?:-?\d+(?:\.\d+)?)?\s*")
_CLASS = re.compile(r"\[[^\]]+\]")
_IN_PLACE = re.compile(r"\$\{\{([^{}]*)\}\}")
_UNTRUSTED = re.compile(
    r"github\.head_ref|github\.event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|"
    r"repo\.default_branch))|(?:comment|review|review_comment|discussion)\.(?:body|title)|pages\.\*\.page_name|"
    r"(?:commits\.\*|head_commit)\.(?:message|author\.(?:email|name))|workflow_run\.(?:head_branch|"
    r"head_commit\.(?:message|author\.(?:email|name))|pull_requests\.\*\.head\.ref))"
)


def _whole_expression(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return a condition without the signs around a part of it, so that all of it is worked out."""
    del problem, document
    said = step.when.expression if step.when else None
    if not isinstance(said, str) or not step.when:
        return {}
    plain = _IN_PLACE.sub(lambda match: f"({match[1].strip()})", said)
    if "${{" in plain or said.strip() == plain.strip() or read_expression(plain).problem:
        return {}
    return {"when": {**step.when.model_dump(mode="json", exclude_defaults=True), "expression": plain}}


@lint_rule(
    _RULES, "github-condition", "warning", "What it guards always runs, or never.", fix=setting(_whole_expression)
)
def _always_the_same(document: Any, place: Place) -> None:
    """Find conditions that never come out otherwise."""
    for owner, here in (*jobs_in(document, place), *steps_in(document, place)):
        said = owner.get("if")
        plain = said.strip() if isinstance(said, str) else str(said).lower()
        is_mixed = "${{" in plain and not (plain.startswith("${{") and plain.endswith("}}"))
        if is_mixed or plain.count("${{") > 1:
            (here / "if").refuse("is text around `${{ }}`, which always counts as true")
        elif "if" in owner and not any(one.asks() for one in expressions_in(plain, is_condition=True)):
            (here / "if").refuse(f"is always the same, {plain[:40]!r}")


@lint_rule(_RULES, "github-object", "warning", "Nobody can use it.")
def _whole_objects(document: Any, place: Place) -> None:
    """Find objects that are put into a text."""
    for one, here in values.placed_expressions(document, place):
        said = one.text.lower()
        if here.path[-1:] in (("run",), ("name",)) and (said in CONTEXTS or said == "github.event"):
            here.refuse(f"`{one.text[:40]}` has many values, and comes out as the word `Object`")


@lint_rule(_RULES, "github-injection", "warning", "They can run what they like with the job's rights.")
def _injections(document: Any, place: Place) -> None:
    """Find scripts into which a value is put that outsiders write."""
    for step, here in steps_in(document, place):
        script = object_in(step.get("with")).get("script") if "github-script" in str(step.get("uses")) else None
        for name, text in (("run", step.get("run")), ("with", script)):
            for one in expressions_in(str(text)) if isinstance(text, str) else ():
                said = next((v for v in map(".".join, one.values) if _UNTRUSTED.fullmatch(v)), None)
                if said:
                    (here / name).refuse(f"puts `{said}`, which outsiders write, into a script")


@lint_rule(_RULES, "github-schedule", "error", "GitHub does not run them so.")
def _schedules(document: Any, place: Place) -> None:
    """Find schedules that are no cron expression, or shorter than five minutes."""
    for at, one in enumerate(list_in(events_of(document).get("schedule"))):
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
    return min(after - before for before, after in pairwise([*sorted(minutes), min(minutes) + 60]))


@lint_rule(_RULES, "github-event", "error", "The workflow never starts by it.")
def _unknown_events(document: Any, place: Place) -> None:
    """Find events that GitHub does not have, and filters that exclude one another."""
    for event, given in events_of(document).items():
        here, told = place / "on" / event, object_in(given)
        if event not in _EVENTS:
            here.refuse(f"GitHub has no event {event[:40]!r}", sorted(_EVENTS))
        elif event == "workflow_run" and not told.get("workflows"):
            here.refuse("needs `workflows`, those that it follows")
        for name, having in _FILTERS.items():
            both = [one for one in (name, f"{name}-ignore") if one in told]
            if len(both) > 1:
                here.refuse(f"has `{name}` and `{name}-ignore`, of which an event may have one")
            for one in both if event in _EVENTS - having else ():
                (here / one).refuse(f"is only for {', '.join(sorted(having))}")


@lint_rule(_RULES, "github-event-type", "error", "The workflow never starts by it.")
def _unknown_types(document: Any, place: Place) -> None:
    """Find types of an event that it does not have."""
    for event, given in events_of(document).items():
        types = object_in(given).get("types")
        for one in [types] if isinstance(types, str) else list_in(types):
            if event in _TYPES and str(one) not in _TYPES[event] and "$" not in str(one):
                here = place / "on" / event / "types"
                here.refuse(f"{event!r} has no type {str(one)[:40]!r}", sorted(_TYPES[event]))


@lint_rule(_RULES, "github-pattern", "error", "It matches nothing.")
def _patterns(document: Any, place: Place) -> None:
    """Find patterns of branches, tags and paths that match nothing."""
    for event, given in events_of(document).items():
        for name in (each for one in _FILTERS for each in (one, f"{one}-ignore")):
            said = object_in(given).get(name)
            for pattern in [said] if isinstance(said, str) else list_in(said):
                if isinstance(pattern, str) and "$" not in pattern and (why := _no_pattern(pattern, name)):
                    (place / "on" / event / name).refuse(f"the pattern {pattern[:60]!r} {why}")


def _no_pattern(pattern: str, filtered: str) -> str | None:
    plain = _CLASS.sub("", pattern.removeprefix("!"))
    if not plain and not _CLASS.search(pattern):
        return "is empty"
    if "[" in plain:
        return "has a `[` without its `]`"
    if plain[:1] in ("?", "+"):
        return f"begins with {plain[0]!r}, which is about the character before it"
    if filtered.startswith("paths"):
        is_relative = plain.startswith(("./", "../")) or plain != plain.strip()
        return "begins with `./` or `../` or has space around it, as no path does" if is_relative else None
    found = _NOT_IN_NAMES.search(plain)
    return f"has {found[0]!r}, which no branch or tag has" if found else None


@lint_rule(_RULES, "github-input", "error", "GitHub refuses to start the workflow.")
def _inputs(document: Any, place: Place) -> None:
    """Find inputs with types, options or defaults that do not fit, and too many of them."""
    for event in ("workflow_dispatch", "workflow_call"):
        told = object_in(object_in(events_of(document).get(event)).get("inputs"))
        here = place / "on" / event / "inputs"
        if event == "workflow_dispatch" and len(told) > _MOST_INPUTS:
            here.refuse(f"has {len(told)} inputs, and GitHub takes at most {_MOST_INPUTS}")
        for name, given in told.items():
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
    elif kind == "number" and isinstance(default, str) and "$" not in default and not _NUMBER.fullmatch(default):
        (here / "default").refuse(f"must be a number, got {default[:40]!r}")


@lint_rule(_RULES, "github-default", "info", "A reader takes it for what is used.")
def _useless_defaults(document: Any, place: Place) -> None:
    """Find defaults of inputs that are required."""
    told = object_in(object_in(events_of(document).get("workflow_call")).get("inputs"))
    for name, given in told.items():
        if object_in(given).get("required") is True and "default" in object_in(given):
            inside = place / "on" / "workflow_call" / "inputs" / str(name) / "default"
            inside.refuse("is never used, because the input is required")


RULES: list[LintRule] = [*values.RULES, *_RULES, *jobs.RULES]


@lint_rule(RULES, "github-schema", "warning", "GitHub may refuse the file.", is_spare=True)
def _against_schema(document: Any, place: Place) -> None:
    """Find what the published schema of workflows does not allow."""
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
