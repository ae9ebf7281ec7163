"""The workflows there are: found, listed, shown, and told apart by what a question asks of them."""

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.lexicon import nearest, word_set
from workflow_agent.assistant.offline.patterns import Request, number_of, phrase_score, unquoted
from workflow_agent.assistant.offline.questions.reading import OF_ALL, OF_ONE, Asked, asked_of_all, is_of_all
from workflow_agent.assistant.offline.questions.steps import PROPERTIES, channel, channels_in, is_named
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, akin, content_of
from workflow_agent.assistant.offline.schedules import started_as, started_by
from workflow_agent.assistant.offline.skills.comparing import EVER, told_change
from workflow_agent.assistant.offline.skills.targets import (
    ask_which,
    bare_name,
    is_pronoun,
    listed_workflow,
    names_workflow,
    not_found,
    read_workflow,
    spoken,
    which_workflow,
)
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.focus import focus, last_touched, workflows_in_reply
from workflow_agent.assistant.offline.turn.outcome import Call, Candidate, Choice, JsonObject, Reply, Skill, Suggestion
from workflow_agent.assistant.offline.turn.reading import Turn, WorkflowRef
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import back_edges
from workflow_agent.assistant.offline.wording import (
    FENCES,
    clipped,
    counted,
    explain_text,
    joined,
    roles_of,
    show_text,
    told_step,
)
from workflow_agent.workflows.diagrams.graph import DIAGRAM_FORMATS
from workflow_agent.workflows.model.durations import duration_in_words, seconds_of
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_MOST_LISTED = 100
_DIAGRAMS = {"dot": "dot|graphviz", "svg": "svg"}
_ABOUT = re.compile(
    r"^(?:that|which|where|for|about|with|on|deals? with|handles?|has to do with|something to do with)\s+",
    re.IGNORECASE,
)
_MET = re.compile(
    r"(?<=\w) (?:of (?:these|those|them)|(?:that |which )?(?:we|i|you) (?:looked at|look at|had|saw|opened|showed|"
    r"started with|talked about)(?: first)?)$",
    re.IGNORECASE,
)
"""What says behind "the first one" that it is one of those spoken of."""
_MOST_WORDS = 8
_MOST_CLOSE = 3
_CLEARLY = 0.8
"""How probable the kind of a question must be for workflows to be told apart by what it asks for."""
_DENYING = ("no", "not", "without", "nobody", "never", "none")
_MOST_FILTERED = 200
"""Characters of a message that may ask for a list."""
_MOST_READ = 25
"""Workflows that one question reads; what it did not read it says."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a question asks of each workflow: of its line in the list, by a search, or of the whole of it."""

    label: str
    listed: Callable[[JsonObject], bool] | None = None
    search: JsonObject | None = None
    whole: Callable[[Workflow], bool] | None = None


_STARTS = {"all_scheduled": "clock", "all_time": "clock", "all_by_hand": "manual", "all_event": "event"}
_STARTING = ("start", "trigger", "event", "webhook", "workflow")
_ANY_SERVICE = ("service", "system", "tool", "software", "external", "any", "a", "no", "at", "all")
_SOUGHT = ("topic", "who", "service", "step")
"""Slots whose words are looked for."""


def is_about_all(turn: Turn, tokens: Tokens) -> bool:
    """Say whether a question is about the workflows there are, not about the one at hand."""
    said = tuple(token for token in tokens if token.kind != "punct")
    among_all = focus(turn) is None or len(workflows_in_reply(turn)) > 1
    sought = any(token.is_("find", "search", "look", "show", "open", "display", "explain") for token in said[:5])
    for at, token in enumerate(said):
        before = said[max(at - 2, 0) : at]
        if token.among("catalogue.workflows"):
            return True
        if token.among("catalogue.workflow") and any(one.among("catalogue.which") for one in before):
            return True
        after = said[at + 1] if at + 1 < len(said) else None
        of_them = token.is_("them", "these", "those") and at > 0 and said[at - 1].is_("of")
        one_that = token.is_("one", "ones", "any") and after is not None and after.among("catalogue.relative")
        if among_all and not sought and (of_them or one_that or token.lower == "ones"):
            return True
    runs = any(t.is_("run", "start", "begin") for t in said[1:6])
    if len(said) > 2 and said[0].is_("what", "which") and runs and started_by(said) is not None:
        return among_all or said[1].is_("run", "start")
    whole = any(t.is_("everything") for t in said[:5])
    return (whole or (among_all and not sought)) and is_of_all(said)


