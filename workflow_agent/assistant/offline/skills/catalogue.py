"""Questions about all workflows: each filter that a question names, and the workflows that pass them all."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.inquiry import topics_of
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.skills.comparing import EVER, told_change
from workflow_agent.assistant.offline.skills.listing import listing
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import back_edges, branches
from workflow_agent.assistant.offline.wording.lists import joined
from workflow_agent.workflows.model.durations import duration_in_words, seconds_of
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.triggers import Trigger
from workflow_agent.workflows.model.workflow import Workflow

_MOST_READ = 40
_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_KINDS = {"webhook": "webhook", "manual": "manual", "manually": "manual", "hand": "manual", "event": "event"}
_PERIODS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
Passes = Callable[[Workflow], bool]
Filter = tuple[str, Passes]


def is_about_all(tokens: Tokens, *, is_open: bool) -> bool:
    """Say whether a question is about the workflows there are; what does not say so is about an open one."""
    lows = [token.lower for token in tokens]
    which = bool(tokens) and any(token.among("catalogue.which") for token in tokens[:3])
    runs = which and not any(token.among("catalogue.of_one") for token in tokens) and lows[0] in ("what", "which")
    starts = any(token.is_("run", "start") for token in tokens)
    tagged = any(token.lower == "tagged" for token in tokens) and any(
        token.is_("everything", "all", "which", "what") for token in tokens
    )
    named = which and len(tokens) > 1 and tokens[1].among("catalogue.workflow")
    return (
        any(token.among("catalogue.workflows") for token in tokens)
        or named
        or (runs and starts and not is_open)
        or tagged
    )


def has_filters(tokens: Tokens, *, is_open: bool) -> bool:
    """Say whether a search names more than words to look for."""
    said = tuple(token for token in tokens if token.kind != "punct")
    return is_about_all(tokens, is_open=is_open) and bool(_filters(said)[0])


def answer(tokens: Tokens) -> Generator[Call, Any, Reply]:
    """List the workflows that a question asks for; what of it is no filter is looked for in their words."""
    result = yield Call("list_workflows", {"limit": 100})
    items: list[JsonObject] = result["workflows"]
    lows = {token.lower for token in tokens} | {token.lemma for token in tokens}
    if lows & word_set("catalogue.change") and not lows & {"step", "steps"}:
        return (yield from _by_change())
    known = ("catalogue.said", "catalogue.sizes", "catalogue.workflows")
    left = [t for t in tokens if counts(t) and not any(t.among(name) for name in known)]
    if lows & word_set("catalogue.sizes") and not left:
        sign = -1 if lows & {"most", "largest", "biggest", "longest"} else 1
        best = sorted(items, key=lambda one: sign * one["step_count"])[:3]
        return listing(best, len(best), f", the {'largest' if sign < 0 else 'smallest'} first")
    asked, rest = _filters(tokens)
    rest = [token for token in rest if counts(token) and not token.among("catalogue.said")]
    if not asked and not rest:
        return listing(items, result["total"], "")
    denies = [token for token in tokens if token.is_("no", "not", "without")]
    found: list[JsonObject] = []
    looks = [Call("get_workflow", {"workflow": item["id"]}) for item in items[:_MOST_READ]]
    for at, item in enumerate(items[:_MOST_READ]):
        look = replace(looks[at], beside=tuple(looks[at + 1 :]))
        one = parse_workflow((yield look)["workflow"])
        fits = all(passes(one) for _, passes in asked) != bool(denies and len(asked) == 1)
        found += [item] if fits and _says(one, rest) else []
    said = " ".join(token.text for token in rest)
    if (rest and not found) or (denies and len(asked) != 1):
        return (yield from _closest(said or " ".join(token.text for token in tokens if token.is_content)))
    about = [label for label, _ in asked] + ([f"about {said!r}"] if rest else [])
    which = f" not {joined(about)}".replace(" not with ", " without ") if denies else f" {joined(about)}"
    if not found:
        return Reply(f"None of the {len(items)} workflows is one{which}.")
    return listing(found, len(found), which)


def _closest(said: str) -> Generator[Call, Any, Reply]:
    hits = (yield Call("search_workflows", {"query": said[:300], "limit": 5}))["hits"]
    if not hits:
        return Reply(f"I can't tell that from the workflows: I did not understand {said!r}.")
    lines = "\n".join(f"{at}. **{hit['name']}** (`{hit['id']}`)" for at, hit in enumerate(hits, 1))
    return Reply(f"I can't tell that from the workflows themselves. For {said!r} the closest are:\n\n{lines}")


def _says(workflow: Workflow, words: Sequence[Token]) -> bool:
    """Say whether every word stands in what the workflow says of itself, its steps, or who does them."""
    told = [workflow.name, workflow.description or "", *workflow.tags, *workflow.aliases]
    for step in workflow.steps:
        told += [step.name, step.assignee or "", (step.uses or "").replace(".", " ")]
    known = set(content_of(" ".join(told).replace("_", " ")))
    return all(any(akin(word.lower, one) for one in known) for word in words)


def _filters(tokens: Tokens) -> tuple[list[Filter], list[Token]]:
    """Return the filters that a question names, each with its words, and the tokens that are in none."""
    topics = topics_of(tokens)
    found: list[Filter] = []
    used: set[int] = set()
    span = next(iter(durations_in(tokens)), None)
    for topic, one in (("loop", _LOOP), ("parallel", _PARALLEL), ("escalate", _ESCALATED), ("retry", _RETRIED)):
        if topic in topics:
            found.append(one)
            used |= topics[topic]
    if "deadline" in topics:
        found.append(_deadline(tokens, span[1].value if span else None))
        used |= topics["deadline"] | (set(range(span[0], span[1].end)) if span else set())
        used |= {at for at, token in enumerate(tokens) if token.among("catalogue.compares")}
    elif (timed := _trigger(tokens)) is not None:
        found.append(timed[0])
        used |= timed[1]
    if (tags := [at for at, token in enumerate(tokens) if token.is_("tag", "tagged")]) and "deadline" not in topics:
        names = {token.lower for token in tokens[tags[0] + 1 :] if token.is_content}
        found.append(
            (f"tagged {' or '.join(sorted(names))!r}", lambda one: bool(names & {t.casefold() for t in one.tags}))
        )
        used |= set(range(tags[0], len(tokens)))
    return found, [token for at, token in enumerate(tokens) if at not in used]


_LOOP: Filter = ("with a loop", lambda one: bool(back_edges(one)) or any(s.type == "loop" for s in one.steps))
_BY_PEOPLE: Filter = ("with work of people", lambda one: any(s.type == "human" for s in one.steps))
_PARALLEL: Filter = ("with parallel branches", lambda one: bool(branches(one)))
_ESCALATED: Filter = ("with an escalation", lambda one: any(s.escalate_to for s in one.steps))
_RETRIED: Filter = ("with retries", lambda one: any(s.retry for s in one.steps))


def _deadline(tokens: Tokens, length: str | None) -> Filter:
    less = any(token.is_("less", "under", "below", "shorter") for token in tokens)
    if length is None:
        return "with a deadline", lambda one: any(step.timeout for step in one.steps)
    limit = seconds_of(length)

    def passes(one: Workflow) -> bool:
        lengths = [seconds_of(step.timeout) for step in one.steps if step.timeout]
        return any(each < limit if less else each > limit for each in lengths)

    return f"with a deadline {'under' if less else 'over'} {duration_in_words(length)}", passes


def _trigger(tokens: Tokens) -> tuple[Filter, set[int]] | None:
    """Return the filter by what starts a workflow, with the places of its words; None where none is named."""
    words = {token.lower: at for at, token in enumerate(tokens)} | {token.lemma: at for at, token in enumerate(tokens)}
    starts = [at for word, at in words.items() if word in word_set("catalogue.run")]
    kind = next((word for word in _KINDS if word in words), None)
    days = [day for day in _DAYS if day in words]
    night = next((word for word in ("night", "nightly", "overnight") if word in words), None)
    period = next((word for word in (*_PERIODS, *_PERIODS.values(), "quarter") if word in words), None)
    clock = next((word for word in ("schedule", "scheduled", "automatically", "clock", "timer") if word in words), None)
    if not (starts or kind or days or night):
        return None
    used = {*starts, *(words[one] for one in (kind, night, period, clock, *days) if one)}
    if night:
        return ("starting at night", _starts(lambda hour, _d, _m, _w: any(h >= 22 or h < 6 for h in hour))), used
    if days:
        numbers = {_DAYS.index(day) for day in days}
        label = f"starting on {joined([day.capitalize() for day in days])}"
        return (label, _starts(lambda _h, day, _m, week: numbers <= week or (not week and not day))), used
    if period:
        plain = _PERIODS.get(period, period)
        return (f"starting every {plain}", _starts(lambda h, d, m, w: _period(h, d, m, w) == plain)), used
    if clock:
        return ("starting by the clock", lambda one: any(t.type == "schedule" for t in one.triggers)), used
    if kind is None:
        return None
    wanted = _KINDS[kind]
    return (f"started by {kind}", lambda one: any(t.type == wanted for t in one.triggers)), used


Cron = Callable[[set[int], set[int], set[int], set[int]], bool]


def _starts(fits: Cron) -> Passes:
    """Return whether a schedule of a workflow fits, told its hours, days, months and days of the week."""
    return lambda one: any(fits(*fields) for t in one.triggers if (fields := _cron(t)) is not None)


def _cron(trigger: Trigger) -> list[set[int]] | None:
    cron = (trigger.cron or "").split() if trigger.type == "schedule" else []
    return [_numbers(part) for part in cron[1:]] if cron else None


def _numbers(part: str) -> set[int]:
    """Return the numbers of a field of a cron expression; none where it stands for all."""
    found: set[int] = set()
    for one in part.split(","):
        first, _, last = one.partition("-")
        if first.isdecimal():
            found |= set(range(int(first), int(last or first) + 1)) if (last or first).isdecimal() else {int(first)}
    return found


def _period(hour: set[int], day: set[int], month: set[int], week: set[int]) -> str:
    if month:
        return "quarter" if len(month) > 1 else "year"
    return "month" if day else "week" if week else "day" if hour else "hour"


def _by_change() -> Generator[Call, Any, Reply]:
    changes: list[JsonObject] = (yield Call("list_changes", {"since": EVER, "limit": 100}))["changes"]
    latest: dict[str, JsonObject] = {}
    for change in changes:
        latest.setdefault(change["workflow"]["id"], change)
    if not latest:
        return Reply("Nothing was changed yet.")
    lines = "\n".join(told_change(one) for one in list(latest.values())[:10])
    return Reply(f"Last changed, newest first:\n\n{lines}")
