"""Which shape a document has, and all histories that are in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from workflow_agent.conversations.migration import flat_turns, message_lists
from workflow_agent.conversations.migration.history import History
from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.workflows.model.parser import problems_of


@dataclass(frozen=True, slots=True)
class Shape:
    """A way in which other services keep conversations; a further one is a module and a line in SHAPES."""

    name: str
    matches: Callable[[Any], bool]
    read: Callable[[Any], History]


SHAPES: tuple[Shape, ...] = (
    Shape(flat_turns.NAME, flat_turns.matches, flat_turns.read),
    Shape(message_lists.NAME, message_lists.matches, message_lists.read),
)


def histories_in(document: Any) -> Sequence[History]:
    """Return the histories in a document: it is one, or a list of some.

    Raises:
        InvalidInput: It is of no shape that is read here, or breaks its own; says where, with all problems.
    """
    if isinstance(document, list) and not _is_of_a_shape(cast("Any", document)):
        many = cast("list[Any]", document)
        return [_history(one, f"/{number}") for number, one in enumerate(many)] or [_history(document, "")]
    return [_history(document, "")]


def _is_of_a_shape(document: Any) -> bool:
    return any(shape.matches(document) for shape in SHAPES)


def _history(document: Any, pointer: str) -> History:
    shape = next((one for one in SHAPES if one.matches(document)), None)
    if shape is None:
        raise _refused(
            [
                Problem(
                    pointer,
                    "is no conversation of a shape that is read here: an object with `turns`, one with "
                    "`messages`, or a list of messages with `role` and `content`",
                )
            ]
        )
    try:
        found = shape.read(document)
    except ValidationError as error:
        raise _refused(
            [
                Problem(pointer + one.pointer, one.message, one.valid)
                for one in problems_of(error, None if isinstance(document, list) else document)
            ]
        ) from error
    if not found.said:
        raise _refused([Problem(pointer, "nobody says anything in it")])
    return found


def _refused(problems: Sequence[Problem]) -> InvalidInput:
    said = "; ".join(f"{one.pointer or '/'}: {one.message}" for one in problems[:5])
    more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
    return InvalidInput(said + more, problems)
