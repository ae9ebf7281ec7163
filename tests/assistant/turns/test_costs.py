"""What a conversation cost is what its provider reported, to the last digit."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai import models

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.provider import Answer, CallsTools, ProviderStub, Refuses, Says, provider_stub
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.errors import ModelFailed
from workflow_agent.values.tokens import RunCosts, Totals, Usage, added, exact_sum

pytestmark = pytest.mark.untraced

READ, CACHED, WROTE = (Decimal(price) / 1_000_000 for price in ("2.5", "1.25", "10"))
"""What gpt-4o takes for a token."""
Tokens = tuple[int, int, int]
REPORTED = st.tuples(st.integers(1, 90_000), st.integers(0, 9_000), st.integers(0, 90_000)).map(
    lambda told: (told[0], told[1], min(told[2], told[0]))
)


def price(told: Tokens) -> Decimal:
    read, wrote, cached = told
    return (read - cached) * READ + cached * CACHED + wrote * WROTE


def chat_at(stub: ProviderStub) -> ChatUnderTest:
    stub.model = "gpt-4o"
    provider = Provider(base_url=stub.base_url, api_key="k", max_retries=0)
    return chat_with(build_model("openai:gpt-4o", provider, offline=lambda: pytest.fail("not needed")))


@pytest.fixture(autouse=True)
def allow_local_requests() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(REPORTED, min_size=1, max_size=3), min_size=1, max_size=3))
async def test_costs_reconcile_with_what_the_provider_reported(turns: list[list[Tokens]]) -> None:
    answers: list[Answer] = []
    for requests in turns:
        answers += [CallsTools([("list_workflows", "{}")], told) for told in requests[:-1]]
        answers.append(Says(["Done."], usage=requests[-1]))
    async with provider_stub(*answers) as stub:
        under_test = chat_at(stub)
        conversation_id = None
        for requests in turns:
            outcome = await under_test.say("go on", conversation_id=conversation_id)
            conversation_id = outcome.conversation_id
            assert Decimal(str(outcome.reply.cost.total_usd)) == sum(map(price, requests))
            assert outcome.reply.usage.input_tokens == sum(read for read, _, _ in requests)
            assert outcome.reply.usage.cache_read_tokens == sum(cached for _, _, cached in requests)

    assert conversation_id is not None
    totals = (await under_test.store.load(TENANT, conversation_id)).usage_totals
    told = [one for requests in turns for one in requests]
    assert Decimal(str(totals.cost_usd)) == sum(map(price, told))
    assert (totals.requests, totals.turns) == (len(told), len(turns))
    assert totals.output_tokens == sum(wrote for _, wrote, _ in told)


async def test_what_a_failed_run_spent_is_not_lost() -> None:
    async with provider_stub(
        CallsTools([("list_workflows", "{}")], (4_000, 20, 0)), Refuses(500), Says(["Yes."], usage=(1_000, 5, 0))
    ) as stub:
        under_test = chat_at(stub)
        first = await under_test.chat.start(TENANT, TurnRequest("go on"))
        with pytest.raises(ModelFailed):
            await first.outcome()
        await under_test.say("again", conversation_id=first.conversation_id)

    totals = (await under_test.store.load(TENANT, first.conversation_id)).usage_totals
    assert Decimal(str(totals.cost_usd)) == price((4_000, 20, 0)) + price((1_000, 5, 0))
    assert (totals.input_tokens, totals.requests, totals.turns) == (5_000, 2, 1)


@given(st.lists(st.decimals(0, 100, places=9), max_size=40))
def test_totals_do_not_drift(amounts: list[Decimal]) -> None:
    totals = Totals()
    for amount in amounts:
        totals = added(totals, Usage(requests=1), RunCosts().with_call("primary", Usage(), amount).cost, turns=1)

    assert Decimal(str(totals.cost_usd)) == sum(amounts)


def test_all_who_spend_are_one_total() -> None:
    call = Usage(requests=1, input_tokens=10)

    costs = (
        RunCosts()
        .with_call("primary", call, Decimal("0.1"))
        .with_call("planner", call, Decimal("0.2"))
        .with_call("summarizer", call, Decimal("0.000003"))
        .with_call("embedding", call, Decimal("0.00004"))
    )

    assert costs.usage == Usage(requests=4, input_tokens=40)
    assert costs.cost.model_dump() == {
        "primary_usd": 0.1,
        "planner_usd": 0.2,
        "summarizer_usd": 0.000003,
        "embedding_usd": 0.00004,
        "total_usd": 0.300043,
        "is_complete": True,
    }


def test_no_known_price_is_no_cost_rather_than_nothing() -> None:
    assert RunCosts().with_call("primary", Usage(requests=1), None).cost.total_usd is None
    assert exact_sum(0.1, None, 0.2) == 0.3
