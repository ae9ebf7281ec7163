"""What the edits of one call are planned with: the workflow as it stands, and what was spoken of."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.text import sentence_case
from workflow_agent.agent.offline.skills.steps import Known, StepFinder
from workflow_agent.agent.offline.turn.drafting import Drafting
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import slug, unique_id

_ARTICLE = re.compile(
    r"^(?:(?:a|an|another|one more|the|some|an additional|a new|new|an extra|our|in an?)\s+)+", re.IGNORECASE
)
_STEP_FRAME = re.compile(
    r"^(?:(?:new|extra|additional|further|human|manual|automatic)\s+)*(?:step|task|stage|activity)\s*"
    r"(?:in which|where|when|that|to|for|of|called|named|titled|labelled|with the name|:|-)?\s+",
    re.IGNORECASE,
)
_STEP_BEHIND = re.compile(r"(?<=\w)\s+(?:step|stage)$", re.IGNORECASE)
"""What a step is called is not "Legal review step"."""
_NAMED = re.compile(r"\b(?:called|named|titled|labelled|with the name|by the name of)\s+(.+)$", re.IGNORECASE)
_QUOTED = re.compile(
    r"""(?:^|\b(?:step|task|stage|activity|state)\b[ :]*)(\"[^\"]+\"|'[^']+')$""", re.IGNORECASE
)
"""What somebody puts in quotes is what the step is to be called, word for word."""
_WITH_OWNER = re.compile(
    r"[\s,]+(?:and |which is |that is )?(?:assigned to|done by|owned by|handled by|performed by|"
    r"carried out by|"
    r"assign it to|by|for)\s+(?!.*\b(?:before|after)\b)([\w' -]{2,60})$",
    re.IGNORECASE,
)
_STRONG_OWNER = re.compile(
    r"[\s,]+(?:and |which is |that is )?(?:assigned to|done by|owned by|handled by|performed by|"
    r"carried out by)\s+([\w' -]{2,60})$",
    re.IGNORECASE,
)
_WITH_DEADLINE = re.compile(
    r"[\s,]+(?:and )?(?:with|within|in|that takes at most|and give it|due in)\s+(?:an? )?(?:(?:deadline|"
    r"timeout|time limit|limit)\s+of\s+)?"
    r"([\w -]{3,40}?)(?:\s+(?:deadline|timeout|time limit|limit))?$",
    re.IGNORECASE,
)
_NOUNS = {
    "approve": "approval", "look": "review", "sign": "signature", "confirm": "confirmation",
    "decide": "decision", "see": "review", "verify": "verification", "inspect": "inspection",
    "authorise": "authorisation", "authorize": "authorization",
}  # fmt: skip
"""What is done, as it stands in a name behind who does it."""
_DRAFT_FIELDS = (
    "type",
    "assignee",
    "description",
    "uses",
    "with",
    "timeout",
    "duration",
    "event",
    "workflow",
    "outcome",
    "retry",
)


class NotReadable(Exception):
    """A reading makes no sense for this workflow; the next one is tried."""


class Incomplete(Exception):
    """An order leaves something out; what is missing goes between `before` and `after`."""

    def __init__(self, question: str, before: str, after: str = "") -> None:
        super().__init__(question)
        self.question = question
        self.before = before
        self.after = after


