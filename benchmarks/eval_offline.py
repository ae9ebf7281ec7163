"""How the offline model does on messages of others: through the chat, judged by what is stored afterwards.

    python -m benchmarks.eval_offline [orders|sample_orders|descriptions|questions|references]
        [dev|was_heldout|heldout] [--show right|honest|wrong|all] [--kind plain] [--id 12,40]

Each case has a tenant of its own, in one service over a real data directory, and goes in as
`POST /api/v1/chat`. What cases say is in `data/README.md`, what they want of a workflow at the head of
`offline_graphs.py`.

- `right`: an order or description came out as a person would want it and nothing else changed; a question was
  answered; a reference was understood, or asked about where a person would ask. Where nothing may happen,
  nothing did, and the reply did not claim it.
- `honest`: nothing changed and nothing was claimed, or of each part that is missing a word was named as not used; a
  question or a reference was not answered but asked about.
- `wrong`: anything else.
"""

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

import httpx
from fastapi import FastAPI

from benchmarks.offline_graphs import Difference, Wanted, differences, graph_of, wanted, words
from benchmarks.prompted import nearest
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings
from workflow_agent.workflows.model.durations import duration_in_words

DATA = Path(__file__).parent / "data"
SAMPLES = Path(__file__).parents[1] / "data" / "samples"
KINDS = ("orders", "sample_orders", "descriptions", "questions", "references")
HALVES = {
    "dev": "development",
    "was_heldout": "was held out",
    "dev_2": "second development",
    "was_heldout_2": "second, was held out",
    "dev_3": "third development",
    "was_heldout_3": "third, was held out",
    "dev_4": "fourth development",
    "was_heldout_4": "fourth, was held out",
    "dev_5": "fifth development",
    "was_heldout_5": "fifth, was held out",
    "dev_6": "sixth development",
    "was_heldout_6": "sixth, was held out",
    "dev_7": "seventh development",
    "dev_8": "eighth development",
    "dev_9": "ninth development",
    "dev_10": "tenth development",
    "was_heldout_10": "tenth, was held out",
    "dev_11": "eleventh development",
    "dev_12": "twelfth development",
    "dev_13": "thirteenth development",
    "dev_14": "fourteenth development",
    "dev_15": "fifteenth development",
    "dev_16": "sixteenth development",
    "dev_17": "seventeenth development",
    "dev_18": "eighteenth development",
    "was_heldout_18": "eighteenth, was held out",
    "dev_20": "twentieth development",
    "heldout": "held out",
    "heldout_20": "twentieth, held out",
}
"""The sets; of the second, fourth and fifth there are only descriptions, of the seventh to eleventh mostly orders, of
the twelfth to fourteenth questions, of the fifteenth to eighteenth orders but for the half that was held out, of the
twentieth messages that go on from what was just done. `heldout` and `heldout_20` are kept from who writes rules."""
Case = Mapping[str, Any]
Verdict = Literal["right", "honest", "wrong"]
_SHORT = 700
"""Characters up to which a reply that asks back is one; a longer one told something."""
VERDICTS: tuple[Verdict, ...] = ("right", "honest", "wrong")


def _any(*phrases: str) -> str:
    return f"(?:{'|'.join(phrases)})"


