"""Turns that people rated, as cases: `workflow-agent evals from-conversations > cases.jsonl` writes them.

A case is the message of a turn on the workflows as they were before it. A turn that was rated up says what is
right: where it changed something, the same has to come out, ids aside; where it told something, nothing may change
and the reply has to name at least half of the workflows, steps and numbers that the kept reply named. A turn that
was rated down says only what was not wanted: it is no case.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.eval_offline import Asked, Case, Talk, content
from benchmarks.offline_graphs import has_words, words

Document = Mapping[str, Any]
_SHARE = 0.5
_CHANGES = ("created", "modified", "deleted")


def rated_cases(path: Path) -> tuple[list[tuple[int, Case]], int]:
    """Return the cases of a file with their lines, and how many turns in it are none.

    Raises:
        ValueError: A line is not what `evals from-conversations` writes.
    """
    cases: list[tuple[int, Case]] = []
    skipped = 0
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            is_case = row["rating"] == "up" and all(map(_is_whole, row["workflows"]))
            made = {"say": row["message"], "mode": row["options"].get("mode"), "kept": row}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}:{number} is not a case of `evals from-conversations`: {error!r}.") from error
        if is_case:
            cases.append((number, made))
        else:
            skipped += 1
    return cases, skipped


def _is_whole(touched: Mapping[str, Any]) -> bool:
    """Say whether an export has what is needed of a workflow: not where it was deleted since."""
    made, changed = touched["change"] == "created", touched["change"] in ("created", "modified")
    return (made or touched["before"] is not None) and not (changed and touched["after"] is None)


async def judged_as_rated(service: Asked, case: Case) -> tuple[bool, Talk, list[str]]:
    """Return whether a turn comes out as the one that was rated up, how it went, and what was not so."""
    kept: Mapping[str, Any] = case["kept"]
    touched: Sequence[Mapping[str, Any]] = kept["workflows"]
    documents = [one["before"] for one in touched if one["before"] is not None]
    await service.begin_with(content(one) for one in documents)
    before = await service.stored()
    opened = kept["options"].get("workflow_id") or (documents[0]["id"] if len(documents) == 1 else None)
    reply = await service.say(case["say"], None, opened if opened in before else None)
    talk = Talk(reply, before, await service.stored())
    changes = [one for one in touched if one["change"] in _CHANGES]
    why = [found for one in changes for found in _unlike(one, talk)] if changes else _untold(kept, talk)
    return not why, talk, why


def _unlike(change: Mapping[str, Any], talk: Talk) -> Iterator[str]:
    own = change["id"]
    if change["change"] == "deleted":
        if own in talk.after and talk.reply.get("preview") is None:
            yield f"{change['name']} is still there"
    elif change["change"] == "created":
        made = [one for key, one in talk.after.items() if key not in talk.before]
        if not any(_covers(one, change["after"]) for one in made):
            yield f"{change['name']} was not made so"
    elif own not in talk.after or outline(talk.after[own]) != outline(change["after"]):
        yield f"{change['name']} is not as it was made"


def _covers(made: Document, kept: Document) -> bool:
    """Say whether a workflow has every step that another one has, by its words, and hardly any more."""
    own, names = [[one["name"] for one in each["steps"] if one["type"] != "end"] for each in (made, kept)]
    return len(own) <= len(names) + 2 and all(any(has_words(one, name) for one in own) for name in names)


def outline(document: Document) -> Any:
    """Return what a workflow is, without the ids of what is in it, its version and dates."""
    names = {one["id"]: one["name"].casefold() for one in document["steps"]}
    steps = [{key: one[key] for key in sorted(one) if key not in ("id", "name", "parent")} for one in document["steps"]]
    edges = [
        (names[one["from"]], names[one["to"]], one.get("type"), json.dumps(one.get("when"), sort_keys=True))
        for one in document["transitions"]
    ]
    about = {key: document.get(key) for key in ("name", "description", "tags", "aliases", "triggers")}
    listed = sorted(zip(names.values(), (json.dumps(one, sort_keys=True) for one in steps), strict=True))
    return about, listed, sorted(edges, key=str)


def _untold(kept: Mapping[str, Any], talk: Talk) -> list[str]:
    """Return why a reply does not tell what the kept one told."""
    if not talk.is_unchanged:
        return ["changed something"]
    if talk.claims or talk.refuses:
        return ["claims a change" if talk.claims else "refuses"]
    facts = _facts(kept)
    told = [one for one in facts if _says(talk.text, one)]
    if facts and len(told) < _SHARE * len(facts):
        return [f"tells {len(told)} of {len(facts)} facts"]
    return [] if facts or talk.reply.get("tools_used") else ["did nothing"]


def _facts(kept: Mapping[str, Any]) -> list[str]:
    """Return the workflows, steps, roles and numbers that a kept reply names, but those of the question."""
    documents = [one["before"] for one in kept["workflows"] if one["before"] is not None]
    names = {one["name"] for each in documents for one in (each, *each["steps"])}
    names |= {one["assignee"].replace("_", " ") for each in documents for one in each["steps"] if one.get("assignee")}
    names |= set(re.findall(r"\b\d+\b", kept["reply"]))
    return sorted(one for one in names if _says(kept["reply"], one) and not _says(kept["message"], one))


def _says(text: str, name: str) -> bool:
    own = words(text.replace("_", " "))
    return all(one in own for one in words(name))
