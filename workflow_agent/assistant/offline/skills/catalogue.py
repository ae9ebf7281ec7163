"""Questions about all workflows: each filter that a question names, and the workflows that pass them all."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.inquiry import topics_of
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.schedules import Started, started_by
from workflow_agent.assistant.offline.skills.comparing import EVER, told_change
from workflow_agent.assistant.offline.skills.listing import listing
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import back_edges
from workflow_agent.assistant.offline.wording.lists import counted, joined
from workflow_agent.assistant.offline.wording.workflow import roles_of
from workflow_agent.workflows.model.durations import duration_in_words, seconds_of
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

_MOST_LISTED = 100
_MOST_READ = 25
"""Workflows that one question reads; what it did not read it says."""
Asking = Generator[Call, Any, Reply]


@dataclass(frozen=True, slots=True)
class Filter:
    """What a question asks of each workflow: of its line in the list, by a search, or of the whole of it."""

    label: str
    listed: Callable[[JsonObject], bool] | None = None
    search: JsonObject | None = None
    whole: Callable[[Workflow], bool] | None = None


_BY_TOPIC = {
    "loop": Filter("with a loop", whole=lambda one: bool(back_edges(one)) or any(s.type == "loop" for s in one.steps)),
    "parallel": Filter("with parallel branches", search={"step_type": "fork"}),
    "escalate": Filter("with an escalation", whole=lambda one: any(s.escalate_to for s in one.steps)),
    "retry": Filter("with retries", whole=lambda one: any(s.retry for s in one.steps)),
    "people": Filter("with work of people", whole=lambda one: any(s.type == "human" or s.assignee for s in one.steps)),
}


def is_about_all(tokens: Tokens, *, is_open: bool) -> bool:
    """Say whether a question says that it is about the workflows there are, not about the open one."""
    for at, token in enumerate(tokens):
        before = tokens[max(at - 2, 0) : at]
        if token.among("catalogue.workflows"):
            return True
        if token.among("catalogue.workflow") and any(one.among("catalogue.which") for one in before):
            return True
    tagged = any(token.lower in ("tagged", "tag") for token in tokens)
    says = any(t.is_(*(("everything",) if is_open else word_set("catalogue.anything"))) for t in tokens[:4])
    return says and (tagged or _has_filter(tokens))


def _has_filter(tokens: Tokens) -> bool:
    return bool(_filters(tuple(token for token in tokens if token.kind != "punct"))[0])


def answer(tokens: Tokens, opened: str | None) -> Asking:
    """List the workflows that a question asks for; what of it is no filter is looked for in their words.

    Reading a workflow opens it: afterwards the one that was open is opened again, else the only one found.
    """
    tokens = tuple(token for token in tokens if token.kind != "punct")
    result = yield Call("list_workflows", {"limit": _MOST_LISTED})
    items: list[JsonObject] = result["workflows"]
    lows = {token.lower for token in tokens} | {token.lemma for token in tokens}
    if lows & word_set("catalogue.change") and not lows & {"step", "steps"}:
        return (yield from _by_change())
    asked, rest = _filters(tokens)
    rest = [token for token in rest if counts(token) and not token.among("catalogue.said")]
    if lows & word_set("catalogue.sizes") and not asked and all(t.among("catalogue.sizes") for t in rest):
        sign = -1 if lows & {"most", "largest", "biggest", "longest"} else 1
        best = sorted(items, key=lambda one: sign * one["step_count"])[:3]
        return listing(best, len(best), f", the {'largest' if sign < 0 else 'smallest'} first")
    if tokens[0].is_("who") and any(t.is_("more", "several", "two") for t in tokens) and not rest:
        return (yield from _roles_shared(items, result["total"]))
    if not asked and not rest:
        return listing(items, result["total"], "")
    denies = any(token.is_("no", "not", "without", "nobody", "never") for token in tokens)
    if denies and (len(asked) != 1 or rest):
        return (yield from _closest(" ".join(token.text for token in tokens if token.is_content)))
    chosen = yield from chosen_by(rest, items)
    if chosen is None:
        return (yield from _closest(" ".join(token.text for token in rest)))
    found, left, missing = chosen
    for one in asked:
        found = yield from _passing(one, found, denies=denies)
    if any(one.whole for one in asked) and (last := opened or (found[0]["id"] if len(found) == 1 else None)):
        yield Call("get_workflow", {"workflow": last})
    about = [one.label for one in asked] + (
        [f"that say {joined([f'“{t.text}”' for t in rest if t not in left])}"] if rest else []
    )
    which = f" not {joined(about)}".replace(" not with ", " without ") if denies else f" {joined(about)}"
    note = f"\n\nI did not use: {joined([f'“{t.text}”' for t in left])}." if left else ""
    if missing or (left and not found):
        return (yield from _closest(" ".join(token.text for token in [*missing, *left])))
    if not found:
        return Reply(f"None of the {counted(result['total'], 'workflow')} is one{which}.")
    reply = listing(found, len(found), which)
    unseen = result["total"] - len(items)
    return Reply(f"{reply.text}{note}" + (f"\n\nI looked at {len(items)} of {result['total']}." if unseen else ""))


def chosen_by(
    words: Sequence[Token], items: Sequence[JsonObject]
) -> Generator[Call, Any, tuple[list[JsonObject], list[Token], list[Token]] | None]:
    """Return the workflows that say all of some words, the verbs that none says, and the other words that none does.

    None where no word is said by any.
    """
    found, left, missing = list(items), list[Token](), list[Token]()
    for word in words:
        hits = (yield Call("search_workflows", {"query": word.text, "limit": _MOST_LISTED}))["hits"]
        ids = {hit["id"] for hit in hits if set(hit["strategies"]) - {"fuzzy", "meaning"}}
        if ids:
            found = [item for item in found if item["id"] in ids]
        elif word.has("verb", "adv") and not word.has("name"):
            left.append(word)
        else:
            missing.append(word)
    return (found, left, missing) if len(left) + len(missing) < len(words) or not words else None


def _passing(one: Filter, items: list[JsonObject], *, denies: bool) -> Generator[Call, Any, list[JsonObject]]:
    if one.listed is not None:
        return [item for item in items if one.listed(item) != denies]
    if one.search is not None:
        hits = (yield Call("search_workflows", {**one.search, "limit": _MOST_LISTED}))["hits"]
        return [item for item in items if any(hit["id"] == item["id"] for hit in hits) != denies]
    found: list[JsonObject] = []
    for item, workflow in (yield from _read(items)):
        found += [item] if one.whole is not None and one.whole(workflow) != denies else []
    return found


def _read(items: Sequence[JsonObject]) -> Generator[Call, Any, list[tuple[JsonObject, Workflow]]]:
    """Read workflows whole, in one go."""
    looks = [Call("get_workflow", {"workflow": item["id"]}) for item in items[:_MOST_READ]]
    found: list[tuple[JsonObject, Workflow]] = []
    for at, item in enumerate(items[:_MOST_READ]):
        result = yield replace(looks[at], beside=tuple(looks[at + 1 :]))
        found.append((item, parse_workflow(result["workflow"])))
    return found


def _roles_shared(items: Sequence[JsonObject], total: int) -> Asking:
    where: dict[str, list[str]] = {}
    for item, workflow in (yield from _read(items)):
        for who in roles_of(workflow):
            where.setdefault(who, []).append(item["name"])
    lines = [f"- **{who}**: {joined(names)}" for who, names in where.items() if len(names) > 1]
    seen = f" of the {min(total, _MOST_READ)} workflows I looked at" if total > _MOST_READ else ""
    return Reply(f"In more than one{seen}:\n\n" + "\n".join(lines) if lines else f"No role is in more than one{seen}.")


def _closest(said: str) -> Asking:
    result = yield Call("search_workflows", {"query": said[:300], "limit": 5})
    hits = result["hits"] or result["suggestions"]
    if not hits:
        return Reply(f"I can't tell that from the workflows: I did not understand {said!r}.")
    lines = "\n".join(f"{at}. **{hit['name']}** (`{hit['id']}`)" for at, hit in enumerate(hits, 1))
    return Reply(f"I can't find a workflow that says {said!r}. The closest are:\n\n{lines}")


def _filters(tokens: Tokens) -> tuple[list[Filter], list[Token]]:
    """Return the filters that a question names, each with its words, and the tokens that are in none."""
    topics = topics_of(tokens)
    found: list[Filter] = []
    used: set[int] = set()
    for topic, one in _BY_TOPIC.items():
        if topic in topics and (topic != "people" or any(t.is_("nobody", "human") for t in tokens)):
            found.append(one)
            used |= topics[topic]
    spans = durations_in(tokens)
    if spans or "deadline" in topics:
        found.append(_limited(tokens, spans[0][1].value if spans else None))
        used |= topics.get("deadline", set()) | {at for first, one in spans for at in range(first, one.end)}
        used |= {at for at, token in enumerate(tokens) if token.among("catalogue.compares")}
    elif (started := started_by(tokens)) is not None:
        found.append(_started(started))
        used |= started.read
    if (tags := [at for at, token in enumerate(tokens) if token.is_("tag", "tagged")]) and "deadline" not in topics:
        names = {token.lower for token in tokens[tags[0] + 1 :] if token.kind in ("word", "quoted")} - {"as", "with"}
        found.append(
            Filter(
                f"tagged {' or '.join(sorted(names))!r}",
                lambda item: bool(names & {tag.casefold() for tag in item["tags"]}),
            )
        )
        used |= set(range(tags[0], len(tokens)))
    return found, [token for at, token in enumerate(tokens) if at not in used]


def _started(started: Started) -> Filter:
    return Filter(started.label, lambda item: started.passes(item["triggers"]))


def _limited(tokens: Tokens, length: str | None) -> Filter:
    """Return the filter by a deadline or a wait: any, or one over, under or of a length."""
    if length is None:
        return Filter("with a deadline", whole=lambda one: any(s.timeout for s in one.steps))
    less = any(token.is_("less", "under", "below", "shorter") for token in tokens)
    more = any(token.is_("more", "over", "above", "longer") for token in tokens)
    limit = seconds_of(length)

    def passes(one: Workflow) -> bool:
        lengths = [seconds_of(text) for s in one.steps for text in (s.timeout, s.duration) if text]
        return any(each < limit if less else each > limit if more else each == limit for each in lengths)

    of = "under" if less else "over" if more else "of"
    return Filter(f"with a deadline or wait {of} {duration_in_words(length)}", whole=passes)


def _by_change() -> Asking:
    changes: list[JsonObject] = (yield Call("list_changes", {"since": EVER, "limit": 100}))["changes"]
    latest: dict[str, JsonObject] = {}
    for change in changes:
        latest.setdefault(change["workflow"]["id"], change)
    if not latest:
        return Reply("Nothing was changed yet.")
    lines = "\n".join(told_change(one) for one in list(latest.values())[:10])
    return Reply(f"Last changed, newest first:\n\n{lines}")
