"""A workflow as a search sees it: its words by field, and what filters ask for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from workflow_agent.workflows.model.durations import amounts_in
from workflow_agent.workflows.model.steps import Form, Step
from workflow_agent.workflows.model.terms import MONTHS, WEEKDAYS
from workflow_agent.workflows.model.triggers import ScheduleTrigger, Trigger, describe_trigger
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search.words import STOP_WORDS, fold, words

_KINDS = {
    "manual": "manual manually by hand",
    "schedule": "schedule scheduled cron timer periodic recurring",
    "event": "event",
    "webhook": "webhook http request api call",
    "workflow": "workflow subworkflow",
}
_EVERY = {"1 minute": "minutely", "1 hour": "hourly", "1 day": "daily", "1 week": "weekly",
          "7 day": "weekly", "1 month": "monthly", "3 month": "quarterly", "1 year": "yearly"}  # fmt: skip
_NIGHT = "night nightly overnight"
_TIMES_OF_DAY = ((6, _NIGHT), (12, "morning"), (18, "afternoon"), (20, "evening"), (24, _NIGHT))
"""Until which hour each goes on."""


def trigger_words(trigger: Trigger) -> set[str]:
    """Return the stems of all the words by which people may name a trigger."""
    said = [_KINDS[trigger.type], describe_trigger(trigger)]
    if isinstance(trigger, ScheduleTrigger):
        said += _cron_words(trigger.cron) if trigger.cron else _interval_words(trigger.every or "")
    return set(words(" ".join(said))) - STOP_WORDS


def filter_words(text: str) -> set[str]:
    """Return the stems that a trigger must have to pass a filter given in words."""
    found = words(text)
    return set(found) - STOP_WORDS or set(found)


def _interval_words(every: str) -> Iterator[str]:
    for amount, unit in amounts_in(every) or ():
        span = f"{int(amount)} {unit}"
        yield f"{span} {_EVERY.get(span, '')}"


def _cron_words(cron: str) -> Iterator[str]:
    minute, hour, day, month, weekday = cron.lower().split()
    yield from _weekday_words(weekday)
    yield from (MONTHS[number - 1] for number in _numbers(month, MONTHS, 1, 12))
    yield _rhythm(hour, day, month, weekday)
    if hour.isdigit():
        yield from _hour_words(int(hour), minute)


def _rhythm(hour: str, day: str, month: str, weekday: str) -> str:
    if month != "*":
        return "quarterly" if "/3" in month else "yearly"
    if day not in ("*", "?"):
        return "monthly month"
    if weekday not in ("*", "?"):
        return "weekly week"
    return "daily day" if hour.isdigit() else "hourly hour"


def _weekday_words(weekday: str) -> Iterator[str]:
    numbers = {number % 7 for number in _numbers(weekday, WEEKDAYS, 0, 7)}
    yield from (WEEKDAYS[number] for number in sorted(numbers))
    if numbers == {1, 2, 3, 4, 5}:
        yield "weekday workday"
    if numbers == {0, 6}:
        yield "weekend"


def _hour_words(hour: int, minute: str) -> Iterator[str]:
    yield f"{hour} {hour % 12 or 12}{'am' if hour < 12 else 'pm'}"
    if minute.isdigit():
        yield f"{hour}:{int(minute):02}"
    yield next(words for until, words in _TIMES_OF_DAY if hour < until)


def _numbers(field: str, names: tuple[str, ...], low: int, high: int) -> set[int]:
    """Return the numbers a cron field lists; none for every one."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span in ("*", "?"):
            continue
        first, _, last = span.partition("-")
        start = _number(first, names, low)
        end = _number(last, names, low) if last else (high if step else start)
        found.update(range(start, end + 1, int(step or 1)))
    return found


def _number(text: str, names: tuple[str, ...], low: int) -> int:
    if text.isdigit():
        return int(text)
    return next(at for at, name in enumerate(names) if name.startswith(text)) + low


FIELDS = ("id", "name", "aliases", "description", "steps", "roles", "services", "tags", "details")
"""What is searched, in the order of the index's columns."""
_LONGEST_TEXT_CHARS = 4_000
_MOST_WORDS = 1_500
_DEEPEST = 12


class Facets(NamedTuple):
    """What filters compare, all of it folded."""

    tags: frozenset[str]
    roles: frozenset[str]
    services: frozenset[str]
    step_types: frozenset[str]
    triggers: tuple[frozenset[str], ...]
    """The words of each trigger."""
    has_deadline: bool


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """The words of a workflow by field, in the order of FIELDS, and its facets."""

    words: tuple[str, ...]
    facets: Facets


def search_document(workflow: Workflow) -> SearchDocument:
    """Return what is indexed of a workflow."""
    triggers = tuple(frozenset(trigger_words(trigger)) for trigger in workflow.triggers)
    steps = workflow.steps
    roles = dict.fromkeys(who for step in steps for who in (step.assignee, step.escalate_to) if who)
    services = dict.fromkeys(step.uses for step in steps if step.uses)
    services |= dict.fromkeys(automation.effect.type for automation in workflow.automations)
    facets = Facets(
        tags=frozenset(map(fold, workflow.tags)),
        roles=frozenset(map(fold, roles)),
        services=frozenset(map(fold, services)),
        step_types=frozenset(step.type for step in steps),
        triggers=triggers,
        has_deadline=any(step.timeout for step in steps),
    )
    texts = (
        [workflow.id.removeprefix("wf_")],
        [workflow.name],
        workflow.aliases,
        [workflow.description],
        [step.name for step in steps],
        roles,
        services,
        workflow.tags,
        _details(workflow),
    )
    columns = [_words_of(part) for part in texts]
    columns[-1] = list(dict.fromkeys([*columns[-1], *(word for one in triggers for word in sorted(one))]))
    return SearchDocument(tuple(" ".join(column[:_MOST_WORDS]) for column in columns), facets)


def _words_of(texts: Iterable[str]) -> list[str]:
    found: list[str] = []
    for text in texts:
        found += words(text[:_LONGEST_TEXT_CHARS])
        if len(found) > 2 * _MOST_WORDS:
            break
    return found


def _details(workflow: Workflow) -> Iterator[str]:
    """Yield the texts that tell most about the workflow first."""
    for step in workflow.steps:
        yield from _step_details(step)
    for edge in workflow.transitions:
        said = (edge.label, edge.action, edge.permission, edge.when and edge.when.text)
        yield from (text for text in said if text)
        yield from _form_texts(edge.form)
    if workflow.source is not None and workflow.source.name:
        yield workflow.source.name
    for automation in workflow.automations:
        yield from _texts_in(automation.effect.with_)
    yield from _texts_in(workflow.extensions)


def _step_details(step: Step) -> Iterator[str]:
    said = (step.description, step.event, step.workflow, step.permission, step.when and step.when.text)
    yield from (text for text in said if text)
    yield from _form_texts(step.form)
    yield from _texts_in(step.with_)
    yield from _texts_in(step.extensions)


def _form_texts(form: Form | None) -> Iterator[str]:
    if form is None:
        return
    if form.title:
        yield form.title
    for field in form.fields:
        yield field.label or field.key
        yield from field.options


def _texts_in(data: Any, depth: int = 0) -> Iterator[str]:
    """Yield the keys and texts of JSON data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping) and depth < _DEEPEST:
        for key, value in cast("Mapping[str, Any]", data).items():
            yield key
            yield from _texts_in(value, depth + 1)
    elif isinstance(data, list | tuple) and depth < _DEEPEST:
        for value in cast("list[Any]", data):
            yield from _texts_in(value, depth + 1)
