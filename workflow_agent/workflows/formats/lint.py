"""Rules on documents of one format: what its own linters find beyond the shape, and what its JSON Schema does."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, Literal

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.plain import entries_in, list_in, object_in
from workflow_agent.workflows.formats.shapes import Place, kind_of
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

Check = Callable[[Any, Place], None]
"""Refuses, in the document it is given, what the rule is about; the document has the format's shape."""
Fix = Callable[[Workflow, Step, Problem, Any], Sequence[EditDocument]]
"""Gives the edits that mend a problem with a step in a document; none where nothing safe is known."""


def setting(fields_of: Callable[[Step, Problem, Any], JsonObject]) -> Fix:
    """Return the fix that sets the fields of the step which a function gives; none where it gives none."""

    def fix(workflow: Workflow, step: Step, problem: Problem, document: Any) -> Sequence[EditDocument]:
        del workflow
        fields = fields_of(step, problem, document)
        return [{"op": "update_step", "step": step.id, "set": fields}] if fields else []

    return fix


@dataclass(frozen=True, slots=True)
class LintRule:
    """One question asked of every document of a format."""

    id: str
    severity: Literal["error", "warning", "info"]
    check: Check
    why: str
    """Why it matters, one short sentence."""
    finds: str
    """What it reports, in words for the table of rules."""
    fix: Fix | None = None
    is_spare: bool = False
    """Whether it is left out at places that another rule of the format speaks of."""

    def problems(self, document: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what the rule finds in a document, each with its place."""
        place = Place([])
        self.check(document, place)
        yield from place.problems


def lint_rule(
    rules: list[LintRule],
    rule_id: str,
    severity: Literal["error", "warning", "info"],
    why: str,
    *,
    fix: Fix | None = None,
    is_spare: bool = False,
) -> Callable[[Check], Check]:
    """Return a decorator that adds a check to the rules of a format; its docstring says what it finds: "Find ..."."""

    def listed(check: Check) -> Check:
        finds = (check.__doc__ or "").removeprefix("Find ").removesuffix(".")
        rules.append(LintRule(rule_id, severity, check, why, finds, fix, is_spare))
        return check

    return listed


def items_in(owner: Any, place: Place, *path: str) -> Iterator[tuple[JsonObject, Place]]:
    """Yield the objects of the list that is found along a path, with their places; an object that is none is empty."""
    for part in path:
        owner, place = object_in(owner).get(part), place / part
    yield from ((object_in(one), place / at) for at, one in enumerate(list_in(owner)))


def texts_in(value: Any, place: Place, without: Container[object] = ()) -> Iterator[tuple[str, Place]]:
    """Yield the texts of a value with their places, but for those below fields of some names."""
    if isinstance(value, str):
        yield value, place
    for key, item in entries_in(value):
        if key not in without:
            yield from texts_in(item, place / key, without)


def objects_at(parts: Sequence[str], document: Any) -> Iterator[JsonObject]:
    """Yield the objects on the way to a place in a document, the outermost first; an object that is none is empty."""
    for part in parts:
        is_item = part.isdigit() and int(part) < len(list_in(document))
        document = list_in(document)[int(part)] if is_item else object_in(document).get(part)
        yield object_in(document)


_KINDS = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "nothing",
}
_SIZES = {
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} entries",
    "maxProperties": "must have at most {} entries",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
}
_ALTERNATIVES = ("anyOf", "oneOf")


@cache
def schema_check(package: str, path: str) -> Callable[[Any, Place], None] | None:
    """Return what refuses in a document all that a schema does not allow; None where it is not installed.

    Args:
        package: The distribution that the schema comes with; it is not imported.
        path: Its file there, JSON or YAML.
    """
    try:
        found = next((one for one in distribution(package).files or () if str(one) == path), None)
        return check_by(read_text(found.read_text())) if found is not None else None
    except (ImportError, PackageNotFoundError):
        return None


def check_by(schema: JsonObject) -> Callable[[Any, Place], None]:
    """Return what refuses in a document all that a schema does not allow.

    Raises:
        ImportError: The library that asks schemas is not installed.
    """
    # An extra, and of use only to who analyses a document of such a format.
    import jsonschema_rs  # noqa: PLC0415 - an optional extra

    validator = jsonschema_rs.validator_for(schema)

    def check(document: Any, place: Place) -> None:
        for error in validator.iter_errors(document):
            _refuse(error, place)

    return check


def _refuse(error: Any, place: Place) -> None:
    """Note an error: of several alternatives, what is wrong with the one that was most likely meant."""
    alternatives: Sequence[Sequence[Any]] = getattr(error.kind, "context", [])
    if error.kind.name in _ALTERNATIVES and alternatives:
        here = len(error.instance_path)
        meant = max(alternatives, key=lambda found: (max(map(_depth, found)), -sum(map(_is_kind, found)), -len(found)))
        if max(map(_depth, meant)) > here or not all(_is_kind(one) for found in alternatives for one in found):
            for one in meant:
                _refuse(one, place)
            return
    where = place.down(error.instance_path)
    for at, message, valid in _told(error, alternatives):
        (where / at if at else where).refuse(message, valid)


def _depth(error: Any) -> int:
    """Return how deep in a document the innermost part of an error is."""
    alternatives: Sequence[Sequence[Any]] = getattr(error.kind, "context", [])
    return max([len(error.instance_path), *(_depth(one) for found in alternatives for one in found)])


def _is_kind(error: Any) -> bool:
    return error.kind.name == "type"


def _told(error: Any, alternatives: Sequence[Sequence[Any]]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the name of the field an error is about, or nothing; what is wrong; and what would be valid."""
    kind, value = error.kind, error.instance
    if alternatives:
        yield "", _must_be([one for found in alternatives for each in found for one in each.kind.types], value), ()
    elif kind.name == "additionalProperties":
        yield from ((one, f"there is no field {one[:60]!r} here", ()) for one in kind.unexpected)
    elif kind.name == "propertyNames":
        yield kind.error.instance, f"is no name that is allowed here: {kind.error.message[:160]}", ()
    elif kind.name == "enum":
        yield "", f"is none of those that are known, {_shown(value)}", [str(one) for one in kind.options]
    elif kind.name in _SIZES:
        yield "", f"{_SIZES[kind.name].format(kind.limit)}, got {_shown(value)}", ()
    else:
        yield "", _MESSAGES.get(kind.name, lambda one: f"is refused by the schema: {one.message[:160]}")(error), ()


_MESSAGES: Mapping[str, Callable[[Any], str]] = {
    "type": lambda error: _must_be(error.kind.types, error.instance),
    "required": lambda error: f"needs `{error.kind.property}`",
    "const": lambda error: f"must be {error.kind.expected_value!r}, got {_shown(error.instance)}",
    "pattern": lambda error: f"must be like {error.kind.pattern[:120]}, got {_shown(error.instance)}",
    "falseSchema": lambda _: "has no place here",
}


def _must_be(types: Any, value: Any) -> str:
    wanted = [_KINDS[one] for one in ([types] if isinstance(types, str) else types)]
    return f"must be {' or '.join(dict.fromkeys(wanted))}, got {kind_of(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return repr(value[:60])
    return str(len(list_in(value) or object_in(value))) if isinstance(value, list | dict) else str(value)[:60]