def is_filtered(turn: Turn, text: str) -> bool:
    """Say whether a message without a question is about the workflows that have something: "all tagged hr"."""
    tokens = read_tokens(text[:_MOST_FILTERED])
    return is_about_all(turn, tokens) and any(token.is_("tag", "tagged") for token in tokens)


def answer(tokens: Tokens, opened: str | None) -> Skill:
    """List the workflows that a question asks for; what of it is no filter is looked for in their words.

    Reading a workflow opens it: afterwards the one that was open is opened again, else the only one found.
    """
    result = yield Call("list_workflows", {"limit": _MOST_LISTED})
    items: list[JsonObject] = result["workflows"]
    way = asked_of_all(tokens)
    asked, rest = _filters(way, items)
    kind = way and way.kind
    denies = any(token.is_(*_DENYING) for token in tokens) or (way is not None and way.has("no"))
    lows = {word for token in tokens for word in (token.lower, token.lemma)}
    if lows & word_set("catalogue.change") and not lows & {"step", "steps"}:
        return (yield from _by_change())
    if kind in ("all_most_steps", "all_fewest_steps"):
        sign = -1 if kind == "all_most_steps" else 1
        top = min((sign * one["step_count"] for one in items), default=0)
        best = [one for one in items if sign * one["step_count"] == top]
        return listing(best, len(best), f" with the {'most' if sign < 0 else 'fewest'} steps")
    if tokens[0].is_("who") and any(t.is_("more", "several", "two") for t in tokens) and not rest:
        return (yield from _roles_shared(items, result["total"]))
    if kind in ("all_list", "all_count") and not asked and not rest:
        return listing(items, result["total"], "")
    if asked and way is not None and (narrowing := _narrowing(way, rest)):
        words = joined([f"“{token.text}”" for token in narrowing])
        plainer = " ".join(token.text for token in tokens if token not in narrowing)
        return Reply(f"I can't tell that with {words}. Shall I list those {asked[0].label}?", Suggestion(plainer))
    if not (asked or rest) or (denies and (len(asked) != 1 or rest)):
        return (yield from _closest([token.text for token in tokens if token.is_content], items))
    found, left, missing = yield from chosen_by(rest, items)
    if kind == "all_about":
        # "About ships": a workflow of that name or description, before those in which something is shipped.
        found = [one for one in found if _tells(one, rest)] or found
    if missing or (left and not found):
        return (yield from _closest([t.text for t in rest], items, [t.text for t in (missing or left)]))
    for one in asked:
        found = yield from _passing(one, found, denies=denies)
    if any(one.whole for one in asked) and (last := opened or (found[0]["id"] if len(found) == 1 else None)):
        yield Call("get_workflow", {"workflow": last})
    if not found and not denies and kind == "all_role" and way is not None:
        # "Where would a welder work": not by that name, but it may be told.
        asked, rest = [], [t for words in way.words("who") for t in words if t.is_content]
        found, left, missing = yield from chosen_by(rest, items)
        if missing:
            return (yield from _closest([t.text for t in rest], items, [t.text for t in missing]))
    about = [one.label for one in asked]
    if rest:
        used = joined([f"“{t.text}”" for t in rest if t not in left])
        about.append(f"that {'says' if len(found) == 1 else 'say'} {used}")
    which = f" not {joined(about)}".replace(" not with ", " without ") if denies else f" {joined(about)}"
    note = f"\n\nI did not use: {joined([f'“{t.text}”' for t in left])}." if left else ""
    if not found and rest:
        # Not all of it was surely meant: to deny it together would say too much.
        return (yield from _closest([t.text for t in rest], items))
    if not found:
        return Reply(f"None of the {counted(result['total'], 'workflow')} is one{which}.")
    reply = listing(found, len(found), which)
    unseen = result["total"] - len(items)
    return Reply(f"{reply.text}{note}" + (f"\n\nI looked at {len(items)} of {result['total']}." if unseen else ""))


