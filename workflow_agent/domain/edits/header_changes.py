"""Operations on what surrounds the graph: name, description, triggers, aliases, tags."""

from collections.abc import Callable, Sequence

from workflow_agent.domain.edits.graph_operations import (
    AddAlias,
    AddTrigger,
    RemoveAlias,
    RemoveTrigger,
    RenameWorkflow,
    SetDescription,
    Tag,
    Untag,
)
from workflow_agent.domain.edits.header_draft import HeaderDraft
from workflow_agent.domain.edits.refusal import Refusal
from workflow_agent.domain.triggers import describe_trigger


def rename_workflow(header: HeaderDraft, edit: RenameWorkflow) -> None:
    """Give the workflow another name."""
    header.set_name(edit.name)


def set_description(header: HeaderDraft, edit: SetDescription) -> None:
    """Say what the workflow is for."""
    header.set_description(edit.description)


def add_trigger(header: HeaderDraft, edit: AddTrigger) -> None:
    """Add something that starts the workflow."""
    if edit.position is None and edit.trigger in header.triggers:
        raise Refusal(f"the workflow starts {describe_trigger(edit.trigger)} already")
    header.put_trigger(edit.trigger, edit.position)


def remove_trigger(header: HeaderDraft, edit: RemoveTrigger) -> None:
    """Remove a trigger."""
    known = [f"{at} ({describe_trigger(trigger)})" for at, trigger in enumerate(header.triggers)]
    at = edit.index
    if edit.trigger is not None:
        if edit.trigger not in header.triggers:
            raise Refusal(f"the workflow does not start {describe_trigger(edit.trigger)}", known)
        at = header.triggers.index(edit.trigger)
    if at is None or at >= len(known):
        raise Refusal(f"there is no trigger {at}", known)
    header.take_trigger(at)


def add_alias(header: HeaderDraft, edit: AddAlias) -> None:
    """Add another name people use."""
    if edit.position is not None or not _places(edit.alias, header.aliases):
        header.put_alias(edit.alias, edit.position)


def remove_alias(header: HeaderDraft, edit: RemoveAlias) -> None:
    """Remove an alias."""
    _take("alias", edit.alias, edit.position, header.aliases, header.take_alias)


def tag(header: HeaderDraft, edit: Tag) -> None:
    """Add a tag."""
    if edit.position is not None or not _places(edit.tag, header.tags):
        header.put_tag(edit.tag, edit.position)


def untag(header: HeaderDraft, edit: Untag) -> None:
    """Remove a tag."""
    _take("tag", edit.tag, edit.position, header.tags, header.take_tag)


def _places(word: str, words: Sequence[str]) -> list[int]:
    return [at for at, known in enumerate(words) if known.casefold() == word.casefold()]


def _take(
    what: str, word: str, position: int | None, words: Sequence[str], take: Callable[[int], None]
) -> None:
    """Remove a word at every place where it is listed, or only at one."""
    places = [at for at in _places(word, words) if position in (None, at)]
    if not places:
        where = "" if position is None else f" at position {position}"
        raise Refusal(f"the workflow has no {what} {word!r}{where}", tuple(words))
    for at in reversed(places):
        take(at)
