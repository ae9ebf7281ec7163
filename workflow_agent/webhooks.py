"""Events for other programs: what is stored is compared with what was announced, the rest sent until taken.

Nothing is lost where the process dies: an event is in the outbox before it counts as announced, and leaves it
when its receiver has answered 2xx. So each arrives at least once, with an id by which to know it again.
"""

import asyncio
import hashlib
import hmac
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, get_args
from urllib.parse import urlsplit

import httpx2
import orjson

from workflow_agent.errors import InvalidInput, NotFound, Problem, StorageFailed
from workflow_agent.values.stored import JsonObject, Moment, Value, digest_of, iso_milliseconds
from workflow_agent.workflows.approvals import Publication, WaitingChange
from workflow_agent.workflows.store import Records, WorkflowCatalog, WorkflowHead

EventType = Literal["workflow.changed", "workflow.published", "preview.waiting", "run.failed"]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
_log = logging.getLogger(__name__)
_SEEN = "seen"
_POLL_SECONDS = 1.0
_TIMEOUT_SECONDS = 10.0
_LONGEST_WAIT_SECONDS = 3_600.0
_MOST_DOUBLINGS = 12
_Seen = dict[str, str]


class Webhook(Value):
    """An address that is told of events."""

    id: str
    url: str
    events: tuple[EventType, ...]
    created_at: Moment


class Event(Value):
    """Something that happened, as it is sent."""

    id: str
    """The same whenever the same thing is told again."""
    type: EventType | Literal["webhook.test"]
    at: Moment
    tenant: str
    data: JsonObject


class Delivery(Value):
    """How sending an event once ended."""

    is_taken: bool
    """Whether the receiver answered with 2xx."""
    problem: str | None
    """Why it was not taken."""
    duration_ms: int


@dataclass(frozen=True, slots=True)
class WebhookRules:
    """What the operator allows."""

    secret: str | None = field(repr=False)
    """Signatures are made from it; without it nothing is sent."""
    hosts: Collection[str]
    """The hosts that may be told; `*` for any."""
    kept: timedelta
    """How long an event that nobody takes is tried."""

    def check(self, url: str) -> None:
        """Refuse an address that may not be told.

        Raises:
            InvalidInput: Says what is allowed.
        """
        if self.secret is None:
            raise InvalidInput("This server sends no events: WORKFLOW_AGENT_WEBHOOK_SECRET is not set.")
        try:
            parts = urlsplit(url)
            host = parts.hostname if parts.scheme in ("http", "https") and parts.port != 0 else None
        except ValueError:
            host = None
        if not host:
            message = "is not an address that begins with https:// or http://"
            raise InvalidInput(f"url {url[:100]!r} {message}.", [Problem("/url", message)])
        if "*" not in self.hosts and host not in self.hosts:
            message = "is at a host that WORKFLOW_AGENT_WEBHOOK_HOSTS does not name"
            raise InvalidInput(f"url {url[:100]!r} {message}.", [Problem("/url", message)])

    def key_of(self, webhook_id: str) -> str:
        """Return the secret of one webhook, with which its receiver checks signatures."""
        return hmac.new((self.secret or "").encode(), webhook_id.encode(), hashlib.sha256).hexdigest()


