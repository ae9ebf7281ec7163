"""GET /metrics: the figures of this server, behind its key, without content."""

from pathlib import Path

import httpx

from tests.support.server import application_for, client_of
from workflow_agent.settings import load_settings


async def test_metrics_are_prometheus_text(client: httpx.AsyncClient) -> None:
    await client.post("/api/v1/chat", json={"message": "which flows mention zanzibar?"})

    answer = await client.get("/metrics")

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'workflow_agent_turns_total{mode="search",outcome="completed"} 1.0' in answer.text
    assert 'workflow_agent_cache_requests_total{cache="specs",outcome="hit"}' in answer.text
    assert "workflow_agent_runs_active 0.0" in answer.text
    assert "zanzibar" not in answer.text


async def test_a_client_may_ask_for_openmetrics(client: httpx.AsyncClient) -> None:
    answer = await client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})

    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


async def test_metrics_need_the_key_where_there_is_one(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, api_keys="sesame-open")
    application = application_for(settings)
    async with client_of(application) as asking:
        without = await asking.get("/metrics")
        with_key = await asking.get("/metrics", headers={"Authorization": "Bearer sesame-open"})

    assert (without.status_code, with_key.status_code) == (401, 200)
    assert "sesame" not in with_key.text