def _narrowing(asked: Asked, rest: Sequence[Token]) -> list[Token]:
    """Return the words by which a question asks for fewer workflows than pass: "only by hand", "with three loops"."""
    timed = asked.kind in (*_STARTS, "all_tag") or bool(durations_in(asked.tokens))
    # "List only those with a loop" leaves none of them out.
    told = next((at for at, t in enumerate(asked.tokens) if t.among("catalogue.workflows")), 0)
    numbers = [t for t in asked.tokens if t.value is not None and t.value > 1 and t not in rest and not timed]
    return [*(t for t in asked.tokens[told:] if t.is_("only", "solely", "exclusively")), *numbers]


def _tells(item: JsonObject, words: Sequence[Token]) -> bool:
    """Say whether the name, the description, an alias or a tag of a workflow has all of some words."""
    said = [item["name"], item.get("description") or "", *item.get("aliases", ()), *item.get("tags", ())]
    own = [word for text in said for word in content_of(text)]
    return all(any(akin(word.lower, one) for one in own) for word in words)


def chosen_by(
    words: Sequence[Token], items: Sequence[JsonObject]
) -> Generator[Call, Any, tuple[list[JsonObject], list[Token], list[Token]]]:
    """Return the workflows that say all of some words, the verbs that none says, and the other words that none does."""
    found, left, missing = list(items), list[Token](), list[Token]()
    words = list({word.lower: word for word in words}.values())[:_MOST_WORDS]
    looks = [Call("search_workflows", {"query": word.text, "limit": _MOST_LISTED}) for word in words]
    for word, result in zip(words, (yield from _at_once(looks)), strict=True):
        ids = {hit["id"] for hit in result["hits"] if set(hit["strategies"]) - {"fuzzy", "meaning"}}
        if ids:
            found = [item for item in found if item["id"] in ids]
        else:
            (left if word.has("verb", "adv") and not word.has("noun", "name") else missing).append(word)
    return (found, left, missing) if len(left) < len(words) or not words else (found, [], left)


def described(phrase: str) -> Tokens | None:
    """Return how "the one that erases data" tells a workflow from others, or None for a name."""
    tokens = tuple(t for t in read_tokens(phrase[:300]) if t.kind != "punct")
    head = next((at for at, t in enumerate(tokens[:4]) if t.among("catalogue.head")), None)
    if head is None or head + 1 >= len(tokens) or any(not t.has("det", "wh") for t in tokens[:head]):
        return None
    return tokens[head + 1 :] if tokens[head + 1].among("catalogue.relative") else None


def matching(tokens: Tokens) -> Generator[Call, Any, list[WorkflowRef]]:
    """Return the workflows that pass every filter and say every word of a description."""
    items: list[JsonObject] = (yield Call("list_workflows", {"limit": _MOST_LISTED}))["workflows"]
    asked, rest = _filters(asked_of_all((*read_tokens("which workflow"), *tokens)), items)
    found, _, missing = yield from chosen_by(rest, items)
    found = found if (asked or rest) and not missing else []
    for one in asked:
        found = yield from _passing(one, found, denies=any(t.is_("no", "not", "without") for t in tokens))
    return [WorkflowRef(item["id"], item["name"]) for item in found]


def named_by(phrase: str) -> Generator[Call, Any, list[WorkflowRef]]:
    """Return the workflows that a phrase names by words of their names, mistyped ones too, or describes."""
    if (tokens := described(phrase)) is not None:
        return (yield from matching(tokens))
    items: list[JsonObject] = (yield Call("list_workflows", {"limit": _MOST_LISTED}))["workflows"]
    said = content_of(bare_name(phrase))
    words = [word for word in said if word not in word_set("catalogue.vague")] or said
    scored = [(_fit(words, [item["name"], *item.get("aliases", ())]), item) for item in items]
    best = max((score for score, _ in scored), default=0.0)
    if best == 0.0 and len(words) == 1:
        return [WorkflowRef(one["id"], one["name"]) for one in items if words[0] in (t.casefold() for t in one["tags"])]
    return [WorkflowRef(item["id"], item["name"]) for score, item in scored if score == best > 0.0]


