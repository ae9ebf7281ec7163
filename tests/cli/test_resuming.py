"""A turn is followed to its end where the line breaks, or the server ends, in the middle of the reply."""

import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from tests.support.provider import Hangs, provider_stub
from tests.support.server_process import server_process
from workflow_agent.cli.context import EXIT_FAILED, EXIT_UNREACHABLE, CommandFailed, Event
from workflow_agent.cli.http_backend import HttpBackend

START = ("start", {"run_id": "run_1", "conversation_id": "cv_1", "turn": 1, "agent": "assistant"})
REPLY = {"response": "One and two.", "run_id": "run_1", "conversation_id": "cv_1", "turn": 1}
GONE = httpx2.Response(404, json={"detail": "The stream of run 'run_1' is not kept any more."})
Answer = Callable[[httpx2.Request], httpx2.Response]


class Breaking(httpx2.SyncByteStream):
    """A stream that ends without its end."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def __iter__(self) -> Iterator[bytes]:
        yield self.text
        raise httpx2.RemoteProtocolError("peer closed connection")


def wire(*events: tuple[str, dict[str, object]], since: int = 1) -> bytes:
    return b"".join(
        f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()
        for number, (name, data) in enumerate(events, since)
    )


def whole(*events: tuple[str, dict[str, object]], since: int = 1) -> Answer:
    return lambda _: httpx2.Response(200, content=wire(*events, since=since))


def broken(*events: tuple[str, dict[str, object]]) -> Answer:
    return lambda _: httpx2.Response(200, stream=Breaking(wire(*events)))


def silent(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("connection refused", request=request)


class Service:
    """A server that answers as it is told, one request after another."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []
        self.waited: list[float] = []

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return self.answers.pop(0)(request)

    def turn(self) -> list[Event]:
        client = httpx2.Client(transport=httpx2.MockTransport(self.answer), base_url="http://here")
        with client:
            backend = HttpBackend(client, "http://here", (1, 2), self.waited.append)
            return list(backend.turn({"message": "Hello"}))


def said(events: list[Event]) -> str:
    return "".join(event.data["text"] for event in events if event.name == "delta")


def test_a_broken_stream_is_taken_up_where_it_broke() -> None:
    service = Service(
        broken(START, ("delta", {"text": "One "})), whole(("delta", {"text": "and two."}), ("complete", REPLY), since=3)
    )

    events = service.turn()

    assert [event.name for event in events] == ["start", "delta", "delta", "complete"]
    assert said(events) == "One and two."
    assert service.requests[1].url.path == "/api/v1/runs/run_1/stream"
    assert service.requests[1].headers["Last-Event-ID"] == "2"
    assert service.waited == [1]


def test_a_message_whose_answer_never_began_is_sent_again_under_its_key() -> None:
    service = Service(broken(), whole(START, ("complete", REPLY)))

    assert [event.name for event in service.turn()] == ["start", "complete"]
    assert len({one.headers["Idempotency-Key"] for one in service.requests}) == 1


def test_what_a_server_that_was_started_anew_has_kept_completes_the_reply() -> None:
    kept = httpx2.Response(200, json={"status": "completed", "reply": REPLY})
    service = Service(
        broken(START, ("delta", {"text": "One "}), ("shutdown", {})), silent, lambda _: GONE, lambda _: kept
    )

    events = service.turn()

    assert said(events) == "One and two."
    assert events[-1].data == REPLY
    assert service.requests[-1].url.path == "/api/v1/runs/run_1"


def test_a_run_of_another_process_is_waited_for() -> None:
    running = httpx2.Response(200, json={"status": "running", "reply": None})
    kept = httpx2.Response(200, json={"status": "completed", "reply": REPLY})
    once = [lambda _: GONE, lambda _: running]
    service = Service(whole(START), *once * 5, lambda _: GONE, lambda _: kept)

    assert said(service.turn()) == "One and two."
    assert service.waited == [1] * 6


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param({"message": "The provider is away."}, "The provider is away.", id="failed"),
        pytest.param(None, "Say it again", id="interrupted"),
    ],
)
def test_a_run_that_came_to_nothing_says_so(error: dict[str, str] | None, told: str) -> None:
    ended = httpx2.Response(200, json={"status": "failed", "reply": None, "error": error})

    last = Service(broken(START), lambda _: GONE, lambda _: ended).turn()[-1]

    assert last.name == "error"
    assert told in last.data["detail"]


def test_a_line_that_does_not_come_back_names_the_way_to_the_reply() -> None:
    service = Service(broken(START), silent, silent)

    with pytest.raises(CommandFailed, match="conversations show cv_1") as lost:
        service.turn()

    assert lost.value.exit_code == EXIT_UNREACHABLE
    assert service.waited == [1, 2]


def test_where_nobody_was_reached_nothing_is_waited_for() -> None:
    service = Service(silent)

    with pytest.raises(CommandFailed, match="Nobody answers") as lost:
        service.turn()

    assert lost.value.exit_code == EXIT_UNREACHABLE
    assert service.waited == []


def distrustful(request: httpx2.Request) -> httpx2.Response:
    failed = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")
    failed.verify_message = "self-signed certificate"
    raise httpx2.ConnectError(str(failed), request=request) from failed


def test_a_certificate_that_is_not_trusted_is_told_from_nobody_answering() -> None:
    with pytest.raises(CommandFailed, match=r"certificate of .* not trusted here: self-signed.*SSL_CERT_FILE") as lost:
        Service(distrustful).turn()

    assert lost.value.exit_code == EXIT_UNREACHABLE
    assert "Nobody answers" not in str(lost.value)


def test_a_refusal_when_it_is_taken_up_again_is_passed_on() -> None:
    refusal = httpx2.Response(500, json={"detail": "It went wrong."})

    with pytest.raises(CommandFailed, match="It went wrong") as refused:
        Service(broken(START), lambda _: refusal).turn()

    assert refused.value.exit_code == EXIT_FAILED


@pytest.mark.slow
async def test_a_server_that_is_killed_in_mid_reply_is_told_and_the_message_kept(tmp_path: Path) -> None:
    async with provider_stub(Hangs()) as provider:
        server = server_process(
            tmp_path / "data",
            {
                "WORKFLOW_AGENT_MODEL": "openai:stub-1",
                "WORKFLOW_AGENT_MODEL_BASE_URL": provider.base_url,
                "OPENAI_API_KEY": "sk-of-the-tests",
            },
        )
        with httpx2.Client(base_url=server.url) as client:
            turn = HttpBackend(client, server.url, (0, 0)).turn({"message": "Hello", "conversation_id": None})
            started = next(turn)
            server.kill()
            with pytest.raises(CommandFailed, match=r"lost in the middle.*--last 1"):
                list(turn)

    [file] = (tmp_path / "data" / "default" / "conversations").glob("*.json")
    assert file.stem == started.data["conversation_id"]
    assert "Hello" in file.read_text()
