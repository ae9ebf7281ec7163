"""A workflow as a search sees it: its words by field, and what filters ask for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from workflow_agent.adapters.search.triggers import trigger_words
from workflow_agent.adapters.search.words import fold, words
from workflow_agent.domain.workflow import Form, Step, Workflow

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


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """The words of a workflow by field, in the order of FIELDS, and its facets."""

    words: tuple[str, ...]
    facets: Facets


def search_document(workflow: Workflow) -> SearchDocument:
    """Return what is indexed of a workflow."""
    triggers = tuple(frozenset(trigger_words(trigger)) for trigger in workflow.triggers)
    facets = Facets(
        tags=_folded(workflow.tags),
        roles=_folded(_roles(workflow)),
        services=_folded(_services(workflow)),
        step_types=frozenset(step.type for step in workflow.steps),
        triggers=triggers,
    )
    texts = (
        [workflow.id.removeprefix("wf_")],
        [workflow.name],
        workflow.aliases,
        [workflow.description],
        [step.name for step in workflow.steps],
        _unique(_roles(workflow)),
        _unique(_services(workflow)),
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


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _folded(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(text) for text in texts)


def _roles(workflow: Workflow) -> Iterator[str]:
    for step in workflow.steps:
        yield from (who for who in (step.assignee, step.escalate_to) if who)


def _services(workflow: Workflow) -> Iterator[str]:
    yield from (step.uses for step in workflow.steps if step.uses)
    yield from (automation.effect.type for automation in workflow.automations)


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
