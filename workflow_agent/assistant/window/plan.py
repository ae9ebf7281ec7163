"""When a model plans the context, and what is set right in its plan."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol, cast

from workflow_agent.conversations.artifacts import (
    Artifact,
    ArtifactDecision,
    ArtifactPlan,
    ArtifactType,
    ProcessingStrategy,
)
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.search.words import SMALL_TALK, STOP_WORDS, fold, stem, synonyms, words

Reason = Literal[
    "no artifacts",
    "few characters",
    "fits with room to spare",
    "near or over the limit",
    "expensive primary model",
    "a large artifact",
]
"""Why a model plans the context, or does not."""


@dataclass(frozen=True, slots=True)
class PlanningThresholds:
    """When planning by a model is worth its price."""

    few_chars: int = 5_000
    """Fewer in all are not worth it."""
    large_chars: int = 10_000
    """One of this turn that is longer is."""
    buffer: float = 0.30
    """The share of the budget that stays free where everything fits with room to spare."""
    expensive_usd_per_token: float = 1e-5
    """An input token of the primary model that costs more makes planning worth it."""


class PricedModels(Protocol):
    """The models of a turn, whose prices decide."""

    def is_expensive_primary(self, threshold: float = 1e-5) -> bool:
        """Say whether an input token of the primary model costs more than this, in US dollars."""
        ...


DEFAULT_THRESHOLDS = PlanningThresholds()


def should_use_llm_planning(
    artifacts: Sequence[Artifact],
    total_tokens: int,
    budget_tokens: int,
    model_config: PricedModels,
    thresholds: PlanningThresholds = DEFAULT_THRESHOLDS,
) -> bool:
    """Say whether a model should plan what of the artifacts goes into the window."""
    return planning_need(artifacts, total_tokens, budget_tokens, model_config, thresholds)[0]


def planning_need(
    artifacts: Sequence[Artifact],
    total_tokens: int,
    budget_tokens: int,
    model_config: PricedModels,
    thresholds: PlanningThresholds = DEFAULT_THRESHOLDS,
) -> tuple[bool, Reason]:
    """Return whether a model should plan the context, and the first rule that decides it."""
    if not artifacts:
        return False, "no artifacts"
    if sum(one.size_chars for one in artifacts) < thresholds.few_chars:
        return False, "few characters"
    if total_tokens > budget_tokens * (1 - thresholds.buffer):
        return True, "near or over the limit"
    if model_config.is_expensive_primary(thresholds.expensive_usd_per_token):
        return True, "expensive primary model"
    # Of what is older, the rule takes no more than passages: it is there in every turn to come.
    if any(one.size_chars > thresholds.large_chars and not one.is_historical for one in artifacts):
        return True, "a large artifact"
    return False, "fits with room to spare"


def corrected_plan(
    answer: Mapping[str, Any], artifacts: Sequence[Artifact], question: str
) -> tuple[ArtifactPlan, tuple[str, ...]]:
    """Return what a model planned with every artifact in it exactly once, and what had to be set right.

    Raises:
        ValueError: There is no plan in the answer at all.
    """
    given = answer.get("artifacts")
    if not isinstance(given, list):
        raise ValueError("the answer has no list of artifacts")
    known = {one.artifact_id: one for one in artifacts}
    decided: dict[str, ArtifactDecision] = {}
    notes: list[str] = []
    for at, entry in enumerate(cast("list[Any]", given), 1):
        decision = _read(entry, at, known, question, notes)
        if decision is None:
            continue
        if decision.artifact_id in decided:
            notes.append(f"{decision.artifact_id} was planned twice; the first decision stands")
            continue
        decided[decision.artifact_id] = decision
    ordered = sorted(decided.values(), key=lambda one: one.priority)
    left_out = [one for name, one in known.items() if name not in decided]
    notes += (f"{one.artifact_id} was left out of the plan; it is excluded" for one in left_out)
    ordered += (_decision(one, ProcessingStrategy.EXCLUDE, "not mentioned by the planner") for one in left_out)
    reasoning = answer.get("reasoning")
    return _plan(ordered, reasoning[:2_000] if isinstance(reasoning, str) else ""), tuple(notes)


def _plan(decisions: Iterable[ArtifactDecision], reasoning: str) -> ArtifactPlan:
    """Return a plan of decisions, the most important first."""
    numbered = (one.model_copy(update={"priority": at}) for at, one in enumerate(decisions, 1))
    return ArtifactPlan(artifacts=tuple(numbered), reasoning=reasoning)


def _read(
    entry: Any, position: int, known: Mapping[str, Artifact], question: str, notes: list[str]
) -> ArtifactDecision | None:
    if not isinstance(entry, dict):
        notes.append(f"entry {position} is no decision; it was dropped")
        return None
    told = cast("JsonObject", entry)
    artifact_id = told.get("artifact_id")
    if not isinstance(artifact_id, str) or artifact_id not in known:
        notes.append(f"entry {position} names {str(artifact_id)[:40]!r}, which there is not; it was dropped")
        return None
    strategy = _strategy(told.get("strategy"), artifact_id, notes)
    rationale = told.get("relevance_rationale")
    focus = _wish(told.get("summarization_focus"), question) if strategy is ProcessingStrategy.SUMMARIZE else None
    query = _wish(told.get("extraction_query"), question) if strategy is _RAG else None
    return ArtifactDecision(
        artifact_id=artifact_id,
        strategy=strategy,
        priority=_priority(told.get("priority"), position, artifact_id, notes),
        relevance_rationale=rationale[:500] if isinstance(rationale, str) else "",
        summarization_focus=focus,
        extraction_query=query,
    )


def _strategy(given: Any, artifact_id: str, notes: list[str]) -> ProcessingStrategy:
    try:
        return ProcessingStrategy(given)
    except ValueError:
        notes.append(f"{artifact_id} has the strategy {str(given)[:40]!r}, which there is not; it is extracted from")
        return ProcessingStrategy.RAG_EXTRACT


def _priority(given: Any, position: int, artifact_id: str, notes: list[str]) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given
    notes.append(f"{artifact_id} has the priority {str(given)[:20]!r}; its place in the answer counts")
    return position


def _wish(given: Any, question: str) -> str:
    """Return what to look for; the question itself where the planner does not say."""
    return given[:500] if isinstance(given, str) and given.strip() else question[:500]


_MEANS_A_DOCUMENT = frozenset(map(stem, ("attach", "attached", "attachment", "document", "file", "upload", "uploaded")))
_MOST_RELEVANT = 6
_MOST_WHOLE = 2
"""Of what is older; of the others passages do."""
_MOST_OLD_CHARS = 10_000
_CHARS_A_TOKEN = 3
"""Few, so that what is planned in full also fits."""
_LIKELY, _POSSIBLE = 0.6, 0.2
"""Of the best score: those that may well be meant, and those that might be."""
_A_SYNONYM = 0.5
_FEWEST_WORDS = 2
_KEPT_TEXTS = 256
_SAYS_NOTHING = frozenset(map(stem, STOP_WORDS | SMALL_TALK))
_RAG = ProcessingStrategy.RAG_EXTRACT


@lru_cache(maxsize=_KEPT_TEXTS)
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(words(text))


def asked_words(question: str) -> dict[str, float]:
    """Return the stems of the words that say what a question is about, and those of their synonyms, by weight."""
    said = [stem(word) for word in fold(question).split() for word in words(word)]
    asked = {word: 1.0 for word in said if word not in _SAYS_NOTHING}
    for _, phrases in synonyms(said):
        for word in (word for phrase in phrases for word in phrase if word not in _SAYS_NOTHING):
            asked.setdefault(word, _A_SYNONYM)
    return asked


def rule_plan(artifacts: Sequence[Artifact], question: str, available_tokens: int) -> ArtifactPlan:
    """Return a plan made without a model.

    What belongs to this turn is included, in full where it fits and in passages where it does not. Of
    what is older, what shares most words with the question, rare ones first: the likeliest in full.
    """
    asked = asked_words(question)
    current = [one for one in artifacts if not one.is_historical]
    older = [one for one in artifacts if one.is_historical]
    scored = _scored(older, asked)
    best = scored[0][0] if scored else 0.0
    chosen = [(score, one) for score, one in scored if score > best * _POSSIBLE][:_MOST_RELEVANT]
    whole = [one for score, one in chosen[:_MOST_WHOLE] if score >= best * _LIKELY]
    parts = [one for _, one in chosen if one not in whole]
    taken = {one.artifact_id for _, one in chosen}
    rest = [one for one in older if one.artifact_id not in taken]
    searched = [one for one in rest if one.artifact_type is ArtifactType.DOCUMENT][:_MOST_RELEVANT]
    left = [one for one in rest if one not in searched]
    decided = [
        *(_included(one, question, available_tokens) for one in (*current, *whole)),
        *(_decision(one, _RAG, "shares some words with the question", question) for one in parts),
        *(_decision(one, _RAG, "may hold what is asked for", question) for one in searched),
        *(_decision(one, ProcessingStrategy.EXCLUDE, "shares no words with the question") for one in left),
    ]
    return _plan(decided, "By rule: this turn's first, then by the words of the question.")


def weighed(plan: ArtifactPlan, artifacts: Sequence[Artifact]) -> list[Artifact]:
    """Return the artifacts whose size decides whether a model plans: what a plan takes in full.

    Of what it takes passages of, as of what it leaves out, there may be any amount: history merely exists.
    """
    whole = {one.artifact_id for one in plan.artifacts if one.strategy is ProcessingStrategy.INCLUDE_FULL}
    return [one for one in artifacts if one.artifact_id in whole or not one.is_historical]


def _scored(older: Sequence[Artifact], asked: Mapping[str, float]) -> list[tuple[float, Artifact]]:
    """Return artifacts by how much of a question they hold, those with too little left out."""
    held = [(_stems_of(_title(one)), _stems_of(one.text)) for one in older]
    scored: list[tuple[float, Artifact]] = []
    for one, share in zip(older, shares(held, asked), strict=True):
        if one.artifact_type is ArtifactType.DOCUMENT:
            scored.append((share.score + 2 * len(_MEANS_A_DOCUMENT & asked.keys()), one))
        elif share.is_about:
            scored.append((share.score, one))
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


class Share(NamedTuple):
    """How much of a question a text holds, and whether that is enough: two of its own words, or a rare one."""

    score: float
    is_about: bool


def shares(texts: Sequence[tuple[Collection[str], Collection[str]]], asked: Mapping[str, float]) -> Iterator[Share]:
    """Yield for each text how much of a question it holds; a word that few hold counts more.

    Args:
        texts: The stems of what each is called and was asked by, which count double, and of what it says.
        asked: The words of the question by weight: 1 for its own.
    """
    holders = {word: sum(word in title or word in text for title, text in texts) for word in asked}
    for title, text in texts:
        shared = {word: 2 if word in title else 1 for word in asked if word in title or word in text}
        score = sum(
            times * asked[word] * math.log(1 + (len(texts) + 1) / holders[word]) for word, times in shared.items()
        )
        own = sum(times for word, times in shared.items() if asked[word] == 1)
        yield Share(score, own >= _FEWEST_WORDS or any(holders[word] <= len(texts) / 3 for word in shared))


def _title(artifact: Artifact) -> str:
    """Return what an artifact is called and was asked by, and its name's initials: a PO is a purchase order."""
    content = cast("JsonObject", artifact.content) if isinstance(artifact.content, Mapping) else {}
    inner = content.get("workflow")
    name = str((cast("JsonObject", inner) if isinstance(inner, Mapping) else content).get("name", ""))
    initials = " ".join(f"{one[0]}{other[0]}" for one, other in pairwise(name.split()))
    asked_by = f"{artifact.metadata.get('title', '')} {artifact.metadata.get('args', '')}"
    return f"{artifact.source} {asked_by} {name} {initials}"


def _included(artifact: Artifact, question: str, available_tokens: int) -> ArtifactDecision:
    room = available_tokens * _CHARS_A_TOKEN
    # Older ones leave room for others.
    if artifact.size_chars > (min(room, _MOST_OLD_CHARS) if artifact.is_historical else room):
        return _decision(artifact, _RAG, "too large to be included in full", question)
    why = "shares words with the question" if artifact.is_historical else "belongs to this turn"
    return _decision(artifact, ProcessingStrategy.INCLUDE_FULL, why)


def _decision(artifact: Artifact, strategy: ProcessingStrategy, why: str, query: str | None = None) -> ArtifactDecision:
    return ArtifactDecision(
        artifact_id=artifact.artifact_id, strategy=strategy, priority=1, relevance_rationale=why, extraction_query=query
    )
