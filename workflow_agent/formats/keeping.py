"""Keeping what the model has no place for, and giving it back where it still holds.

A part of a foreign document is read into fields of the model; writing these gives some of it again. What
writing would not give is kept beside the model. When the part is written later on, what was kept is
preferred to what is generated, unless the model's fields have been changed since.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Step, step_document
from workflow_agent.formats.shapes import Shape, list_in, problems_in

WITHOUT = "$without"
_ABSENT = object()


def kept_of(original: Mapping[str, Any], generated: Mapping[str, Any]) -> JsonObject:
    """Return what generating an original from the model would not give again.

    These are its entries, and under `WITHOUT` the names of entries that would be there but are not.
    """
    kept = {key: value for key, value in original.items() if not same(generated.get(key, _ABSENT), value)}
    surplus = [key for key in generated if key not in original]
    return {**kept, WITHOUT: surplus} if surplus else kept


def same(one: Any, other: Any) -> bool:
    """Say whether two values are the same plain data; `1` and `true` are two."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        left, right = cast("Mapping[str, Any]", one), cast("Mapping[str, Any]", other)
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        ones, others = cast("list[Any]", one), cast("list[Any]", other)
        return len(ones) == len(others) and all(map(same, ones, others))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def restored(
    generated: JsonObject,
    kept: Mapping[str, Any],
    wanted: Mapping[str, Any],
    *,
    read: Callable[[JsonObject], Mapping[str, Any]],
    said_by: Mapping[str, tuple[str, ...]],
    shape: Shape,
) -> JsonObject:
    """Return the foreign part for a part of the model: what was kept of the original, and what is generated.

    Args:
        generated: The part as generated from the model alone.
        kept: What `kept_of` gave when the part was read; anybody may have changed it since.
        wanted: The model's fields as they are now.
        read: Gives the model's fields that a foreign part says.
        said_by: For each field of the model, the foreign entries that say it.
        shape: What the format demands of the part.
    """
    without = list_in(kept.get(WITHOUT))
    own = {key: value for key, value in kept.items() if key != WITHOUT}
    whole = {key: value for key, value in generated.items() if key not in without} | own
    if not kept or problems_in(whole, shape):
        return generated
    said = read(whole)
    changed = [field for field in said_by if not same(said.get(field), wanted.get(field))]
    stale = {key for field in changed for key in said_by[field]}
    left = {key: value for key, value in whole.items() if key not in stale}
    return left | {key: generated[key] for key in stale if key in generated}


def restored_step(
    step: Step,
    generated: JsonObject,
    kept: Mapping[str, Any],
    *,
    read: Callable[[JsonObject], JsonObject],
    said_by: Mapping[str, tuple[str, ...]],
    shape: Shape,
) -> JsonObject:
    """Return the foreign part for a step, as `restored` does; `read` may leave out the step's name."""

    def canonical(part: JsonObject) -> JsonObject:
        fields = {key: value for key, value in read(part).items() if value is not None}
        return step_document(Step.model_validate({"id": step.id, "name": step.name, **fields}))

    wanted = step_document(step)
    return restored(generated, kept, wanted, read=canonical, said_by=said_by, shape=shape)


def kept_in(extensions: Mapping[str, Any], format_name: str) -> JsonObject:
    """Return what a format keeps in these extensions; nothing where somebody put something else there."""
    kept = extensions.get(format_name)
    return cast("JsonObject", kept) if isinstance(kept, dict) else {}
