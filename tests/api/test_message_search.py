"""Finding what was said over HTTP: in one conversation and in all."""

import httpx


async def said(client: httpx.AsyncClient, conversation_id: str, *messages: str) -> None:
    await client.post("/api/v1/conversations", json={"id": conversation_id, "title": "Talk"})
    for message in messages:
        answer = await client.post(f"/api/v1/conversations/{conversation_id}/events", json={"content": message})
        assert answer.status_code == 201


async def test_a_conversation_is_searched_for_what_was_said(client: httpx.AsyncClient) -> None:
    await said(client, "one", "The budget is 400", "Nothing else", "A new BUDGET")
    await said(client, "two", "My budget")

    found = (await client.get("/api/v1/conversations/one/search", params={"q": "budget"})).json()

    assert [(hit["conversation_id"], hit["turn"], hit["snippet"]) for hit in found["items"]] == [
        ("one", 3, "A new BUDGET"),
        ("one", 1, "The budget is 400"),
    ]
    assert found["items"][0]["event"]["type"] == "user_message"
    assert found["next_cursor"] is None


async def test_all_conversations_are_searched_page_by_page(client: httpx.AsyncClient) -> None:
    await said(client, "one", "The budget is 400", "A new budget")
    await said(client, "two", "My budget")
    path = "/api/v1/search/messages"

    first = (await client.get(path, params={"q": "budget", "limit": "2"})).json()
    second = (await client.get(path, params={"q": "budget", "limit": "2", "cursor": first["next_cursor"]})).json()

    turns = [[(hit["conversation_id"], hit["turn"]) for hit in page["items"]] for page in (first, second)]
    # Of equal words the shorter message says more of what is wanted.
    assert turns == [[("one", 2), ("two", 1)], [("one", 1)]]
    assert second["next_cursor"] is None


async def test_a_question_finds_what_says_most_of_it(client: httpx.AsyncClient) -> None:
    await said(client, "one", "The finance lead approves invoices over 5000", "Lunch is at noon", "We meet on Monday")
    await said(client, "two", "Who is on holiday?", "Nobody")

    found = (await client.get("/api/v1/search/messages", params={"q": "Who approved invoices above 5000?"})).json()

    assert (found["items"][0]["conversation_id"], found["items"][0]["turn"]) == ("one", 1)


async def test_time_words_leave_out_what_was_said_at_other_times(client: httpx.AsyncClient) -> None:
    await said(client, "one", "The budget is 400", "The budget is 500")
    asked = {
        when: (await client.get("/api/v1/conversations/one/search", params={"q": f"what did we say {when}?"})).json()
        for when in ("today", "about the budget yesterday", "about the budget today")
    }

    turns = {when: [hit["turn"] for hit in found["items"]] for when, found in asked.items()}
    # Nothing was said yesterday: then all times are looked at.
    assert turns == {"today": [2, 1], "about the budget yesterday": [2, 1], "about the budget today": [2, 1]}


async def test_a_search_needs_a_conversation_and_words(client: httpx.AsyncClient) -> None:
    await said(client, "one", "The budget is 400")

    statuses = [
        (await client.get(path)).status_code
        for path in (
            "/api/v1/conversations/missing/search?q=x",
            "/api/v1/conversations/one/search",
            "/api/v1/search/messages?q=",
            "/api/v1/search/messages?q=budget&cursor=nonsense",
        )
    ]

    assert statuses == [404, 422, 422, 422]
