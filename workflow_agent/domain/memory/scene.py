"""What a phrase is said among, and what it may mean there."""

from dataclasses import dataclass

from workflow_agent.domain.memory.phrases import Phrase
from workflow_agent.domain.memory.references import Known


@dataclass(frozen=True, slots=True)
class Scene:
    """What a phrase is said among."""

    known: tuple[Known, ...]
    """The workflows it may mean, the one dealt with last first."""
    open_workflow_id: str | None
    conversation_id: str

    def at_hand(self) -> list[Known]:
        """Return the open workflow, or what the newest turn here dealt with: several, if it compared."""
        opened = [one for one in self.known if one.workflow_id == self.open_workflow_id]
        return opened or self.of_newest_turn()

    def here(self) -> list[Known]:
        """Return the workflows that this conversation dealt with, the newest first."""
        return [
            one
            for one in self.known
            if any(ref.conversation_id == self.conversation_id for ref in one.references)
        ]

    def of_newest_turn(self) -> list[Known]:
        """Return the workflows that the newest turn of this conversation dealt with."""
        turns = {
            one.workflow_id: max(
                ref.turn for ref in one.references if ref.conversation_id == self.conversation_id
            )
            for one in self.here()
        }
        newest = max(turns.values(), default=None)
        return [one for one in self.known if turns.get(one.workflow_id, -1) == newest]


@dataclass(frozen=True, slots=True)
class Asked:
    """A phrase, and what it may mean."""

    phrase: Phrase
    fitting: Scene
    """The workflows whose name, time and relation fit, each with the references that do."""
    scene: Scene
    """All that is remembered."""
    sure: float
    """How surely they fit."""

    @property
    def says_something(self) -> bool:
        """Say whether the phrase tells of a name, a time or a deed, and not only which of several."""
        return bool(self.phrase.words or self.phrase.relations or self.phrase.has_time)
