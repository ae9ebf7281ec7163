"""The MCP server as the SDK's own client uses it, over HTTP and over standard input and output."""

import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import bpe_openai
import httpx
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import UnexpectedToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import SecretStr
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls

from tests.support.scripted import Streaming
from tests.support.server import Served, serving
from workflow_agent.api.mcp.server import ToldTool
from workflow_agent.settings import Settings

KEY = "key-of-the-tests"
MOST_TOKENS = 6_000
TRIP: dict[str, Any] = {
    "name": "Trip",
    "steps": [
        {"name": "Ask", "type": "human", "assignee": "employee"},
        {"name": "Book", "uses": "travel.book"},
        {"name": "Gone", "type": "end", "outcome": "ok"},
    ],
    "transitions": [{"from": "Ask", "to": "Book"}, {"from": "Book", "to": "Gone"}],
}
pytestmark = pytest.mark.xdist_group("mcp")


async def reading(messages: Any, info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """Look something up, then say so."""
    if len(messages) < 2:
        yield {0: DeltaToolCall("list_workflows", "{}")}
        return
    yield "There they are."


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("mcp"), api_keys=(SecretStr(KEY),))
    with serving(settings, Streaming(stream_function=reading)) as server:
        yield server


@asynccontextmanager
async def over_http(served: Served, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {KEY}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that has to succeed."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that has to fail; return what it says."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


async def test_the_list_of_tools_is_short_and_says_what_each_does_to_workflows(served: Served) -> None:
    async with over_http(served) as client:
        tools = (await client.list_tools()).tools

        listed = json.dumps([one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in tools])
        assert len(bpe_openai.get_encoding("o200k_base").encode_ordinary(listed)) <= MOST_TOKENS
        hints = {one.name: one.annotations for one in tools}
        reads = {name for name, hint in hints.items() if hint and hint.read_only_hint}
        destroys = {name for name, hint in hints.items() if hint and hint.destructive_hint}
        assert reads == {
            "search_workflows",
            "get_workflow",
            "analyze_workflow",
            "draw_diagram",
            "export_workflow",
            "list_versions",
        }
        assert destroys == {"edit_workflow", "restore_version", "ask_assistant"}
        assert {name for name, hint in hints.items() if hint and hint.idempotent_hint} == reads
        assert {name for name, hint in hints.items() if hint and hint.open_world_hint} == {"ask_assistant"}
        assert set(hints) == reads | destroys | {"create_workflow", "import_workflow"}
        assert all(one.description for one in tools)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_workflow_goes_through_all_tools(served: Served, mode: str) -> None:
    async with over_http(served, mode) as client:
        made = await called(client, "create_workflow", **TRIP)
        trip = made["workflow"]["id"]
        edits = [
            {"op": "insert_step", "after": "Ask", "step": {"name": "Approve", "type": "human", "assignee": "manager"}}
        ]
        shown = await called(client, "edit_workflow", workflow=trip, edits=edits, preview=True)
        before = await called(client, "get_workflow", workflow=trip)
        changed = await called(client, "edit_workflow", workflow=trip, edits=edits, expected_version=1)
        found = await called(client, "search_workflows", query="Approve trip")
        analysed = await called(client, "analyze_workflow", workflow=trip)
        drawn = await called(client, "draw_diagram", workflow=trip)
        exported = await called(client, "export_workflow", workflow=trip, format="asl")
        imported = await called(client, "import_workflow", text=exported["text"])
        versions = await called(client, "list_versions", workflow=trip)
        restored = await called(client, "restore_version", workflow=trip, version=1)
        old = await called(client, "get_workflow", workflow=trip, version=2)

    assert (shown["preview"], changed["preview"]) == (True, False)
    assert shown["changes"] == changed["changes"] != []
    assert (before["workflow"]["version"], changed["workflow"]["version"]) == (1, 2)
    assert trip in [one["id"] for one in found["items"]]
    assert analysed["findings"]
    assert drawn["diagram"].startswith("flowchart")
    assert imported["documents"][0]["workflow"]["id"] != trip
    assert [one["version"] for one in versions["items"]] == [2, 1]
    assert versions["items"][0]["author"] == {"user": "mcp"}
    assert (restored["workflow"]["version"], len(restored["workflow"]["steps"])) == (3, 3)
    assert len(old["workflow"]["steps"]) == len(TRIP["steps"]) + 1


async def test_what_cannot_be_done_is_told_with_what_is_valid_and_changes_nothing(served: Served) -> None:
    async with over_http(served) as client:
        trip = (await called(client, "create_workflow", **TRIP | {"name": "Refused trip"}))["workflow"]["id"]

        told = [
            await refused(client, "get_workflow", workflow="wf_nothing_like_it"),
            await refused(client, "edit_workflow", workflow=trip, edits=[{"op": "tag", "x": "Nope"}]),
            await refused(
                client, "edit_workflow", workflow=trip, edits=[{"op": "tag", "tag": "x"}], expected_version=7
            ),
            await refused(
                client, "create_workflow", name="X", steps=[{"name": "A"}], transitions=[{"from": "A", "to": "B"}]
            ),
            await refused(client, "restore_version", workflow=trip, version=9),
            await refused(client, "export_workflow", workflow=trip, format="xpdl"),
            await refused(client, "import_workflow", text="not a document"),
            await refused(client, "draw_diagram"),
        ]

        for words, message in zip(
            [
                "wf_nothing_like_it",
                "edits/0/x",
                "at version 1",
                "'B'",
                "has no version 9",
                "xpdl",
                "document",
                "workflow",
            ],
            told,
            strict=True,
        ):
            assert words in message
            assert "Traceback" not in message
        assert (await called(client, "get_workflow", workflow=trip))["workflow"]["version"] == 1


def undescribed(schema: Any, place: str) -> list[str]:
    """Return the properties of a schema, those inside others too, that nothing is said of."""
    if isinstance(schema, list):
        return [one for item in schema for one in undescribed(item, place)]
    if not isinstance(schema, dict):
        return []
    own = {f"{place}.{name}": one for name, one in schema.get("properties", {}).items()}
    inside = [found for name, one in own.items() for found in undescribed(one, name)]
    others = [found for key in ("items", "anyOf") for found in undescribed(schema.get(key), place)]
    return [*(name for name, one in own.items() if not one.get("description")), *inside, *others]


async def test_every_argument_of_every_tool_is_described(served: Served) -> None:
    async with over_http(served) as client:
        tools = (await client.list_tools()).tools

    assert [found for one in tools for found in undescribed(one.input_schema, one.name)] == []


async def test_arguments_that_cannot_be_taken_are_named_in_plain_words(served: Served) -> None:
    async with over_http(served) as client:
        missing = await refused(client, "edit_workflow", id="wf_x", preview="perhaps")
        nested = await refused(client, "create_workflow", name="X", steps=[{"type": "wizard"}])

    assert missing.splitlines()[:5] == [
        "invalid_input: edit_workflow cannot be called so.",
        "- workflow is missing",
        "- edits is missing",
        "- preview must be true or false, got 'perhaps'",
        "- id is no argument of it",
    ]
    assert "It takes workflow (needed): id, name or alias; edits (needed):" in missing
    assert "- steps/0/name is missing" in nested
    assert "- steps/0/type must be 'action', 'human'" in nested
    assert "validation error" not in missing + nested
    assert "pydantic" not in missing + nested


async def test_a_change_with_an_argument_that_is_not_known_changes_nothing(served: Served) -> None:
    made = {"name": "Trip", "steps": [{"name": "Book"}, {"name": "Travel"}]}
    rename = [{"op": "rename_step", "step": "book", "name": "Reserve"}]
    async with over_http(served) as client:
        workflow = (await called(client, "create_workflow", **made))["workflow"]["id"]
        why = await refused(client, "edit_workflow", workflow=workflow, edits=rename, dry_run=True)
        blank = await refused(client, "ask_assistant", message="  ")
        after = await called(client, "get_workflow", workflow=workflow)

    assert "- dry_run is no argument of it" in why
    assert "preview: only show what the edits would do" in why
    assert "- message " in blank
    assert "Reserve" not in json.dumps(after)


async def test_several_documents_are_shown_and_then_imported_each_with_its_problems(served: Served) -> None:
    async with over_http(served) as client:
        text = json.dumps({"id": "wf_x", "name": "First of two", "steps": [{"id": "a", "name": "A"}]})
        both = f"{text}\n---\nid: wf_y\nname: Bad one\nsteps: []\n"

        shown = await called(client, "import_workflow", text=both, preview=True)
        made = await called(client, "import_workflow", text=both)

        assert [("workflow" in one, bool(one["problems"])) for one in shown["documents"]] == [
            (True, False),
            (False, True),
        ]
        assert made["documents"][0]["workflow"]["id"] == "wf_first_of_two"


async def test_a_document_of_several_is_told_one_by_one_with_how_many_there_are(served: Served) -> None:
    told: list[tuple[float, float | None]] = []

    async def progress(now: float, total: float | None, _: str | None) -> None:
        told.append((now, total))

    one = {"id": "wf_x", "name": "One of two", "steps": [{"id": "a", "name": "A"}]}
    both = f"{json.dumps(one)}\n---\n{json.dumps(one | {'id': 'wf_y'})}"
    async with over_http(served) as client:
        await client.call_tool("import_workflow", {"text": both, "preview": True}, progress_callback=progress)

    assert told == [(1, 2), (2, 2)]


async def test_the_assistant_answers_in_a_conversation_and_tells_how_it_gets_on(served: Served) -> None:
    async with over_http(served) as client:
        told: list[str | None] = []
        at: list[float] = []

        totals: list[float | None] = []

        async def progress(now: float, total: float | None, message: str | None) -> None:
            told.append(message)
            at.append(now)
            totals.append(total)

        result = await client.call_tool(
            "ask_assistant", {"message": "which workflows are there?"}, progress_callback=progress
        )
        reply = json.loads(result.content[0].text)
        again = await called(
            client, "ask_assistant", message="and now?", conversation_id=reply["conversation_id"], mode="search"
        )

        assert reply["response"] == "There they are."
        assert told == [one for one in told if one]
        assert "Calls list_workflows" in told
        assert at == sorted(set(at))
        assert totals == [*[None] * (len(at) - 1), at[-1]]
        assert (again["turn"], again["mode"]["name"]) == (2, "search")
        assert "not_found" in await refused(client, "ask_assistant", message="x", workflow="wf_no_such_thing")


async def test_workflows_and_conversations_are_resources(served: Served) -> None:
    async with over_http(served) as client:
        trip = (await called(client, "create_workflow", **TRIP | {"name": "Read trip"}))["workflow"]["id"]
        asked = await called(client, "ask_assistant", message="hello there")

        async def read(path: str) -> Any:
            return json.loads((await client.read_resource(f"workflow-agent://{path}")).contents[0].text)

        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {"workflow-agent://workflows", "workflow-agent://conversations"}
        assert len((await client.list_resource_templates()).resource_templates) == 2
        assert trip in [one["id"] for one in await read("workflows")]
        assert (await read(f"workflows/{trip}"))["name"] == "Read trip"
        talk = asked["conversation_id"]
        assert talk in [one["id"] for one in await read("conversations")]
        said = [event["content"] for event in (await read(f"conversations/{talk}"))["events"]]
        assert (said[0], said[-1]) == ("hello there", asked["response"])
        for missing in ("workflows/wf_no_such_thing", "conversations/cv_none"):
            with pytest.raises(MCPError, match="There is no"):
                await read(missing)


async def answers_names_it_does_not_know(client: Client) -> None:
    """See that each is told as invalid parameters, with what there is, and a tool's errors by code and sentence."""
    wrong = {
        "There is no prompt 'poem'. Valid: general, creation": client.get_prompt("poem"),
        "There is no argument of creation 'tone'. Valid: request.": client.get_prompt("creation", {"tone": "dry"}),
        "There is no tool 'fly'. Valid: search_workflows, ": client.call_tool("fly", {}),
        "resources/list and resources/templates/list say": client.read_resource("workflow-agent://nothing"),
        "wf_none": client.read_resource("workflow-agent://workflows/wf_none"),
    }
    for words, asked in wrong.items():
        with pytest.raises(MCPError, match=re.escape(words)) as error:
            await asked
        assert error.value.code == INVALID_PARAMS

    by_code = {
        "workflow_not_found: ": await refused(client, "get_workflow", workflow="wf_none"),
        "invalid_input: get_workflow cannot be called so.": await refused(client, "get_workflow"),
        "unreadable_document: ": await refused(client, "import_workflow", text="x", format="json"),
    }
    assert all(told.startswith(code) for code, told in by_code.items()), by_code


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_name_that_is_not_known_is_told_with_what_there_is(served: Served, mode: str) -> None:
    async with over_http(served, mode) as client:
        await answers_names_it_does_not_know(client)


async def test_a_tool_that_fails_by_itself_says_so_in_the_same_form_and_nothing_of_why() -> None:
    def divide(by: int) -> float:
        return 1 / by

    with pytest.raises(UnexpectedToolError, match=r"^internal_error: divide failed") as error:
        await ToldTool.from_function(divide).run({"by": 0}, Context())

    assert "ZeroDivision" not in str(error.value)


async def test_each_mode_is_a_prompt(served: Served) -> None:
    async with over_http(served) as client:
        prompts = (await client.list_prompts()).prompts

        filled = await client.get_prompt("creation", {"request": "an expense approval"})

        assert {one.name for one in prompts} == {"general", "creation", "search", "modification", "analysis"}
        assert all(one.description for one in prompts)
        assert filled.messages[0].content.text.endswith("an expense approval")


def test_a_request_passes_the_same_guards_as_every_other(served: Served) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    known = {"Authorization": f"Bearer {KEY}", "Accept": "application/json, text/event-stream"}

    def status(**headers: str) -> int:
        return httpx.post(f"{served.url}/mcp", json=ping, headers=headers, timeout=20).status_code

    assert status(**known) == 200
    assert status() == 401
    assert status(Authorization="Bearer wrong") == 401
    assert status(**known, Origin="https://evil.example") == 403
    assert status(**known, Host="evil.example") == 421
    assert httpx.get(f"{served.url}/mcp", headers=known, timeout=20).status_code == 405


@pytest.mark.slow
async def test_a_program_that_starts_the_command_gets_the_same_tools(tmp_path: Path) -> None:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "workflow_agent", "mcp", "--data-dir", str(tmp_path / "data"), "--samples"]
    )
    async with Client(stdio_client(command)) as client:
        names = {one.name for one in (await client.list_tools()).tools}
        made = await called(client, "create_workflow", **TRIP)
        asked = await called(client, "ask_assistant", message="how many workflows are there?")
        found = await called(client, "search_workflows")
        await answers_names_it_does_not_know(client)

    assert len(names) == 11
    assert made["workflow"]["id"] in [one["id"] for one in found["items"]]
    assert asked["response"]
    assert (tmp_path / "data" / "default" / "workflows" / f"{made['workflow']['id']}.json").exists()
