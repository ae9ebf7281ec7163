"""What a turn adds to the workflow memory: each workflow it touched, and the name a user gave one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.assistant.context import RunProgress
from workflow_agent.conversations.document import Conversation, Relation, WorkflowReference
from workflow_agent.conversations.memory.aliases import aliases_from_name, distinct, name_given_in
from workflow_agent.conversations.memory.references import HIGH_CONFIDENCE, known_workflows
from workflow_agent.conversations.memory.resolver import resolve_reference
from workflow_agent.conversations.runs import Run


@dataclass(frozen=True, slots=True)
class Occasion:
    """The turn in which workflows are dealt with."""

    message: str
    conversation_id: str
    turn: int
    at: datetime

    @classmethod
    def of(cls, conversation: Conversation, run: Run, message: str, at: datetime) -> "Occasion":
        """Return the occasion of a run."""
        return cls(message, conversation.id, run.turn, at)

    def reference(self, workflow_id: str, name: str, relation: Relation, aliases: Sequence[str]) -> WorkflowReference:
        """Return the reference to a workflow that was dealt with on this occasion."""
        return WorkflowReference(
            workflow_id=workflow_id,
            name=name,
            relation=relation,
            turn=self.turn,
            at=self.at,
            aliases=distinct([*aliases, *aliases_from_name(name)]),
            conversation_id=self.conversation_id,
        )


def learned(
    progress: RunProgress, known: Sequence[WorkflowReference], occasion: Occasion
) -> tuple[WorkflowReference, ...]:
    """Return the references a run leaves: what it touched, and under which name the message knows one.

    Args:
        progress: What the run did.
        known: What was remembered before it.
        occasion: The turn.
    """
    given = _name_given(progress, known, occasion)
    named_id, alias = given or (None, "")
    touched = [
        occasion.reference(
            touch.id,
            touch.name,
            touch.change,
            [*([alias] if touch.id == named_id else []), *progress.names.get(touch.id, ())],
        )
        for touch in progress.touched.values()
    ]
    if named_id is not None and all(one.workflow_id != named_id for one in touched):
        remembered = {one.workflow_id: one.name for one in known_workflows(known)}
        if named_id in remembered:
            touched.append(occasion.reference(named_id, remembered[named_id], "discussed", [alias]))
    return tuple(touched)


def _name_given(
    progress: RunProgress, known: Sequence[WorkflowReference], occasion: Occasion
) -> tuple[str, str] | None:
    """Return the workflow that the message gives a name to, and the name; None when it is not sure which."""
    given = name_given_in(occasion.message)
    if given is None:
        return None
    meant = resolve_reference(
        given.what,
        [*known, *touched_so_far(progress, occasion)],
        now=occasion.at,
        open_workflow_id=progress.open_workflow_id,
        conversation_id=occasion.conversation_id,
    )
    if meant.workflow_id is None or meant.confidence < HIGH_CONFIDENCE:
        return None
    name = next((touch.name for touch in progress.touched.values() if touch.id == meant.workflow_id), None)
    is_its_name = name is not None and name.casefold() == given.alias.casefold()
    return None if is_its_name else (meant.workflow_id, given.alias)


def touched_so_far(progress: RunProgress, occasion: Occasion) -> tuple[WorkflowReference, ...]:
    """Return references to what the run has dealt with until now."""
    return tuple(
        occasion.reference(touch.id, touch.name, touch.change, progress.names.get(touch.id, ()))
        for touch in progress.touched.values()
    )
