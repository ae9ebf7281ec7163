"""What search by meaning costs in a turn stands in the reply and in the conversation's totals."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from pydantic_ai import models

from tests.support.provider import Answer, Embeds, Refuses, provider_stub
from tests.support.scripted import Calls, scripted
from tests.support.server import application_for
from workflow_agent.settings import load_settings

USD_A_TOKEN = Decimal("0.02") / 1_000_000
WORKFLOW = {"id": "wf_vet", "name": "Visits", "steps": [{"id": "one", "name": "One"}]}


@pytest.fixture(autouse=True)
def allowed() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


@pytest.mark.parametrize(
    ("answers", "tokens", "requests"),
    [
        pytest.param([Embeds(700), Embeds(50)], 750, 2, id="priced"),
        pytest.param([Embeds(700), Embeds(None)], 700, 2, id="one is not counted"),
        pytest.param([Embeds(700), Refuses(400)], 700, 1, id="one fails"),
    ],
)
async def test_search_by_meaning_is_paid_for_in_the_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[Answer], tokens: int, requests: int
) -> None:
    model, _ = scripted(Calls([("search_workflows", {"query": "puppy"})]), "There is one.")
    async with provider_stub(*answers) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        settings = load_settings(data_dir=tmp_path, embedding_model="openai:text-embedding-3-small")
        application = application_for(settings, model)
        transport = httpx.ASGITransport(application.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            (await client.post("/api/v1/workflows", json=WORKFLOW)).raise_for_status()
            reply = (await client.post("/api/v1/chat", json={"message": "which is about puppies?"})).json()
            conversation = (await client.get(f"/api/v1/conversations/{reply['conversation_id']}")).json()
        application.close()

    cost = float(USD_A_TOKEN * tokens)
    assert reply["cost"]["embedding_usd"] == reply["cost"]["total_usd"] == pytest.approx(cost)
    assert conversation["usage_totals"]["cost_usd"] == pytest.approx(cost)
    # The scripted model has no price.
    assert not reply["cost"]["is_complete"]
    assert reply["usage"]["requests"] == 2 + requests
    assert conversation["usage_totals"]["input_tokens"] == reply["usage"]["input_tokens"] >= tokens
