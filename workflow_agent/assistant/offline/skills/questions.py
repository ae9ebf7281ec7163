"""Questions: about the workflow at hand from its graph, about the catalogue from what its tools list."""

from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.inquiry import Inquiry, answered, back_edges
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.skills import changing
from workflow_agent.assistant.offline.skills.comparing import EVER, told_change
from workflow_agent.assistant.offline.skills.listing import listing
from workflow_agent.assistant.offline.skills.talk import spoken
from workflow_agent.assistant.offline.skills.targets import read_workflow
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.focus import focus, last_told
from workflow_agent.assistant.offline.turn.outcome import Call, JsonObject, Reply, Skill
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.wording.lists import clipped, joined
from workflow_agent.workflows.model.durations import duration_in_words, seconds_of
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

_WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
_NIGHT = (22, 6)
_MOST_READ = 25
_MOST_CHARS = 600


def answer(turn: Turn, text: str, otherwise: Skill | None = None) -> Skill:
    """Answer a question, for what of it was understood, and name the rest; deny only what was read wholly."""
    tokens = read_tokens(text[:_MOST_CHARS])
    if _is_about_catalogue(tokens):
        told = yield from _catalogue(turn, tokens, text)
        if told is not None:
            return told
    if focus(turn) is None and "" not in turn.chosen and _is_off_topic(tokens):
        if otherwise is not None:
            return (yield from otherwise)
        return (yield from _looked_up(tokens))
    workflow, rest = yield from _target(turn, tokens, text)
    inquiry = Inquiry(
        workflow,
        tuple(t for t in rest if t.kind != "punct" or t.text in "<>"),
        text,
        Steps(workflow, turn.chosen, last_told(turn)),
    )
    told = answered(inquiry)
    left = inquiry.left()
    if told is None and otherwise is not None:
        return (yield from otherwise)
    if told is None and (parts := _parted(inquiry.tokens)):
        both = [Inquiry(workflow, part, text, Steps(workflow, turn.chosen)) for part in parts]
        answers = [answered(one) for one in both]
        if all(answers) and not any(one.left() for one in both):
            return Reply("\n\n".join(filter(None, answers)))
    if told is None or (inquiry.denies and left) or len(left) > 3:
        return _not_understood(workflow, left)
    unread = f"\n\nI did not use: {joined([f'“{t.text}”' for t in left])}." if left else ""
    return Reply(told + unread)


def _parted(tokens: Tokens) -> list[Tokens]:
    """Return two questions in one: "who packs it and who hands it over?"."""
    for at in range(2, len(tokens) - 2):
        if tokens[at].is_("and") and tokens[at + 1].has("wh"):
            return [tokens[:at], tokens[at + 1 :]]
    return []


def _looked_up(tokens: Tokens) -> Generator[Call, Any, Reply]:
    """Look the words of a question up where no workflow is at hand; what nothing has is off the topic."""
    words = [t for t in tokens if counts(t) and not t.among("questions.looked_up.any")]
    sent = [t for t in tokens if t.is_("email", "slack")] or words
    if not sent:
        return Reply(spoken()["off_topic"])
    query = " ".join(t.text for t in sent)[:300]
    hits = (yield Call("search_workflows", {"query": query, "limit": 5}))["hits"]
    if not hits:
        return Reply(spoken()["off_topic"])
    lines = "\n".join(f"{at}. **{hit['name']}** (`{hit['id']}`)" for at, hit in enumerate(hits, 1))
    return Reply(f"No workflow is open. These come close, best first:\n\n{lines}\n\nWhich one do you mean?")


def _not_understood(workflow: Workflow, left: Sequence[Token]) -> Reply:
    words = (
        f" (not {joined([f'“{clipped(t.text, 40)}”' for t in left[:5]])})" if left and len(left) < 6 else ""
    )
    step = next((s for s in workflow.steps if s.type != "end" and s.id != workflow.start), workflow.steps[0])
    return Reply(
        f"I did not understand that question about **{workflow.name}**{words}, so I do not answer it.\n"
        f"You can ask, for example, “what happens after {step.name.rstrip('?')}?” or “who does what?”."
    )


def _target(turn: Turn, tokens: Tokens, text: str) -> Generator[Call, Any, tuple[Workflow, Tokens]]:
    """Return the workflow that a question is about, and the question without the words that say so."""
    at_hand = focus(turn)
    rest, name = changing.named_whole(tokens)
    if name and not all(t.lower in ("this", "that", "whole", "entire") or not counts(t) for t in name):
        phrase = text[name[0].start : name[-1].end]
        mine = at_hand is not None and all(t.lower in at_hand.name.casefold() for t in name if counts(t))
        return (yield from read_workflow(turn, None if mine else phrase)), rest
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    for item in listed:
        for called in (item["name"], *item.get("aliases", ())):
            found = changing.without_mention(tokens, called)
            if found is not None:
                return (yield from read_workflow(turn, item["id"])), found
    return (yield from read_workflow(turn, None)), tokens