def _fit(words: Sequence[str], names: Sequence[str]) -> float:
    """Return how much of one of some names words are, 0 where one of them is in none of it."""
    best = 0.0
    for name in names:
        own = content_of(name)
        mended = [word if any(akin(word, one) for one in own) else nearest(word, own) for word in words]
        if own and words and all(mended):
            best = max(best, len(set(mended)) / len(own))
    return best


def show_named(turn: Turn, phrase: str, verb: str, otherwise: Skill) -> Skill:
    """Show the one workflow that a message without an order names; ask where several fit, else do as before."""
    told = listed_workflow(turn, phrase) or by_turn(turn, phrase)
    if re.fullmatch(r"wf_[a-z0-9_-]{1,61}", phrase):
        told = WorkflowRef(phrase, phrase)
    found = [told] if told is not None else (yield from named_by(phrase))
    if not found:
        return (yield from otherwise)
    if len(found) > 1:
        return ask_which(turn, phrase.lower(), "Which one do you mean?", found)
    act = {"explain": explain, "draw": diagram}.get(verb, show)
    return (yield from act(turn, Request("show", {"workflow": found[0].id}, f"{verb} {found[0].id}")))


def by_turn(turn: Turn, phrase: str) -> WorkflowRef | None:
    """Return the workflow that "the first one" or "the previous one" of those spoken of means."""
    shown = [ref for past in turn.past if (ref := last_touched(past)) is not None]
    met = list({ref.id: ref for ref in shown}.values())
    words = [
        t.lower
        for t in read_tokens(_MET.sub("", phrase))
        if t.kind == "word" and t.lower != "one" and (t.lower == "other" or not t.has("det"))
    ]
    if len(met) < 2 or len(words) != 1:
        return None
    before = next(ref for ref in reversed(shown) if ref.id != shown[-1].id)
    meant = {"first": met[0], "previous": before, "former": before, "other": before if len(met) == 2 else None}
    return meant.get(words[0])


def _passing(one: Filter, items: list[JsonObject], *, denies: bool) -> Generator[Call, Any, list[JsonObject]]:
    if one.listed is not None:
        return [item for item in items if one.listed(item) != denies]
    if one.search is not None:
        hits = (yield Call("search_workflows", {**one.search, "limit": _MOST_LISTED}))["hits"]
        return [item for item in items if any(hit["id"] == item["id"] for hit in hits) != denies]
    read = yield from _read(items)
    return [item for item, workflow in read if one.whole is not None and one.whole(workflow) != denies]


def _read(items: Sequence[JsonObject]) -> Generator[Call, Any, list[tuple[JsonObject, Workflow]]]:
    """Read workflows whole, in one go."""
    read = yield from _at_once([Call("get_workflow", {"workflow": item["id"]}) for item in items[:_MOST_READ]])
    return [(item, parse_workflow(one["workflow"])) for item, one in zip(items, read, strict=False)]


def _at_once(calls: Sequence[Call]) -> Generator[Call, Any, list[JsonObject]]:
    """Return the results of calls that are made together."""
    results: list[JsonObject] = []
    for at, call in enumerate(calls, 1):
        results.append((yield replace(call, beside=tuple(calls[at:]))))
    return results


def _roles_shared(items: Sequence[JsonObject], total: int) -> Skill:
    where: dict[str, list[str]] = {}
    for item, workflow in (yield from _read(items)):
        for who in roles_of(workflow):
            where.setdefault(who, []).append(item["name"])
    lines = [f"- **{who}**: {joined(names)}" for who, names in where.items() if len(names) > 1]
    seen = f" of the {min(total, _MOST_READ)} workflows I looked at" if total > _MOST_READ else ""
    return Reply(f"In more than one{seen}:\n\n" + "\n".join(lines) if lines else f"No role is in more than one{seen}.")


