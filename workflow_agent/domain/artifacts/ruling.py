"""What of the artifacts goes into the window, decided by the words of the question."""

import re
from collections.abc import Sequence

from workflow_agent.domain.artifacts.artifact import (
    Artifact,
    ArtifactDecision,
    ArtifactPlan,
    ArtifactType,
    ProcessingStrategy,
)

_WORD = re.compile(r"[^\W_]{3,}")
_COMMON = frozenset({
    "the", "and", "for", "with", "from", "that", "this", "what", "when", "where", "which", "who", "how",
    "why", "does", "did", "are", "was", "were", "has", "have", "had", "can", "could", "would", "should",
    "will", "about", "into", "than", "then", "there", "their", "them", "they", "you", "your", "our",
    "not", "any", "all", "its", "it's", "give", "show", "tell", "please", "say", "says", "said",
})  # fmt: skip
_MEANS_A_DOCUMENT = frozenset({"attach", "attached", "attachment", "document", "file", "upload", "uploaded"})
_MOST_RELEVANT = 6
_MOST_OLD_CHARS = 10_000
_CHARS_A_TOKEN = 3
"""Few, so that what is planned in full also fits."""
_RAG = ProcessingStrategy.RAG_EXTRACT


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, without plural endings."""
    found = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word.removesuffix("s") for word in found if word not in _COMMON)


def rule_plan(artifacts: Sequence[Artifact], question: str, available_tokens: int) -> ArtifactPlan:
    """Return a plan made without a model.

    What belongs to this turn is included, in full where it fits and in passages where it does not. Of
    what is older, what shares most words with the question.
    """
    asked = words_of(question)
    current = [one for one in artifacts if not one.is_historical]
    older = [one for one in artifacts if one.is_historical]
    scored = sorted(((_relevance(one, asked), one) for one in older), key=lambda pair: -pair[0])
    chosen = [*current, *(one for score, one in scored if score)][: len(current) + _MOST_RELEVANT]
    rest = [one for _, one in scored if one not in chosen]
    searched = [one for one in rest if one.artifact_type is ArtifactType.DOCUMENT][:_MOST_RELEVANT]
    left = [one for one in rest if one not in searched]
    decided = [
        *(_included(one, question, available_tokens) for one in chosen),
        *(_decision(one, _RAG, "may hold what is asked for", question) for one in searched),
        *(_decision(one, ProcessingStrategy.EXCLUDE, "shares no words with the question") for one in left),
    ]
    decisions = (one.model_copy(update={"priority": at}) for at, one in enumerate(decided, 1))
    return ArtifactPlan(
        artifacts=tuple(decisions), reasoning="By rule: this turn's first, then by the words of the question."
    )


def _relevance(artifact: Artifact, asked: frozenset[str]) -> int:
    """Return how many of the question's words an artifact holds; its title and arguments count double."""
    about = words_of(
        f"{artifact.source} {artifact.metadata.get('title', '')} {artifact.metadata.get('args', '')}"
    )
    found = 2 * len(asked & about) + len(asked & words_of(artifact.text))
    if artifact.artifact_type is ArtifactType.DOCUMENT:
        return found + 2 * len(asked & _MEANS_A_DOCUMENT)
    return found if found > 1 else 0


def _included(artifact: Artifact, question: str, available_tokens: int) -> ArtifactDecision:
    if artifact.size_chars > _most_chars(artifact, available_tokens):
        return _decision(artifact, _RAG, "too large to be included in full", question)
    why = "shares words with the question" if artifact.is_historical else "belongs to this turn"
    return _decision(artifact, ProcessingStrategy.INCLUDE_FULL, why)


def _decision(
    artifact: Artifact, strategy: ProcessingStrategy, why: str, query: str | None = None
) -> ArtifactDecision:
    return ArtifactDecision(
        artifact_id=artifact.artifact_id, strategy=strategy, priority=1, relevance_rationale=why,
        extraction_query=query,
    )  # fmt: skip


def _most_chars(artifact: Artifact, available_tokens: int) -> int:
    """Return how long an artifact may be to go in whole; older ones leave room for others."""
    room = available_tokens * _CHARS_A_TOKEN
    return min(room, _MOST_OLD_CHARS) if artifact.is_historical else room
