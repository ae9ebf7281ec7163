"""The graph while it is drawn: steps, edges, and the loose ends that the next step will be joined to."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from workflow_agent.agent.offline.drafting.statements import Condition, Polarity, Task
from workflow_agent.domain.workflow_parsing import slug, unique_id

MAX_STEPS: Final = 300
STOPPED: Final = f"I stopped after {MAX_STEPS} steps; the rest of the text is not drawn."
"""A description longer than this is no longer one a person wrote."""
_ENDS: Final = {
    "ok": "Done", "rejected": "Rejected", "failed": "Failed", "cancelled": "Cancelled",
    "timed_out": "Timed out",
}  # fmt: skip

Key = Literal["approved", "rejected", "changes", "else", "success"]


@dataclass(frozen=True, slots=True, eq=False)
class Loose:
    """An edge whose end is not known yet."""

    from_id: str
    type: Literal["sequence", "condition", "default", "error"] = "sequence"
    text: str | None = None
    outcome: str = "ok"
    """How the process ends when nothing more is said on this path."""


@dataclass(slots=True, eq=False)
class Choice:
    """A point where the path parts, and which of its ways are still open."""

    step_id: str
    kind: Literal["verdict", "generic", "error", "timeout"]
    free: dict[Key, Loose]
    actor: str | None = None
    conditions: list[Condition] = field(default_factory=list[Condition])
    tails: list[Loose] = field(default_factory=list[Loose])
    """Loose ends of the branches that were left."""
    branch: Key | None = None
    """The way being described; None when the path only passes by."""
    taken: set[Key] = field(default_factory=set[Key])
    resume: list[Loose] | None = None
    """Where the main line goes on after a side path (an error, a silence)."""
    continues: bool = False
    """A branch was told to go on with the main line."""
    sentence: int = 0
    is_amended: bool = False
    """What to do about an error was said of the step itself: it is tried again."""


class Graph:
    """Steps and edges drawn so far."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.edges: list[dict[str, Any]] = []
        self.words: dict[str, frozenset[str]] = {}
        """What each step can be recognised by."""
        self.items: dict[str, str] = {}
        """List labels to step ids."""
        self._ids: set[str] = set()
        self._joined: set[tuple[str, str, str]] = set()

    @property
    def work(self) -> list[str]:
        """The ids of the steps so far, without ends, in order."""
        return [step["id"] for step in self.steps if step["type"] != "end"]

    def add(self, task: Task) -> str:
        """Add a step and return its id."""
        is_taken = any(step["name"] == task.name for step in self.steps)
        name = f"{task.name} ({task.assignee})" if is_taken and task.assignee else task.name
        step_id = self._new_id(slug(name))
        step: dict[str, Any] = {"id": step_id, "name": name[:190] or "Step", "type": task.type}
        if task.assignee:
            step["assignee"] = task.assignee[:190]
        self.steps.append(step | task.fields)
        self.words[step_id] = task.words | ({task.lemma} if task.lemma else set())
        if task.item is not None:
            self.items.setdefault(task.item, step_id)
        return step_id

    def move_before(self, step_id: str, other_id: str) -> None:
        """Put a step before another one in the list."""
        step = self.step(step_id)
        self.steps.remove(step)
        self.steps.insert(self.steps.index(self.step(other_id)), step)

    def replace(self, step_id: str, task: Task) -> str:
        """Put a task in the place of a step that only said who has the work, and return its id."""
        at = next(at for at, step in enumerate(self.steps) if step["id"] == step_id)
        fields = {key: value for key, value in self.steps[at].items() if key in ("timeout", "escalate_to")}
        self._ids.discard(step_id)
        new_id = self._new_id(slug(task.name))
        step: dict[str, Any] = {"id": new_id, "name": task.name[:190], "type": task.type}
        self.steps[at] = step | ({"assignee": task.assignee} if task.assignee else {}) | fields | task.fields
        self.words[new_id] = self.words.pop(step_id) | task.words | {task.lemma}
        self.items = {label: new_id if known == step_id else known for label, known in self.items.items()}
        for edge in self.edges:
            edge |= {end: new_id for end in ("from", "to") if edge[end] == step_id}
        return new_id

    def _new_id(self, wanted: str) -> str:
        step_id = unique_id(wanted, self._ids)
        self._ids.add(step_id)
        return step_id

    def step(self, step_id: str) -> dict[str, Any]:
        """Return the step with an id."""
        return next(step for step in self.steps if step["id"] == step_id)

    def join(self, loose: Loose, to_id: str) -> None:
        """Draw the edge of a loose end, once."""
        key = (loose.from_id, to_id, loose.text or loose.type)
        if key in self._joined:
            return
        self._joined.add(key)
        edge: dict[str, Any] = {"from": loose.from_id, "to": to_id}
        if loose.type != "sequence":
            edge["type"] = loose.type
        if loose.text:
            edge["when"] = {"text": loose.text}
        self.edges.append(edge)

    def end(self, loose: Loose) -> None:
        """Let a loose end run into the end step of its outcome."""
        outcome = loose.outcome
        found = next((s["id"] for s in self.steps if s["type"] == "end" and s["outcome"] == outcome), None)
        if found is None:
            name = _ENDS.get(outcome, outcome.replace("_", " ").capitalize())
            found = self._new_id(slug(name))
            self.steps.append({"id": found, "name": name, "type": "end", "outcome": outcome})
        self.join(loose, found)

    def recognise(self, words: frozenset[str], among: list[str]) -> str | None:
        """Return the step that shares most words with a phrase, the earliest of equals, or None."""
        scored = [
            (len(words & self.words.get(step_id, frozenset())), -at) for at, step_id in enumerate(among)
        ]
        best = max(scored, default=(0, 0))
        return among[-best[1]] if best[0] else None

    def is_left(self, step_id: str) -> bool:
        """Say whether an edge leaves a step."""
        return any(edge["from"] == step_id for edge in self.edges)


def polarity_key(polarity: Polarity) -> Key:
    """Return the way of a choice that a verdict takes."""
    return polarity or "else"


OUTCOME_OF: Final[dict[Key, str]] = {
    "approved": "ok", "rejected": "rejected", "changes": "rejected", "else": "ok", "success": "ok",
}  # fmt: skip