def _closest(words: Sequence[str], items: Sequence[JsonObject], missing: Sequence[str] = ()) -> Skill:
    """Return what comes closest to words of which some are in no workflow."""
    result = yield Call("search_workflows", {"query": " ".join(words)[:300], "limit": 5})
    hits = result["hits"] or result["suggestions"]
    if not hits:
        return Reply(f"I can't tell that from the workflows: I did not understand {' '.join(words)!r}.")
    listed: dict[str, JsonObject] = {item["id"]: item for item in items}
    close = [listed[hit["id"]] for hit in hits if hit["id"] in listed][:_MOST_CLOSE]
    lines = "\n".join(f"{at}. {_listed(item)}" for at, item in enumerate(close, 1))
    which = f"{joined([f'“{one}”' for one in missing])} is in no workflow" if missing else "I did not understand that"
    return Reply(f"{which}. The closest are:\n\n{lines}")


def _filters(asked: Asked | None, items: Sequence[JsonObject]) -> tuple[list[Filter], list[Token]]:
    """Return what a question asks of each workflow, and the words that are looked for in them."""
    if asked is None:
        return [], []
    tokens = asked.tokens
    one = _filter(asked, items) if asked.likely > _CLEARLY or asked.kind == "all_role" else None
    filters = [one] if one is not None else []
    said = {token.start for words in asked.words(*_SOUGHT) for token in words}
    slots = {token.start for _, words in asked.slots for token in words}
    if said and not any(t.start in said and t.is_content for t in tokens):
        # "The till" is no time there.
        return filters, [t for t in tokens if t.start in said and not t.has("det")]
    # What may be no word of the question alone is looked for too: "which HR workflows have a loop?".
    rest = [t for t in tokens if t.start in said or (t.start not in slots | asked.plain and t.has("noun", "name"))]
    rest = [t for t in rest if counts(t) and t.is_content and not t.among("catalogue.said") and not t.is_(*_DENYING)]
    is_told = one is not None and asked.kind in (*_STARTS, "all_role")
    return filters, [] if is_told else rest


def _filter(asked: Asked, items: Sequence[JsonObject]) -> Filter | None:
    tokens, kind = asked.tokens, asked.kind
    spans = durations_in(tokens)
    if spans and kind in ("all_deadline", "all_wait", "of_length"):
        return _limited(tokens, spans[0][1].value)
    if kind == "all_messages" and (named := channels_in(tokens)):
        sends = f"sending by {joined(sorted(named))}"
        return Filter(sends, whole=lambda flow: any(channel(step) in named for step in flow.steps))
    if kind == "all_role" and (who := [t for words in asked.words("who") for t in words if t.is_content]):
        said = " ".join(t.text for t in who)
        return Filter(f"with work for “{said}”", whole=lambda flow: any(_is_for(step, who) for step in flow.steps))
    if kind == "all_service" and all(t.is_(*_ANY_SERVICE) for words in asked.words("service") for t in words):
        return Filter("with a service", whole=lambda one: any(s.uses for s in one.steps))
    if kind == "all_error":
        return Filter("with a way for errors", whole=lambda one: any(e.type == "error" for e in one.transitions))
    if kind == "all_loop":
        return Filter(
            "with a loop", whole=lambda one: bool(back_edges(one)) or any(s.type == "loop" for s in one.steps)
        )
    if kind == "all_parallel":
        return Filter("with parallel branches", search={"step_type": "fork"})
    if kind == "all_tag":
        names = {t.lower for words in asked.words("tag") for t in words if t.kind in ("word", "quoted")}
        names = names or {t.lower for t in tokens[-2:] if t.kind == "word"}
        told = f"tagged {' or '.join(sorted(names))!r}"
        return Filter(told, lambda item: bool(names & {tag.casefold() for tag in item["tags"]}))
    if kind in _STARTS:
        return _starting(asked, items)
    own = PROPERTIES.get(OF_ALL.get(kind, "with_deadline" if kind in OF_ONE else ""))
    if own is None:
        return None
    return Filter(own.label, whole=lambda flow: any(own.holds(flow, step) for step in flow.steps))


