"""Passages by meaning: the nearest first, few enough to ask for, and left to the words where that fails."""

import pytest
from pydantic_ai import Embedder
from pydantic_ai.exceptions import ModelHTTPError

from tests.support.embedding import ConceptModel
from workflow_agent.storage.files.search.vectors import PassagesByMeaning

PASSAGES = ["The weather is fine.", "A puppy goes to the vet.", "Pay the invoice.", "One dog."]


async def test_what_means_the_same_is_found_without_its_words() -> None:
    ranked, costs = await PassagesByMeaning(Embedder(ConceptModel()))(PASSAGES, "canine")

    assert set(ranked) == {1, 3}
    assert (costs.usage.requests, costs.cost.is_complete) == (2, False)


async def test_of_a_very_long_text_what_shares_words_and_the_beginning_are_looked_at() -> None:
    model = ConceptModel()
    passages = [*(f"Nothing {n}." for n in range(2_000)), "A canine at the end.", "A dog that shares nothing."]

    ranked, _ = await PassagesByMeaning(Embedder(model))(passages, "canine")

    assert list(ranked) == [2_000]
    assert len(model.documents) == 512
    assert model.documents[:2] == ["Nothing 0.", "Nothing 1."]


async def test_while_the_model_fails_words_decide_and_it_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    model = ConceptModel()
    model.error = ModelHTTPError(503, "concepts")
    ranking = PassagesByMeaning(Embedder(model))

    ranked, costs = await ranking(PASSAGES, "canine")

    assert list(ranked) == []
    assert not costs.is_complete
    assert ranking.failures == 1
    assert "ranked by words alone" in caplog.text
