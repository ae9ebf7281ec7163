"""The backend on a data directory and the backend on a server: one suite over both."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.cli.context import (
    EXIT_CONFLICT,
    EXIT_FAILED,
    EXIT_MISCONFIGURED,
    EXIT_NOT_FOUND,
    EXIT_UNREACHABLE,
    Backend,
    CommandFailed,
)
from workflow_agent.cli.http_backend import local_backend, parsed_events, server_backend
from workflow_agent.main.in_process import application_transport
from workflow_agent.settings import Settings

pytestmark = pytest.mark.untraced

KEY = "a-key-of-the-tests"


@pytest.fixture(params=["data directory", "server"])
def backend(request: pytest.FixtureRequest, used: Path, tmp_path: Path) -> Iterator[Backend]:
    shutil.copytree(used, tmp_path / "data")
    settings = Settings(data_dir=tmp_path / "data", api_keys=KEY)
    if request.param == "data directory":
        with application_transport(settings) as transport, local_backend(transport, "here") as local:
            yield local
    else:
        with serving(settings, OfflineModel()) as served, server_backend(served.url + "/", KEY) as remote:
            yield remote


def test_a_list_is_read_page_by_page_to_its_end(backend: Backend) -> None:
    whole = [one["id"] for one in backend.pages("/workflows")]

    assert len(whole) == len(set(whole)) == 16
    assert [one["id"] for one in backend.pages("/workflows", 3)] == whole[:3]


def test_what_is_not_there_ends_with_its_own_code(backend: Backend) -> None:
    with pytest.raises(CommandFailed, match="'wf_nowhere'") as refused:
        backend.get("/workflows/wf_nowhere")

    assert refused.value.exit_code == EXIT_NOT_FOUND


def test_a_conflict_ends_with_its_own_code(backend: Backend) -> None:
    document = backend.get("/workflows/wf_expense_approval")

    with pytest.raises(CommandFailed, match="wf_expense_approval") as refused:
        backend.post("/workflows", document)

    assert refused.value.exit_code == EXIT_CONFLICT


def test_a_refusal_says_what_would_be_valid(backend: Backend) -> None:
    with pytest.raises(CommandFailed, match=r"mermaid.*dot.*svg") as refused:
        backend.get("/workflows/wf_expense_approval/diagram", format="pdf")

    assert refused.value.exit_code == EXIT_FAILED


def test_a_turn_is_told_as_it_comes_and_kept(backend: Backend) -> None:
    events = list(backend.turn({"message": "list my workflows", "conversation_id": "expenses-chat"}))

    names = [event.name for event in events]
    assert (names[0], names[-1]) == ("start", "complete")
    assert names.count("delta") > 1
    assert "".join(e.data["text"] for e in events if e.name == "delta") == events[-1].data["response"]
    assert backend.get("/conversations/expenses-chat/turns/3")["message"]["content"] == "list my workflows"


def test_a_turn_that_is_refused_says_so(backend: Backend) -> None:
    with pytest.raises(CommandFailed, match="mode"):
        list(backend.turn({"message": "Hello", "mode": "dancing"}))


def test_whoever_stops_listening_does_not_stop_the_turn(backend: Backend) -> None:
    turn = backend.turn({"message": "list my workflows", "conversation_id": "expenses-chat"})
    next(turn)
    turn.close()

    [last] = [e for e in backend.turn({"message": "list them again"}) if e.name == "complete"]

    assert last.data["turn"] == 1
    assert backend.get("/conversations/expenses-chat")["title"]


def test_the_state_of_the_service_is_outside_the_api(backend: Backend) -> None:
    assert backend.root("/health")["status"] == "ok"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://nobody.invalid"])
def test_where_nobody_answers_the_way_out_is_named(url: str) -> None:
    with server_backend(url, None) as nobody, pytest.raises(CommandFailed, match="workflow-agent serve"):
        nobody.get("/workflows")


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://host", "http://", "http://[::1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(CommandFailed, match="not the address") as refused, server_backend(url, None):
        pass

    assert refused.value.exit_code == EXIT_MISCONFIGURED


def test_a_wrong_key_is_a_matter_of_configuration(tmp_path: Path) -> None:
    with (
        serving(Settings(data_dir=tmp_path, api_keys=KEY)) as served,
        server_backend(served.url, "another-key") as remote,
        pytest.raises(CommandFailed, match="WORKFLOW_AGENT_API_KEY") as refused,
    ):
        remote.get("/workflows")

    assert refused.value.exit_code == EXIT_MISCONFIGURED
    assert "another-key" not in refused.value.message


def test_comments_in_a_stream_are_passed_over() -> None:
    lines = [": still here", "", "id: 4", "event: delta", 'data: {"text": "a"}', "", ": still here", ""]

    [event] = parsed_events(lines)

    assert (event.id, event.name, event.data) == ("4", "delta", {"text": "a"})


def test_a_server_without_tls_is_told_from_none_at_all(server: str) -> None:
    with (
        server_backend(server.replace("http:", "https:"), None) as backend,
        pytest.raises(CommandFailed, match="begins with http://") as refused,
    ):
        backend.root("/health")

    assert refused.value.exit_code == EXIT_UNREACHABLE
    assert "Nobody answers" not in str(refused.value)