def _is_for(step: Step, who: Sequence[Token]) -> bool:
    """Say whether somebody does a step, or is asked when it is late; all words must be of who that is."""
    return any(is_named(one, who) for one in (step.assignee, step.escalate_to) if one)


def _starting(asked: Asked, items: Sequence[JsonObject]) -> Filter:
    """Return the filter by what starts a workflow: a time, a clock, somebody, or an event of the name that is said."""
    nouns = [t.lower for t in asked.tokens if t.is_content and t.has("noun", "name") and not t.is_(*_STARTING)]
    words = [word for word in nouns if any(_is_started_by([word], item["triggers"]) for item in items)]
    if asked.kind == "all_event" and words:
        return Filter(f"started by {joined(words)}", lambda item: _is_started_by(words, item["triggers"]))
    found = started_by(asked.tokens) or started_as(_STARTS[asked.kind])
    return Filter(found.label, lambda item: found.passes(item["triggers"]))


def _is_started_by(words: Sequence[str], triggers: Sequence[str]) -> bool:
    """Say whether one trigger has all of some words: "on email.invoice_received"."""
    said = ([part for part in re.split(r"[^a-z0-9]+", one.lower()) if part] for one in triggers)
    return any(all(any(akin(word, part) for part in parts) for word in words) for parts in said)


def _limited(tokens: Tokens, length: str) -> Filter:
    """Return the filter by a deadline or a wait over, under or of a length."""
    less = any(token.is_("less", "under", "below", "shorter") for token in tokens)
    more = any(token.is_("more", "over", "above", "longer") for token in tokens)
    limit = seconds_of(length)

    def passes(one: Workflow) -> bool:
        lengths = [seconds_of(text) for s in one.steps for text in (s.timeout, s.duration) if text]
        return any(each < limit if less else each > limit if more else each == limit for each in lengths)

    of = "under" if less else "over" if more else "of"
    return Filter(f"with a deadline or wait {of} {duration_in_words(length)}", whole=passes)


def _by_change() -> Skill:
    changes: list[JsonObject] = (yield Call("list_changes", {"since": EVER, "limit": 100}))["changes"]
    latest: dict[str, JsonObject] = {}
    for change in changes:
        latest.setdefault(change["workflow"]["id"], change)
    if not latest:
        return Reply("Nothing was changed yet.")
    lines = "\n".join(told_change(one) for one in list(latest.values())[:10])
    return Reply(f"Last changed, newest first:\n\n{lines}")


# ---- finding and showing


def find(_turn: Turn, request: Request) -> Skill:
    """Search by what somebody remembers of a workflow."""
    said = unquoted(_ABOUT.sub("", request.slots.get("query", request.text)))[:300]
    query = bare_name(said) or said
    result = yield Call("search_workflows", {"query": query, "limit": 5})
    hits: list[JsonObject] = result["hits"]
    if not hits:
        return not_found(query, result.get("suggestions") or [])
    if len(hits) == 1:
        return Reply(f"That would be {_hit(hits[0])}\n\nShall I open it?", Suggestion(f"show {hits[0]['id']}"))
    lines = "\n".join(f"{at}. {_hit(hit)}" for at, hit in enumerate(hits, 1))
    candidates = tuple(Candidate(hit["id"], hit["name"]) for hit in hits)
    text = f"These fit {query!r}, best first:\n\n{lines}\n\nWhich one shall I open?"
    return Reply(text, Choice("show that one", "that one", candidates))


def _hit(hit: JsonObject) -> str:
    about = f": {clipped(hit['description'], 160)}" if hit.get("description") else ""
    return f"**{hit['name']}** (`{hit['id']}`){about}"


def list_all(_turn: Turn, _request: Request) -> Skill:
    """List every workflow, and say how many there are."""
    result = yield Call("list_workflows", {"limit": _MOST_LISTED})
    return listing(result["workflows"], result["total"], "")