def _is_about_catalogue(tokens: Tokens) -> bool:
    plural = any(
        t.lower in ("workflows", "processes", "flows", "procedures", "pipelines", "ones") for t in tokens
    )
    which = bool(tokens) and any(t.among("questions.is_about_catalogue.which") for t in tokens[:3])
    one = which and len(tokens) > 1 and tokens[1].lemma in _WHOLE
    runs = (
        which
        and any(t.is_("run", "start") for t in tokens)
        and not any(t.is_("it", "this", "that", "step", "does", "do") for t in tokens)
        and any(t.is_("what", "which") for t in tokens[:1])
    )
    tagged = any(t.is_("tagged", "tag") for t in tokens) and any(
        t.is_("everything", "all", "which", "what") for t in tokens
    )
    return plural or one or runs or tagged


def _is_off_topic(tokens: Tokens) -> bool:
    return not any(t.lemma in _WHOLE or t.lemma in ("step", "it", "approve", "approval") for t in tokens)


def _catalogue(turn: Turn, tokens: Tokens, text: str) -> Generator[Call, Any, Reply | None]:
    lemmas = {t.lemma for t in tokens} | {t.lower for t in tokens}
    result = yield Call("list_workflows", {"limit": 100})
    items: list[JsonObject] = result["workflows"]
    if lemmas & word_set("questions.catalogue.change"):
        return (yield from _by_change())
    if lemmas & {"loop", "loops", "cycle", "cycles"} or (
        lemmas & {"deadline", "deadlines"} and any(t.kind == "number" for t in tokens)
    ):
        return (yield from _by_graph(items, tokens, lemmas))
    if lemmas & {"large", "big", "biggest", "largest", "longest", "most"} and lemmas & word_set(
        "questions.catalogue.step"
    ):
        best = sorted(items, key=lambda one: -one["step_count"])[:3]
        return listing(best, len(best), ", the largest first")
    if lemmas & {"tag", "tagged", "tags"}:
        tags = {tag.casefold() for one in items for tag in one["tags"]} & {t.lower for t in tokens}
        tagged = [one for one in items if tags & {tag.casefold() for tag in one["tags"]}]
        return listing(tagged, len(tagged), f" tagged {' or '.join(sorted(tags))!r}") if tags else None
    if lemmas & word_set("questions.catalogue.run"):
        return (yield from _by_trigger(items, tokens, lemmas))
    if lemmas & word_set("questions.catalogue.deadline"):
        return (yield from _by_inside(items, tokens, lemmas))
    content = [
        t for t in tokens if counts(t) and t.lemma not in _WHOLE and not t.among("questions.catalogue.which")
    ]
    if not content:
        return listing(items, result["total"], "")
    query = " ".join(t.text for t in content)
    hits = (yield Call("search_workflows", {"query": query[:300], "limit": 5}))["hits"]
    del turn, text
    if not hits:
        return Reply(f"I found no workflow for {query!r}.")
    lines = "\n".join(f"{at}. **{hit['name']}** (`{hit['id']}`)" for at, hit in enumerate(hits, 1))
    return Reply(f"These fit {query!r}, best first:\n\n{lines}")


def _by_graph(items: Sequence[JsonObject], tokens: Tokens, lemmas: set[str]) -> Generator[Call, Any, Reply]:
    """List the workflows with a loop, or with a deadline over or under a length."""
    found: list[JsonObject] = []
    spans = durations_in(tokens)
    less = any(t.is_("less", "under", "below", "shorter") for t in tokens)
    for item in items[:_MOST_READ]:
        workflow = parse_workflow((yield Call("get_workflow", {"workflow": item["id"]}))["workflow"])
        if not spans:
            fits = bool(back_edges(workflow)) or any(s.type == "loop" for s in workflow.steps)
        else:
            limit = seconds_of(spans[0][1].value)
            lengths = [seconds_of(s.timeout) for s in workflow.steps if s.timeout]
            fits = any(one < limit if less else one > limit for one in lengths)
        found += [item] if fits else []
    which = (
        f" with a deadline {'under' if less else 'over'} {duration_in_words(spans[0][1].value)}"
        if spans
        else " with a loop"
    )
    del lemmas
    return (
        listing(found, len(found), which)
        if found
        else Reply(f"None of the {len(items)} workflows is{which.replace(' with', ' one with', 1)}.")
    )


def _by_change() -> Generator[Call, Any, Reply]:
    changes: list[JsonObject] = (yield Call("list_changes", {"since": EVER, "limit": 100}))["changes"]
    latest: dict[str, JsonObject] = {}
    for change in changes:
        latest.setdefault(change["workflow"]["id"], change)
    if not latest:
        return Reply("Nothing was changed yet.")
    return Reply(
        "Last changed, newest first:\n\n" + "\n".join(told_change(one) for one in list(latest.values())[:10])
    )