@dataclass(slots=True)
class _Backoff:
    failures: int = 0
    not_before: float = 0.0


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The webhooks of a tenant, what they are to be told, and the telling."""

    records: Records
    catalog: WorkflowCatalog
    tenant: str
    rules: WebhookRules
    now: Callable[[], datetime]
    new_id: Callable[[str], str]
    _waiting: dict[str, _Backoff] = field(default_factory=dict[str, _Backoff])

    async def listed(self) -> Sequence[Webhook]:
        """Return all, the oldest first."""
        found = [Webhook.model_validate(one) for one in (await self.records.all("webhooks")).values()]
        return sorted(found, key=lambda one: one.created_at)

    async def add(self, url: str, events: Sequence[EventType]) -> Webhook:
        """Tell an address of what happens from now on; of all types unless some are named.

        Raises:
            InvalidInput: The operator does not allow the address.
        """
        self.rules.check(url)
        chosen = tuple(dict.fromkeys(events)) or EVENT_TYPES
        made = Webhook(id=self.new_id("wh"), url=url, events=chosen, created_at=self.now())
        async with self.records.alone("outbox"):
            if not await self.listed():
                seen, _ = await self._news({})
                await self.records.put("announced", _SEEN, seen)
            await self.records.put("webhooks", made.id, made.model_dump(mode="json"))
        return made

    async def remove(self, webhook_id: str) -> None:
        """Tell an address no more.

        Raises:
            NotFound: There is no such webhook.
        """
        await self._stored(webhook_id)
        await self.records.remove("webhooks", webhook_id)

    async def waiting(self) -> Mapping[str, int]:
        """Return how many events are still to be taken, by the webhook's id."""
        return Counter(str(one["webhook"]) for one in (await self.records.all("outbox")).values())

    async def test(self, webhook_id: str) -> Delivery:
        """Send a webhook an event of type `webhook.test` at once, and only once.

        Raises:
            NotFound: There is no such webhook.
        """
        hook = Webhook.model_validate(await self._stored(webhook_id))
        event = self._event("webhook.test", [self.new_id("test")], self.now(), {"webhook": hook.id})
        began = time.monotonic()
        async with _client() as client:
            failure = await self._sent(client, hook, event)
        duration_ms = round((time.monotonic() - began) * 1000)
        return Delivery(is_taken=failure is None, problem=failure, duration_ms=duration_ms)

    async def _stored(self, webhook_id: str) -> JsonObject:
        found = await self.records.get("webhooks", webhook_id)
        if found is None:
            raise NotFound(f"There is no webhook {webhook_id[:80]!r}. The list of webhooks shows their ids.")
        return found

    async def run_failed(self, conversation_id: str, run_id: str, error: Mapping[str, str]) -> None:
        """Tell that a run failed; nothing where nobody wants to know."""
        if self.rules.secret is None or not (hooks := await self.listed()):
            return
        told = {"conversation_id": conversation_id, "run_id": run_id, "error": dict(error)}
        await self._put([self._event("run.failed", [run_id], self.now(), told)], hooks)

    async def tell_for_ever(self) -> None:
        """Announce and deliver what happens, until cancelled; nothing where no secret is set."""
        if self.rules.secret is None:
            return
        async with _client() as client:
            while True:
                try:
                    if hooks := await self.listed():
                        await self._tell(client, hooks)
                except StorageFailed:
                    _log.warning("events could not be told", exc_info=True)
                await asyncio.sleep(_POLL_SECONDS)

    async def _tell(self, client: httpx2.AsyncClient, hooks: Sequence[Webhook]) -> None:
        # One process at a time, or each would send everything.
        async with self.records.alone("outbox"):
            seen: _Seen = await self.records.get("announced", _SEEN) or {}
            now_seen, events = await self._news(seen)
            if now_seen != seen:
                await self._put(events, hooks)
                await self.records.put("announced", _SEEN, now_seen)
            outbox = await self.records.all("outbox")
            known = {hook.id: hook for hook in hooks}
            for key, letter in outbox.items():
                if letter["webhook"] not in known:
                    await self.records.remove("outbox", key)
            queues = {
                hook.id: [(key, one) for key, one in outbox.items() if one["webhook"] == hook.id] for hook in hooks
            }
            await asyncio.gather(*(self._deliver(client, known[one], queues[one]) for one in queues))

    async def _news(self, seen: _Seen) -> tuple[_Seen, list[Event]]:
        """Return what there is, by what tells it from what was, and the events that lie between."""
        found: _Seen = {}
        events: list[Event] = []
        for workflow_id, head in (await self.catalog.heads(self.tenant)).items():
            found[workflow_id] = f"{head.version} {iso_milliseconds(head.changed) if head.changed else ''}"
            if seen.get(workflow_id) != found[workflow_id]:
                events += await self._changes(workflow_id, head, seen.get(workflow_id))
        events += [
            self._event("workflow.changed", [one, seen[one]], self.now(), {"id": one, "action": "deleted"})
            for one in seen
            if one.startswith("wf_") and one not in found
        ]
        for key, stored in (await self.records.all("previews")).items():
            found[key] = "known"
            change = WaitingChange.model_validate(stored)
            if key not in seen and change.state == "waiting":
                events.append(self._event("preview.waiting", [key], change.created_at, _shown(change)))
        for key, stored in (await self.records.all("publications")).items():
            made = Publication.model_validate(stored)
            found[f"of {key}"] = f"{made.version} {iso_milliseconds(made.published_at)}"
            if seen.get(f"of {key}") != found[f"of {key}"]:
                told = made.model_dump(mode="json", exclude={"of"})
                marks = [key, found[f"of {key}"]]
                events.append(self._event("workflow.published", marks, made.published_at, told))
        return found, sorted(events, key=lambda one: one.at)

    async def _changes(self, workflow_id: str, head: WorkflowHead, before: str | None) -> list[Event]:
        announced = int(before.partition(" ")[0]) if before else 0
        first = announced + 1 if announced < head.version else 1
        events: list[Event] = []
        for number in range(first, head.version + 1):
            made = await self.catalog.version(self.tenant, workflow_id, number)
            told = made.model_dump(mode="json", include={"version", "author", "action", "summary"})
            told |= {"id": workflow_id, "name": made.document.get("name")}
            marks = [workflow_id, number, iso_milliseconds(made.at)]
            events.append(self._event("workflow.changed", marks, made.at, told))
        return events

    def _event(
        self, kind: EventType | Literal["webhook.test"], marks: Sequence[object], at: datetime, data: JsonObject
    ) -> Event:
        event_id = f"evt_{digest_of([self.tenant, kind, *marks])[:24]}"
        return Event(id=event_id, type=kind, at=at, tenant=self.tenant, data=data)

    async def _put(self, events: Sequence[Event], hooks: Sequence[Webhook]) -> None:
        for event in events:
            letter = event.model_dump(mode="json")
            for hook in (one for one in hooks if event.type in one.events):
                # Sorted by time, and the same whenever it is put again.
                key = f"{int(event.at.timestamp() * 1000):015d}-{event.id}-{hook.id}"
                await self.records.put("outbox", key, {"webhook": hook.id, "event": letter})

    async def _deliver(
        self, client: httpx2.AsyncClient, hook: Webhook, letters: Sequence[tuple[str, JsonObject]]
    ) -> None:
        """Send a webhook its events in order; after a failure it waits, twice as long each time."""
        backoff = self._waiting.setdefault(hook.id, _Backoff())
        for key, letter in letters:
            event = Event.model_validate(letter["event"])
            if self.now() - event.at > self.rules.kept:
                _log.warning("an event was given up", extra={"webhook": hook.id, "event": event.id})
                await self.records.remove("outbox", key)
                continue
            if time.monotonic() < backoff.not_before:
                return
            failure = await self._sent(client, hook, event)
            if failure is not None:
                wait = min(2.0 ** min(backoff.failures, _MOST_DOUBLINGS), _LONGEST_WAIT_SECONDS)
                backoff.failures, backoff.not_before = backoff.failures + 1, time.monotonic() + wait
                told = {"webhook": hook.id, "event": event.id, "failure": failure, "again_in_seconds": wait}
                _log.warning("an event was not taken", extra=told)
                return
            backoff.failures = 0
            await self.records.remove("outbox", key)

    async def _sent(self, client: httpx2.AsyncClient, hook: Webhook, event: Event) -> str | None:
        """Send one event; return why it was not taken, or None."""
        body = orjson.dumps(event.model_dump(mode="json"))
        stamp = str(int(self.now().timestamp()))
        headers = {
            "Content-Type": "application/json",
            "X-Workflow-Agent-Event": event.type,
            "X-Workflow-Agent-Id": event.id,
            "X-Workflow-Agent-Timestamp": stamp,
            "X-Workflow-Agent-Signature": f"sha256={signature(self.rules.key_of(hook.id), stamp, body)}",
        }
        try:
            self.rules.check(hook.url)
            answer = await client.post(hook.url, content=body, headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL, InvalidInput) as error:
            return type(error).__name__
        return None if answer.is_success else f"status {answer.status_code}"


def _client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(timeout=_TIMEOUT_SECONDS, follow_redirects=False)


def signature(key: str, stamp: str, body: bytes) -> str:
    """Return the HMAC-SHA256 of a time stamp, a dot and a body, in hexadecimal digits."""
    return hmac.new(key.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _shown(change: WaitingChange) -> JsonObject:
    shown = change.model_dump(mode="json", include={"asked_by", "conversation_id", "expires_at"})
    fields = {"id", "action", "workflow_id", "workflow_name", "version", "reason", "changes"}
    return shown | change.preview.model_dump(mode="json", include=fields)