@dataclass
class Plan:
    """The edits made so far and what later clauses may refer to."""

    workflow: Workflow
    finder: StepFinder
    drafting: Drafting
    prefers_workflow: bool = True
    """What "it" is in "rename it": the workflow, unless a step was just spoken of."""
    asked_who: bool = False
    """Whether the question before was who does something, so that "that" is the answer to it."""
    edits: list[JsonObject] = field(default_factory=list[JsonObject])
    asks: list[Exception] = field(default_factory=list[Exception])
    """What several steps fit, of parts that would otherwise be orders."""
    unread: list[str] = field(default_factory=list[str])
    """Clauses that read as no change."""

    def step_draft(self, what: str, *, assignee: str | None = None) -> JsonObject:
        """Return a new step for a phrase, with an id of its own that later clauses can use."""
        phrase, extras = _without_extras(what, self.drafting)
        named = _NAMED.search(phrase) or _QUOTED.search(phrase)
        described = phrase[: named.start()].strip() if named else phrase
        bare = _STEP_FRAME.sub("", _ARTICLE.sub("", described)).strip(" ,:") or phrase
        bare = _STEP_BEHIND.sub("", bare)
        parsed = dict(self.drafting.parse_step(bare) or {}) if not named or bare != phrase else {}
        name = unquoted(named[1]) if named else str(parsed.get("name") or sentence_case(unquoted(bare)))
        draft: JsonObject = {"name": name[:200]}
        draft |= {key: parsed[key] for key in _DRAFT_FIELDS if parsed.get(key) is not None}
        if lead := re.match(
            rf"{re.escape(str(draft.get('assignee') or '-'))} (?:lead|head)(?= )", bare, re.IGNORECASE
        ):
            draft |= {"assignee": lead[0].lower(), "name": sentence_case(bare)[:200]}
            name = draft["name"]
        owner = str(draft.get("assignee") or "")
        if owner and not named and " " not in name and owner.lower() != name.lower():
            noun = _NOUNS.get(name.lower(), name.lower())
            name = draft["name"] = sentence_case(f"{owner} {noun}")
        if assignee:
            draft |= {"type": "human", "assignee": assignee}
        draft |= extras
        if "assignee" in extras and draft.get("type", "action") == "action" and "uses" not in draft:
            draft["type"] = "human"
        return {"id": self.new_id(name), **draft}

    def new_id(self, name: str) -> str:
        """Return an unused id made from a name."""
        return unique_id(slug(name), [step.id for step in self.finder.steps])

    def added(self, draft: JsonObject) -> None:
        """Note a step that an edit adds, so that "it" and its name mean it from here on."""
        self.finder.steps.append(
            Known(draft["id"], draft["name"], draft.get("assignee") or "", draft.get("type") or "action")
        )
        self.finder.last = draft["id"]
        self.prefers_workflow = False

    def trial(self) -> "Plan":
        """Return a copy without edits of its own, to try readings on."""
        finder = replace(self.finder, steps=list(self.finder.steps))
        return Plan(self.workflow, finder, self.drafting, self.prefers_workflow, self.asked_who)

    def adopt(self, trial: "Plan") -> list[JsonObject]:
        """Take over what a reading that fits found out, and return its edits."""
        self.finder, self.prefers_workflow = trial.finder, trial.prefers_workflow
        return trial.edits

    def step(self, phrase: str) -> str:
        """Return the id of the step a phrase means."""
        found = self.finder.find(phrase)
        self.prefers_workflow = False
        return found


def _without_extras(what: str, drafting: Drafting) -> tuple[str, JsonObject]:
    """Return a phrase without "assigned to x" and "with a deadline of y", and those as fields."""
    phrase = what.strip(" ,")
    extras: JsonObject = {}
    for _ in range(2):
        if (match := _STRONG_OWNER.search(phrase)) and match.start() > 0:
            extras["assignee"] = without_article(match[1])
        elif (match := _WITH_DEADLINE.search(phrase)) and (duration := drafting.parse_duration(match[1])):
            extras["timeout"] = duration
        else:
            break
        phrase = phrase[: match.start()]
    return phrase, extras


def strip_extras(anchor: str, drafting: Drafting) -> tuple[str, JsonObject]:
    """Return where a step goes, and the fields of the step that were said after it."""
    return _without_extras(anchor, drafting)


def without_article(phrase: str) -> str:
    """Return a phrase without the article in front and without quotes."""
    return unquoted(_ARTICLE.sub("", phrase))


Builder = Callable[[Plan, Change], list[JsonObject]]
