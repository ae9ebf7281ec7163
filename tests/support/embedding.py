"""An embedding model that knows a few things only."""

import hashlib
from collections.abc import Sequence

from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, EmbeddingSettings
from pydantic_ai.embeddings.result import EmbedInputType
from pydantic_ai.usage import RequestUsage
from typing_extensions import override

CONCEPTS = {"canine": "dog", "puppy": "dog", "dog": "dog", "vet": "dog", "invoice": "money", "pay": "money"}


class ConceptModel(EmbeddingModel):
    """Puts words for the same thing into the same place; knows a few things only."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: list[str] = []
        self.error: Exception | None = None

    @property
    @override
    def model_name(self) -> str:
        return "concepts"

    @property
    @override
    def system(self) -> str:
        return "test"

    @override
    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        texts, _ = self.prepare_embed(inputs, settings)
        if self.error:
            raise self.error
        if input_type == "document":
            self.documents += texts
        vectors = [_vector(text) for text in texts]
        return EmbeddingResult(
            vectors,
            inputs=texts,
            input_type=input_type,
            model_name="concepts",
            provider_name="test",
            usage=RequestUsage(),
        )


def _vector(text: str) -> list[float]:
    vector = [0.0] * 64
    for word in text.lower().replace(".", " ").split():
        if concept := CONCEPTS.get(word):
            vector[int(hashlib.sha256(concept.encode()).hexdigest(), 16) % 64] += 1.0
    return vector