def _by_trigger(items: Sequence[JsonObject], tokens: Tokens, lemmas: set[str]) -> Generator[Call, Any, Reply]:
    days = [
        d
        for d in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
        if d in lemmas
    ]
    kinds = {
        "webhook": "webhook",
        "manual": "manual",
        "manually": "manual",
        "event": "event",
        "hand": "manual",
    }
    kind = next((kinds[word] for word in kinds if word in lemmas), None)
    night = bool(lemmas & {"night", "nightly", "nights", "overnight"})
    period = next(
        (p for p in ("hour", "day", "week", "month", "quarter", "year") if p in lemmas or p + "ly" in lemmas),
        "day" if "daily" in lemmas else "",
    )
    timed = (
        night
        or days
        or period
        or lemmas & {"schedule", "scheduled", "automatically", "morning", "clock", "timer"}
    )
    if not timed and kind is None:
        kind = "event" if "when" in lemmas else None
    found: list[JsonObject] = []
    read = 0
    for item in items:
        if read >= _MOST_READ or not item["triggers"]:
            continue
        read += 1
        triggers = (yield Call("get_workflow", {"workflow": item["id"]}))["workflow"].get("triggers", [])
        if any(
            _fits(one, kind=kind, night=night, days=days, period=period, timed=bool(timed))
            for one in triggers
        ):
            found.append(item)
    which = (
        "at night"
        if night
        else f"on {joined([d.capitalize() for d in days])}"
        if days
        else f"every {period}"
        if period
        else "by the clock"
        if timed
        else f"by {kind}"
        if kind
        else "by a trigger"
    )
    del tokens
    if not found:
        return Reply(f"None of the {len(items)} workflows starts {which}.")
    return listing(found, len(found), f" starting {which}")


def _fits(
    trigger: JsonObject, *, kind: str | None, night: bool, days: Sequence[str], period: str, timed: bool
) -> bool:
    if not timed:
        return kind is None or trigger["type"] == kind
    if trigger["type"] != "schedule":
        return False
    cron = (trigger.get("cron") or "").split()
    every = trigger.get("every") or ""
    if not cron:
        return (
            not night
            and not days
            and (
                not period
                or {"hour": "H", "day": "1D", "week": "W", "month": "1M", "year": "Y"}.get(period, "?")
                in every
            )
        )
    minute, hour, month_day, month, week_day = cron
    del minute
    hours = {int(h) for h in hour.split(",") if h.isdecimal()}
    if night:
        return any(h >= _NIGHT[0] or h < _NIGHT[1] for h in hours)
    if days:
        numbers = {
            str(("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday").index(d))
            for d in days
        }
        listed = set(week_day.replace("7", "0").split(","))
        ranged = (
            {
                str(n)
                for part in week_day.split(",")
                if "-" in part
                for n in range(int(part[0]), int(part[-1]) + 1)
            }
            if "-" in week_day
            else set[str]()
        )
        return bool(numbers & (listed | ranged)) or (week_day == "*" and month_day == "*")
    fits = {"hour": hour == "*", "day": hour != "*" and month_day == "*" and week_day == "*",
            "week": week_day not in ("*", "1-5"),
            "month": month_day != "*" and month == "*", "year": month != "*" and "," not in month,
            "quarter": "," in month}  # fmt: skip
    return not period or fits[period]


def _by_inside(
    items: Sequence[JsonObject], tokens: Tokens, lemmas: set[str]
) -> Generator[Call, Any, Reply | None]:
    content = [
        t for t in tokens if counts(t) and t.lemma not in _WHOLE and not t.among("questions.by_inside.which")
    ]
    found: list[JsonObject] = []
    wants_deadline = bool(lemmas & {"deadline", "deadlines", "timeout"})
    denied = bool(lemmas & {"no", "without"})
    if not wants_deadline and not content:
        return None
    for item in items[:_MOST_READ]:
        steps = (yield Call("get_workflow", {"workflow": item["id"]}))["workflow"]["steps"]
        if (wants_deadline and any(step.get("timeout") for step in steps) != denied) or (
            not wants_deadline
            and any(
                all(t.lower in (step.get("assignee") or "").casefold() for t in content) for step in steps
            )
        ):
            found.append(item)
    what = (
        ("without" if denied else "with") + " a deadline"
        if wants_deadline
        else f"with {' '.join(t.text for t in content)}"
    )
    if not found:
        return (
            Reply(f"None of the {len(items)} workflows is {what}.")
            if wants_deadline or len(content) == 1
            else None
        )
    return listing(found, len(found), f" {what}")