_CANNOT = _any("don't", "didn't", "do not", "did not", "cannot", "can not", "can't", "could not", "couldn't", "am not")
_DID = _any(
    "done",
    "added",
    "removed",
    "deleted",
    "renamed",
    "changed",
    "created",
    "moved",
    "set",
    "updated",
    "undone",
    "restored",
    "swapped",
    "tagged",
    "i(?: ha|')ve [a-z]+ed",
    "i (?:added|removed|renamed|changed|created|moved|updated)",
)
_DONE = re.compile(rf"[*_\s]*(?:(?:ok|okay|sure|alright)[,.!:]?\s+)?{_DID}\b(?! (?:nothing|no)\b)")
_UNUSED = re.compile(
    _any(
        "not use",
        "n't use",
        "unused",
        "left out",
        "leave out",
        "not draw",
        "not read",
        "not understand",
        "n't understand",
        "not sure",
        "ignored",
        "passed over",
        "could not place",
        "couldn't",
    )
    + r"[^\n]*"
)
_OFFER = re.compile(r"\b(?:shall i|should i|do you want me to|want me to)\b")
_ASKS = re.compile(
    r"\b"
    + _any(
        "which (?:one|of|step|workflow|do|did)",
        "d(?:o|id) you mean",
        "could you",
        "can you (?:say|tell)",
        "not (?:quite )?(?:sure|understand|know)",
        "i did not use",
        "no workflow is open",
        _CANNOT + " (?:quite )?(?:understand|know|read|tell|find|answer|work|see|do|make|get)",
        "say it",
        "say more",
        "rephrase",
        "tell me",
        "not understood",
        "for example",
        "you can say",
        "there is no (?:step|workflow)",
        "no (?:step|workflow) (?:is )?(?:called|named)",
        "more than one",
        "found no workflow",
        "the closest are",
    )
    + r"\b"
)
_REFUSES = re.compile(
    _any(
        f"i {_CANNOT}",
        "i see no",
        r"i find nothing in [^\n]{0,120}? (?:that answers|about)",
        "not understood",
        "error:",
        r"(?:which|where|what|who|from which|to which)\b[^\n?]{0,80}\?",
        "do you mean",
        "did you mean",
    )
)
"""How a reply begins that says that it is no answer, whatever it tells beside."""
_DENIES = re.compile(r"i found no|none of|no,")
"""How a reply begins that says there is none."""
_NEGATIVE = re.compile(
    r"\b(?:no|none|nothing|nobody|never|not|without|isn't|doesn't|aren't|don't|neither|0|zero)\b|n't\b"
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A case, and how it went."""

    number: int
    case: Case
    verdict: Verdict
    reply: str
    why: Sequence[str] = ()
    after_yes: bool = False
    """Whether a yes to what was offered made it right."""

    @property
    def said(self) -> str:
        """Return what the user said."""
        return " // ".join(json.dumps(one) if isinstance(one, list) else one for one in messages(self.case))


@cache
def workflows() -> dict[str, dict[str, Any]]:
    """Return the base workflows by their short names, each with its half."""
    return {
        name: one
        for path in sorted(DATA.glob("offline_workflows*.json"))
        for name, one in json.loads(path.read_text("utf-8")).items()
    }


def base_of(name: str) -> dict[str, Any]:
    """Return a base workflow, or a sample, as it is before a case."""
    if (known := workflows().get(name)) is not None:
        return known["document"]
    return json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))


def cases(kind: str, half: str) -> list[Case]:
    """Return the cases of one kind and half; nothing where a set has none of its kind."""
    path = DATA / f"offline_{kind}_{half}.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.strip()]


def messages(case: Case) -> list[Any]:
    """Return what is said one after the other; a list among it is edits made past the chat."""
    return [case["say"]] if isinstance(case["say"], str) else list(case["say"])


@dataclass
class Asked:
    """A service that answers one case at a time."""

    app: FastAPI
    client: httpx.AsyncClient
    tenants: Iterator[int]

    async def begin(self, names: Iterable[str]) -> None:
        """Go on as somebody who has only these workflows."""
        await self.begin_with(map(base_of, names))

    async def begin_with(self, documents: Iterable[Mapping[str, Any]]) -> None:
        """Go on as somebody who has only these workflows, given whole."""
        self.app.state.services = self.app.state.services.of_tenant(f"case{next(self.tenants)}")
        for document in documents:
            reply = await self.client.post("/api/v1/workflows", json=document)
            assert reply.status_code == 201, reply.text

    async def edit(self, workflow_id: str, edits: Sequence[Any]) -> None:
        """Change a workflow past the chat."""
        reply = await self.client.post(f"/api/v1/workflows/{workflow_id}/edits", json={"edits": list(edits)})
        assert reply.status_code == 200, reply.text

    async def say(self, message: str, conversation_id: str | None, workflow_id: str | None) -> dict[str, Any]:
        """Return the reply to a message; of an error its text as the response."""
        body = {"message": message, "conversation_id": conversation_id, "workflow_id": workflow_id}
        reply = await self.client.post("/api/v1/chat", json={key: one for key, one in body.items() if one})
        document = reply.json()
        return document if reply.status_code == 200 else {"response": f"error: {reply.text[:300]}"}

    async def stored(self) -> dict[str, dict[str, Any]]:
        """Return every workflow by its id."""
        listed = (await self.client.get("/api/v1/workflows", params={"limit": 100})).json()["items"]
        return {one["id"]: await self.read(one["id"]) for one in listed}

    async def read(self, workflow_id: str, version: int | None = None) -> dict[str, Any]:
        """Return a workflow, or one of its versions."""
        address = f"/api/v1/workflows/{workflow_id}" + (f"/versions/{version}" if version else "")
        document = (await self.client.get(address)).json()
        return document.get("document", document)


@asynccontextmanager
async def asked(**settings: Any) -> AsyncGenerator[Asked]:
    """Run a service in a directory of its own for as long as the block lasts, offline unless set."""
    # A request that was given up may still write in its thread when the directory goes.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        application = build(Settings.model_validate({"data_dir": directory, "samples": False, **settings}))
        await application.prepare()
        await application.catch_up()
        transport = httpx.ASGITransport(app=application.app)
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                yield Asked(application.app, client, count(1))
        finally:
            await application.finish()
            application.close()


def content(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a workflow says, without its version and dates."""
    return {key: one for key, one in document.items() if key not in ("version", "created_at", "updated_at", "_links")}


@dataclass(frozen=True, slots=True)
class Talk:
    """How the last message of a case went."""

    reply: dict[str, Any]
    before: dict[str, dict[str, Any]]
    after: dict[str, dict[str, Any]]

    @property
    def text(self) -> str:
        """Return the words of the reply."""
        return str(self.reply.get("response") or "")

    @property
    def is_unchanged(self) -> bool:
        """Say whether no workflow was made, changed or deleted."""
        return {key: content(one) for key, one in self.before.items()} == {
            key: content(one) for key, one in self.after.items()
        }

    @property
    def claims(self) -> bool:
        """Say whether the reply says that something was done."""
        return _DONE.match(self.text.casefold()) is not None

    @property
    def refuses(self) -> bool:
        """Say whether the reply begins with saying that it is no answer."""
        return _REFUSES.match(self.text.casefold()) is not None

    @property
    def offers(self) -> bool:
        """Say whether a yes would do something."""
        return self.reply.get("preview") is not None or _OFFER.search(self.text.casefold()) is not None


async def talked(service: Asked, case: Case, names: Sequence[str], opened: str | None) -> Talk:
    """Return how the last message of a case went, after those before it."""
    await service.begin(names)
    workflow_id = f"wf_{opened}" if opened else None
    reply: dict[str, Any] = {}
    before = after = await service.stored()
    for message in messages(case):
        before = after
        if not isinstance(message, str):
            await service.edit(workflow_id or "", message)
        else:
            known = reply.get("conversation_id")
            reply = await service.say(message, known, None if known else workflow_id)
        after = await service.stored()
    return Talk(reply, before, after)


async def ordered(service: Asked, case: Case) -> tuple[Verdict, Talk, list[str], bool]:
    """Return how an order to the open workflow went."""
    own_id = f"wf_{case['workflow']}"
    talk = await talked(service, case, [case["workflow"]], case["workflow"])
    missing = await missed(service, case, own_id, talk.after)
    verdict = changed(case, talk, missing)
    after_yes = False
    if verdict == "honest" and talk.is_unchanged and talk.offers and case["want"] != ["UNCHANGED"]:
        await service.say("yes", talk.reply.get("conversation_id"), None)
        after_yes = not await missed(service, case, own_id, await service.stored())
    return verdict, talk, [one.text for one in missing], after_yes


async def missed(service: Asked, case: Case, own_id: str, stored: Mapping[str, Mapping[str, Any]]) -> list[Difference]:
    """Return what differs from what a case wants, of the wanted ways the nearest."""
    extra = [Difference(f"made {one['name']!r}", is_missing=False) for key, one in stored.items() if key != own_id]
    if own_id not in stored:
        return [*extra, *([] if case["want"] == ["DELETED"] else [Difference("deleted it", is_missing=False)])]
    said = " ".join(one for one in messages(case) if isinstance(one, str))
    ways = [await _way(service, case, one, stored[own_id], said) for one in [case["want"], *case.get("or", ())]]
    return extra + min(ways, key=len)


async def _way(
    service: Asked, case: Case, claims: Sequence[str], document: Mapping[str, Any], said: str
) -> list[Difference]:
    if claims == ["DELETED"]:
        return [Difference("it is still there", is_missing=True)]
    rest = [one for one in claims if one != "UNCHANGED"]
    version = int(rest.pop(0).split()[1]) if rest and rest[0].startswith("VERSION ") else 1
    base = await service.read(f"wf_{case['workflow']}", version)
    own = wanted(graph_of(base, [one["id"] for one in base["steps"]]), rest)
    return _compared(case, own, document, said)


def changed(case: Case, talk: Talk, missing: Sequence[Difference]) -> Verdict:
    """Return how good a change is, by what differs from the wanted one."""
    if case["want"] == ["UNCHANGED"]:
        return "right" if talk.is_unchanged and not talk.claims else "wrong"
    if not missing:
        return "right"
    if talk.is_unchanged:
        return "wrong" if talk.claims else "honest"
    if not all(one.is_missing for one in missing):
        return "wrong"
    names = {step["id"]: step["name"] for one in talk.before.values() for step in one["steps"]}
    unused = names_unused(talk.text, _last(case))
    lost = [part for one in missing if (part := _part(one.text, names))]
    return (
        "honest" if unused and all(any(_same_start(a, b) for a in unused for b in part) for part in lost) else "wrong"
    )


def _part(difference: str, names: Mapping[str, str]) -> list[str]:
    """Return the words of what was lost, with the names of its steps; none of a way to a step that is told apart."""
    edge = re.match(r"(?:no )?edge (\w+)>(\w+)", difference)
    if edge and not {edge[1], edge[2]} <= names.keys():
        return []
    named = [names[one] for one in re.findall(r"\w+", difference) if one in names]
    lengths = [duration_in_words(one) for one in re.findall(r"'(P[T\d][\dA-Z]*)'", difference)]
    return [*words(" ".join((difference, *named, *lengths))), *re.findall(r"\d+", difference)]


def names_unused(reply: str, message: str) -> set[str]:
    """Return the words of the message that a reply names as not used."""
    told = " ".join(found[0] for found in _UNUSED.finditer(reply.casefold()))
    return {word for word in set(words(told)) & set(words(message)) if len(word) > 2 or word.isdigit()}


def _last(case: Case) -> str:
    return str(messages(case)[-1])


async def described(service: Asked, case: Case) -> tuple[Verdict, Talk, list[str], bool]:
    """Return how a description went, for somebody who has no such workflow yet."""
    talk = await talked(service, case, case.get("catalogue", ()), None)
    if case["want"] == ["UNCHANGED"]:
        is_right = talk.is_unchanged and not talk.claims
        return "right" if is_right else "wrong", talk, [] if is_right else ["something was made"], False
    missing = _drawn(case, talk.before, talk.after)
    verdict = changed(case, talk, missing)
    after_yes = False
    if verdict == "honest" and talk.is_unchanged and talk.offers:
        await service.say("yes", talk.reply.get("conversation_id"), None)
        after_yes = not _drawn(case, talk.before, await service.stored())
    return verdict, talk, [one.text for one in missing], after_yes


def _drawn(case: Case, before: Mapping[str, Any], after: Mapping[str, Mapping[str, Any]]) -> list[Difference]:
    made = [one for key, one in after.items() if key not in before]
    if len(made) != 1:
        return [Difference(f"{len(made)} workflows made", is_missing=not made)]
    said = " ".join(one for one in messages(case) if isinstance(one, str))
    ways = [
        _compared(case, wanted(graph_of(None), claims), made[0], said) for claims in [case["want"], *case.get("or", ())]
    ]
    return min(ways, key=len)


def _compared(case: Case, own: Wanted, document: Mapping[str, Any], said: str) -> list[Difference]:
    if case.get("as_prompted"):
        return nearest(document, own.base.steps, lambda one: differences(own, one, said))
    return differences(own, document, said)


async def questioned(service: Asked, case: Case) -> tuple[Verdict, Talk, list[str], bool]:
    """Return how a question about the open workflow, or about all of its half, was answered."""
    opened = case.get("workflow")
    half = [name for name, one in workflows().items() if one["half"] == case.get("half")]
    names = [opened] if opened else case.get("catalogue") or half
    talk = await talked(service, case, names, opened)
    if not talk.is_unchanged or talk.claims:
        return "wrong", talk, ["changed something"], False
    if talk.refuses:
        return "honest", talk, [], False
    lacking = [
        one
        for one in case["answer_has"]
        if not any(says(talk.text, each, case["answer_has"]) for each in one.split("/"))
    ]
    surplus = [one for one in case.get("answer_lacks", ()) if says(talk.text, one, [])]
    why = [*(f"lacks {one!r}" for one in lacking), *(f"says {one!r}" for one in surplus)]
    if _DENIES.match(talk.text.casefold()) and "NO" not in "/".join(case["answer_has"]).split("/"):
        return "wrong", talk, [*why, "denies it"], False
    if not why:
        return "right", talk, why, False
    asks = (
        _ASKS.search(talk.text.casefold()) is not None
        and len(talk.text) < _SHORT
        and "no workflow for" not in talk.text
    )
    return ("honest" if asks else "wrong"), talk, why, False


def says(reply: str, key: str, beside: Sequence[str]) -> bool:
    """Say whether a reply says a key: words, a number, `YES` or `NO`."""
    plain = reply.casefold()
    if key == "NO":
        return _NEGATIVE.search(plain[:200]) is not None
    if key == "YES":
        return re.match(r"\W*(?:no\b|none|nothing|nobody|never)", plain) is None and (
            len(beside) > 1 or "yes" in plain[:20]
        )
    if key.isdigit():
        told = {one.lstrip("0") or "0" for one in words(reply)}
        return key in told or _NUMBERS.get(key, key) in told
    return all(any(_same_start(one, word) for one in words(plain.replace("_", " "))) for word in words(key))


def _same_start(one: str, word: str) -> bool:
    return one in (word, f"{word}s") or (
        len(word) > 3 and one.startswith(word[: max(4, len(word) - 2)]) and abs(len(one) - len(word)) < 4
    )


_NUMBERS = {
    str(at): word
    for at, word in enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"))
}


async def referred(service: Asked, case: Case) -> tuple[Verdict, Talk, list[str], bool]:
    """Return whether the workflow or the step that was meant was found, or asked about."""
    opened = case.get("workflow")
    names = case.get("catalogue") or [name for name, one in workflows().items() if one["half"] == case["half"]]
    talk = await talked(service, case, names, opened)
    if "want" in case:
        verdict, why = await _meant_change(service, case, talk)
        return verdict, talk, why, False
    return *_meant(case, talk, {f"wf_{name}": workflows()[name]["document"]["name"] for name in names}), False


def _meant(case: Case, talk: Talk, known: Mapping[str, str]) -> tuple[Verdict, Talk, list[str]]:
    """Return whether a reply is about the workflow that was meant: by its words, else by what it read."""
    touched = {one["id"] for one in talk.reply.get("workflows_touched", ())} & set(known)
    named = {key for key, name in known.items() if name.casefold() in talk.text.casefold()}
    first = next((key for key, name in known.items() if talk.text.lstrip("* ").startswith(name)), None)
    asks = talk.refuses or "?" in talk.text or _ASKS.search(talk.text.casefold()) is not None
    if not talk.is_unchanged:
        return "wrong", talk, ["changed something"]
    if case["expect"] == "ASK":
        right = (asks or len(named) > 1) and first is None
        return ("right" if right else "wrong"), talk, [f"took {sorted(named)}"]
    meant = f"wf_{case['expect']}"
    if not talk.refuses and (named == {meant} or first == meant or (touched == {meant} and named <= {meant})):
        return "right", talk, []
    return ("honest" if asks else "wrong"), talk, [f"took {sorted(named or touched)}"]


async def _meant_change(service: Asked, case: Case, talk: Talk) -> tuple[Verdict, list[str]]:
    """Return whether the change was made where it was meant."""
    target = case["expect"]
    stored = talk.after
    others = [
        key
        for key in {*talk.before, *stored} - {f"wf_{target}"}
        if content(talk.before.get(key, {})) != content(stored.get(key, {}))
    ]
    own = {f"wf_{target}": stored[f"wf_{target}"]} if f"wf_{target}" in stored else {}
    missing = [Difference(f"changed {key}", is_missing=False) for key in others]
    missing += await missed(service, {**case, "workflow": target}, f"wf_{target}", own)
    verdict = changed(case, talk, missing)
    return verdict, [one.text for one in missing]


JUDGES = {
    "orders": ordered,
    "sample_orders": ordered,
    "descriptions": described,
    "questions": questioned,
    "references": referred,
}


async def judge(kind: str, half: str, numbers: frozenset[int] = frozenset(), only: str | None = None) -> list[Judged]:
    """Return how each case of a set went, numbered as the lines of its file."""
    found: list[Judged] = []
    async with asked() as service:
        for number, row in enumerate(cases(kind, half), 1):
            case = {"half": half, **row}
            if (numbers and number not in numbers) or (only and case.get("kind") != only):
                continue
            verdict, talk, why, after_yes = await JUDGES[kind](service, case)
            found.append(Judged(number, case, verdict, talk.text, why, after_yes))
    return found


def figures(kind: str, judged: Sequence[Judged]) -> dict[str, tuple[float, int]]:
    """Return the share of each verdict with the number of cases behind it; one-part orders apart."""
    parts = {kind: judged}
    if kind in ("orders", "sample_orders"):
        label = kind.replace("_", " ")
        parts = {
            f"{label}, one part": [one for one in judged if one.case["kind"] == "plain"],
            f"{label}, others": [one for one in judged if one.case["kind"] != "plain"],
        }
    named = {"right": "right", "honest": "honest", "wrong": "false" if kind == "questions" else "wrong"}
    if kind in ("orders", "sample_orders", "descriptions"):
        named["wrong"] = "wrong though Done"
    if kind == "references":
        named["honest"] = "asked"
    return {
        f"{part}: {named[verdict]}": (sum(one.verdict == verdict for one in those) / len(those), len(those))
        for part, those in parts.items()
        if those
        for verdict in VERDICTS
    }


def _print(kind: str, half: str, judged: Sequence[Judged], shown: str | None, seconds: float) -> None:
    print(f"\n{kind}, {HALVES[half]}: {len(judged)} cases in {seconds:.0f} s")
    for what, (value, cases_) in figures(kind, judged).items():
        print(f"  {what}: {value:.1%} of {cases_}")
    groups = Counter((str(one.case.get("kind", "-")), one.verdict) for one in judged)
    for group in sorted({key for key, _ in groups}):
        print(f"    {group}: " + ", ".join(f"{groups[group, verdict]} {verdict}" for verdict in VERDICTS))
    if offered := sum(one.after_yes for one in judged):
        print(f"  right after a yes: {offered}")
    for one in judged:
        if shown in ("all", one.verdict):
            at = one.case.get("workflow") or ""
            then = " (right after a yes)" if one.after_yes else ""
            print(f"\n[{one.number}] {one.verdict}{then} {at} {one.case.get('kind', '')}")
            print(f"  said: {one.said}\n  reply: " + one.reply.replace("\n", "\n         "))
            print(f"  wanted: {one.case.get('want') or one.case.get('answer_has') or one.case.get('expect')}")
            print(f"  differs: {'; '.join(one.why) or '-'}")


def main() -> None:
    """Print the figures of the sets that are asked for; `--show` prints cases."""
    parser = argparse.ArgumentParser(prog="benchmarks.eval_offline")
    parser.add_argument("kinds", nargs="*", help="orders, descriptions, questions, references; " + ", ".join(HALVES))
    parser.add_argument("--show", choices=(*VERDICTS, "all"))
    parser.add_argument("--kind", help="only cases of this kind")
    parser.add_argument("--id", help="only these lines of the file, with commas between")
    given = parser.parse_args()
    numbers = frozenset(int(one) for one in given.id.split(",")) if given.id else frozenset[int]()
    for kind in [one for one in KINDS if one in given.kinds] or KINDS:
        for half in [one for one in HALVES if one in given.kinds] or HALVES:
            if not cases(kind, half):
                continue
            started = time.monotonic()
            judged = asyncio.run(judge(kind, half, numbers, given.kind))
            _print(kind, half, judged, given.show, time.monotonic() - started)


if __name__ == "__main__":
    main()
