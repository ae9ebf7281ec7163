"""Search by meaning: joined with words where a model is there, left out visibly where it fails."""

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic_ai import Embedder
from pydantic_ai.exceptions import ModelHTTPError

from tests.support.embedding import ConceptModel
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.search.meaning import SearchByMeaning
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Author, Change, WorkflowFilters

TENANT = "acme"


@dataclass
class Searched:
    """Two workflows, and a search over them."""

    root: Path
    model: ConceptModel = field(default_factory=ConceptModel)

    def __post_init__(self) -> None:
        files = DurableFiles(self.root)
        self.catalog = JsonWorkflowCatalog(
            files, TtlCache(max_entries=10, ttl_seconds=60), now=lambda: datetime.now(UTC)
        )
        self.search = self.opened()

    def opened(self) -> SearchByMeaning:
        words = SqliteWorkflowSearch(self.catalog, root=self.root)
        return SearchByMeaning(words, self.catalog, Embedder(self.model), "concepts", self.root)

    async def add(self, workflow_id: str, name: str, description: str) -> None:
        steps = [{"id": "do", "name": "Do", "type": "human", "assignee": "clerk"}]
        workflow = parse_workflow({"id": workflow_id, "name": name, "description": description, "steps": steps})
        await self.catalog.create(TENANT, workflow, Change(Author(), "created"))

    async def ids(self, query: str, **filters: str) -> list[str]:
        answer = await self.search.search(TENANT, query, WorkflowFilters(**filters))
        return [hit.id for hit in answer.hits]


@pytest.fixture
async def searched(tmp_path: Path) -> AsyncIterator[Searched]:
    made = Searched(tmp_path)
    await made.add("wf_vet", "Vet visit", "Bring the puppy in.")
    await made.add("wf_pay", "Supplier payment", "Pay an invoice.")
    yield made
    made.search.close()


async def test_what_shares_no_word_is_found_by_meaning_and_says_so(searched: Searched) -> None:
    answer = await searched.search.search(TENANT, "canine")

    assert [(hit.id, hit.strategies, hit.matched) for hit in answer.hits] == [("wf_vet", ("meaning",), ())]
    assert 0 < answer.hits[0].score < 1


async def test_words_and_meaning_together_come_first(searched: Searched) -> None:
    await searched.add("wf_dog", "Dog licence", "")

    answer = await searched.search.search(TENANT, "puppy")

    assert answer.hits[0].id == "wf_vet"
    assert {"full_text", "meaning"} <= set(answer.hits[0].strategies)
    assert answer.hits[1].id == "wf_dog"


async def test_a_name_is_not_second_guessed(searched: Searched) -> None:
    answer = await searched.search.search(TENANT, "Supplier payment")

    assert answer.hits[0].score == 1.0
    assert searched.model.documents == []


async def test_filters_hold_for_what_is_found_by_meaning(searched: Searched) -> None:
    assert await searched.ids("canine", role="clerk") == ["wf_vet"]
    assert await searched.ids("canine", role="pilot") == []


async def test_each_content_is_embedded_once_also_after_a_restart(searched: Searched) -> None:
    await searched.ids("canine")
    await searched.ids("canine")
    searched.search.close()
    searched.search = searched.opened()
    await searched.ids("canine")
    assert len(searched.model.documents) == 2

    def renamed(workflow: Workflow) -> tuple[Workflow, Change]:
        return workflow.model_copy(update={"description": "Pay the vet."}), Change(Author(), "edited")

    await searched.catalog.update(TENANT, "wf_pay", renamed)
    await searched.catalog.delete(TENANT, "wf_vet")

    assert await searched.ids("canine") == ["wf_pay"]
    assert len(searched.model.documents) == 3


async def test_while_the_provider_fails_words_answer_and_it_is_said(
    searched: Searched, caplog: pytest.LogCaptureFixture
) -> None:
    searched.model.error = ModelHTTPError(503, "concepts")
    caplog.set_level(logging.WARNING)

    assert await searched.ids("invoice") == ["wf_pay"]
    assert await searched.ids("canine") == []
    assert searched.search.failures == 2
    assert "by words alone" in caplog.text


async def test_a_damaged_file_of_vectors_is_begun_anew(searched: Searched) -> None:
    await searched.ids("canine")
    searched.search.close()
    (path,) = (searched.root / TENANT / ".index").glob("meaning-*.sqlite")
    path.write_bytes(b"no database" * 100)
    searched.search = searched.opened()

    assert await searched.ids("canine") == ["wf_vet"]
