"""What a sentence says about a process, in the order it says it."""

from dataclasses import dataclass, field
from typing import Any, Literal

from workflow_agent.domain.workflow import StepType

Polarity = Literal["approved", "rejected", "changes", ""]
ConditionKind = Literal["outcome", "generic", "error", "timeout"]


@dataclass(frozen=True, slots=True)
class Condition:
    """When a branch is taken."""

    text: str
    kind: ConditionKind = "generic"
    polarity: Polarity = ""
    words: frozenset[str] = frozenset()
    """Lemmas, to find the step it speaks of."""
    actor: str | None = None
    duration: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One step."""

    name: str
    type: StepType = "action"
    lemma: str = ""
    assignee: str | None = None
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further step fields, in the shape of a step document."""
    outcomes: tuple[Polarity, ...] = ()
    judges: bool = False
    words: frozenset[str] = frozenset()
    tentative: bool = False
    """Only says where the work goes ("it goes to the manager"); what is done there may follow."""
    handed_to: str | None = None
    """Who has the work after it, where it only says so: "it is forwarded to legal"."""
    additive: bool = False
    """Said with "as well": extra work, after which the main line goes on."""
    has_subject: bool = False
    again: bool = False
    """Said to happen once more: an earlier step may be meant."""
    item: str | None = None
    """The label of the list item it comes from."""


@dataclass(frozen=True, slots=True)
class Branch:
    """What follows happens under a condition."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What follows happens when the condition before does not hold."""


@dataclass(frozen=True, slots=True)
class Then:
    """What follows comes after the main line so far."""

    rejoins: bool = False
    """Whatever happened before: "in any case"."""
    meets: bool = False
    """Whichever of the two cases it was: "if not I order it, then I ship it"."""
    is_last: bool = False
    """The end of it all: "finally"."""


@dataclass(frozen=True, slots=True)
class SentenceEnd:
    """A branch without an alternative may end here."""


@dataclass(frozen=True, slots=True)
class GoBack:
    """The work returns to an earlier step, or to somebody."""

    text: str
    words: frozenset[str] = frozenset()
    actor: str | None = None
    item: str | None = None
    retries: bool = False
    """To the step just done: "try again"."""
    restarts: bool = False
    name: str = ""
    """What a step is called that has to be made because nobody was there before."""
    given: str = ""
    """What that step is called where nothing was wrong: "good ones go back to the customer"."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The process ends here."""

    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Proceed:
    """Nothing to do on this branch; the main line goes on."""

    skipped: frozenset[str] = frozenset()
    """Lemmas of an earlier step that is not done then."""


@dataclass(frozen=True, slots=True)
class Until:
    """What came before is repeated until a condition holds."""

    condition: Condition
    whole: bool = False
    """All of what came before in the sentence, not only the last step."""
    steps: int = 1
    """How many of the last steps otherwise."""


@dataclass(frozen=True, slots=True)
class Parallel:
    """Branches that run at the same time."""

    branches: tuple[tuple[Task, ...], ...]


@dataclass(frozen=True, slots=True)
class Amend:
    """Something to add to the step before."""

    fields: dict[str, Any]
    actor: str | None = None
    """Whose step is meant, where it says so."""


Statement = (
    Task | Branch | Otherwise | Then | SentenceEnd | GoBack | Stop | Proceed | Until | Parallel | Amend
)  # fmt: skip