def listing(items: Sequence[JsonObject], total: int, which: str) -> Reply:
    """Return a list of workflows, with what they have in common said in front."""
    if not items:
        return Reply(f"There are no workflows{which}{' yet. Describe one and I will build it' if not which else ''}.")
    verb = "is" if total == 1 else "are"
    more = f"\n\n… and {total - len(items)} more." if total > len(items) else ""
    lines = "\n".join(f"{at}. {_listed(item)}" for at, item in enumerate(items, 1))
    return Reply(f"There {verb} {counted(total, 'workflow')}{which}:\n\n{lines}{more}")


def _listed(item: JsonObject) -> str:
    facts = [counted(item["step_count"], "step")] if "step_count" in item else []
    facts += [joined(item["triggers"])] if item.get("triggers") else []
    about = f" {clipped(item['description'], 120)}" if item.get("description") else ""
    return f"**{item['name']}** (`{item['id']}`): {', '.join(facts)}.{about}"


def show(turn: Turn, request: Request) -> Skill:
    """Show a workflow's outline, of a version where one is named; or a step of the one at hand."""
    version = number_of(request.slots["n"]) if request.kind == "show_version" else None
    if version is None and (about := (yield from _step_at_hand(turn, request))) is not None:
        return about
    phrase = request.slots.get("workflow")
    settled = phrase is None or phrase.lower() in turn.chosen or listed_workflow(turn, phrase) is not None
    if phrase is not None and not settled and (tokens := described(phrase)) is not None:
        found = yield from matching(tokens)
        if len(found) > 1:
            return ask_which(turn, phrase.lower(), f"Several workflows fit {phrase!r}. Which one do you mean?", found)
        phrase = found[0].id if found else phrase
    elif phrase is not None and not settled and (told := by_turn(turn, phrase)) is not None:
        phrase = told.id
    return Reply(show_text((yield from read_workflow(turn, phrase, version))))


def explain(turn: Turn, request: Request) -> Skill:
    """Walk through a workflow in plain words."""
    if (about := (yield from _step_at_hand(turn, request))) is not None:
        return about
    phrase = request.slots.get("workflow") or "it"
    if not turn.past and focus(turn) is None and is_pronoun(phrase) and bare_name(phrase) in ("", *PRONOUNS):
        return Reply(spoken()["help"])
    return Reply(explain_text((yield from read_workflow(turn, request.slots.get("workflow")))))


def _step_at_hand(turn: Turn, request: Request) -> Generator[Call, Any, Reply | None]:
    """Return what is known of a step that the phrase names in the workflow at hand, or None."""
    phrase = request.slots.get("workflow")
    if phrase is None or is_pronoun(phrase) or names_workflow(turn, phrase) or focus(turn) is None:
        return None
    workflow = yield from read_workflow(turn, None)
    steps = Steps(workflow, turn.chosen)
    tokens = read_tokens(phrase)
    step = steps.maybe(tokens)
    if step is None or (not steps.is_named(tokens) and phrase_score(phrase, [workflow.name, *workflow.aliases]) > 0):
        return None
    return Reply(told_step(workflow, step))


def diagram(turn: Turn, request: Request) -> Skill:
    """Draw a workflow."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    words = request.text.lower()
    wanted = next((kind for kind, said in _DIAGRAMS.items() if re.search(rf"\b(?:{said})\b", words)), None)
    known = wanted if wanted in DIAGRAM_FORMATS else None
    result = yield Call("draw_diagram", {"workflow": ref.id, **({"format": known} if known else {})})
    name, kind = result["workflow"]["name"], result["format"]
    drawn = "a Mermaid flowchart" if kind == "mermaid" else kind.upper()
    instead = f"I cannot draw {wanted.upper()} here. " if wanted and not known else ""
    block = f"```{FENCES.get(kind, kind)}\n{result['diagram'].strip()}\n```"
    return Reply(f"{instead}Here is **{name}** as {drawn}:\n\n{block}")
