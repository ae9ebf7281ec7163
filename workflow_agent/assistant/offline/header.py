"""The frames of names and of the header: rename, tag, alias, description, and what starts the workflow."""

import itertools
import re
from collections.abc import Iterator, Sequence

from workflow_agent.assistant.offline.clauses import counts, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.people import is_somebody
from workflow_agent.assistant.offline.plan import WHOLE, Clause, NotRead, Plan, titled
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.spans import Span, spans_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import Found, clock_at, duration_at, schedule_at
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.triggers import ScheduleTrigger

_LABELS = word_set("frame.labels")
_NAMES = frozenset({"wname", "old"})
_MARKS = ("->", ":", "=")
_TRAIL = ("instead", "please", "now", "on", "from", "thanks", "too", "rename", "again", "name", "new", "then")
_MOST_NAME_WORDS = 9


def read_label(plan: Plan, clause: Clause) -> Tokens:
    """Add or take away tags and aliases; return the words that are not used.

    Raises:
        NotRead: It is about neither.
    """
    spans = spans_of(clause.tokens, _LABELS)
    cues = [at for at, span in enumerate(spans) if span.kind in ("tag", "untag", "alias")]
    if not cues and "remove" in clause.verbs:
        return _remove_label(plan, clause)
    if not cues or any(span.kind == "describe" for span in spans):
        raise NotRead
    kind = "tag" if spans[cues[0]].kind != "alias" else "alias"
    takes = clause.unneeded or clause.negated or spans[cues[0]].kind == "untag"
    takes = takes or any(span.kind in ("remove", "clear", "gone", "neg") for span in spans)
    own = list(plan.workflow.tags if kind == "tag" else plan.workflow.aliases)
    said = f" {' '.join(t.text for t in clause.tokens).casefold()} "
    values = [one for one in own if f" {one.casefold()} " in said] if takes else _labels_in(plan, spans, cues[0])
    own_words = {word for one in values for word in content_of(one)}
    left = [
        t
        for span in spans
        if span.kind in ("word", "number")
        for t in span.tokens
        if counts(t) and t.lower not in own_words
    ]
    if (
        takes
        and values
        and any(t.kind != "quoted" and not t.among("header.label_around") and t.lemma not in WHOLE for t in left)
    ):
        raise NotRead
    values = values or _labels_in(plan, spans, cues[0])
    if (
        not takes
        and any(t.lower in ("is", "are") for t in clause.tokens)
        and any(one.casefold() in said for one in own)
    ):
        # "The tag weekly is wrong" adds none.
        raise NotRead
    if takes and any(t.is_("add", "put", "rename") for t in clause.tokens):
        raise NotRead
    if not values or (not takes and any(len(one.split()) > 6 for one in values)):
        raise NotRead
    known = {one.casefold(): one for one in own}
    if takes and not all(one.casefold() in known for one in values):
        raise NotRead(f"there is no {kind} {values[0]!r}")
    op = {("tag", True): "untag", ("tag", False): "tag", ("alias", True): "remove_alias", ("alias", False): "add_alias"}
    plan.do(*({"op": op[kind, takes], kind: known.get(one.casefold(), one)} for one in values))
    return ()


def _remove_label(plan: Plan, clause: Clause) -> Tokens:
    """Take away the tag or alias that "remove marketing" names, where no step is called so."""
    words = [t for t in clause.tokens[1:] if counts(t)]
    said = " ".join(t.text for t in words).casefold()
    edits: list[JsonObject] = [{"op": "untag", "tag": one} for one in plan.workflow.tags if one.casefold() == said]
    edits += [{"op": "remove_alias", "alias": one} for one in plan.workflow.aliases if one.casefold() == said]
    if not edits or plan.fits(words, valued=False):
        raise NotRead
    plan.do(*edits)
    return ()


def _labels_in(plan: Plan, spans: Sequence[Span], cue: int) -> list[str]:
    """Return the tags or names that stand behind a cue, else in front of it."""
    behind = _plain_words(spans[cue + 1 :])
    before = _plain_words(spans[:cue])
    words = behind if any(t.is_content for t in behind) else before
    verbs = (
        [one for name in ("verbs.tsv", "undo.tsv") for one in phrase_at(words, 0, name)[1]] if len(words) == 1 else []
    )
    if words is before and verbs:
        # "Move the tag" and "revert the tag" name none.
        return []
    if quoted := [t for t in (*before, *behind) if t.kind == "quoted"]:
        others = [
            t for t in (*before, *behind) if counts(t) and t.kind != "quoted" and not t.among("header.label_around")
        ]
        return [t.text for t in quoted] if all(t.lemma in WHOLE for t in others) else []
    if any(counts(t) and not t.among("header.label_around") for t in (before if words is behind else behind)):
        mine = content_of(plan.workflow.name)
        left = [t for t in (before if words is behind else behind) if counts(t) and not t.among("header.label_around")]
        if not all(t.lemma in WHOLE or any(akin(t.lower, one) for one in mine) for t in left):
            return []
    if len(words) > 1 and words[0].has("det") and any(span.kind == "arrow" for span in spans):
        # "Alias: the build" is told with its article.
        return [plan.said(words)]
    return [" ".join(t.text for t in part) for part in _parts(words) if part]


def _plain_words(spans: Sequence[Span]) -> Tokens:
    cues = ("set", "to", "for", "remove", "clear", "gone", "neg", "arrow", "mark", "tag", "alias")
    words: list[Token] = []
    before = ""
    for span in spans:
        # "They call it pay run."
        named = span.kind == "set" and before == "word" and span.tokens[0].has("noun")
        words += span.tokens if span.kind not in cues or named else ()
        before = span.kind
    while words and (
        words[0].among("header.label_around") or words[0].has("aux", "filler", "pron") or words[0].text == ","
    ):
        words.pop(0)
    while (
        words
        and words[-1].kind == "word"
        and (
            words[-1].has("aux", "filler", "part", "prep", "pron", "det")
            or words[-1].is_("now", "label")
            or words[-1].lemma in WHOLE
        )
    ):
        words.pop()
    while len(words) > 2 and words[0].has("det") and words[1].lemma in WHOLE:
        del words[:2]
    while len(words) > 1 and words[0].lemma in WHOLE and words[0].kind == "word" and not words[0].text[:1].isupper():
        words.pop(0)
    if words and words[0].has("det") and not words[0].is_("the"):
        words.pop(0)
    return tuple(words)


def _parts(words: Tokens) -> Iterator[Tokens]:
    part: list[Token] = []
    for token in words:
        if token.text == "," or token.is_("and", "&"):
            yield tuple(part)
            part = []
        elif not token.has("det"):
            part.append(token)
    yield tuple(part)


def read_description(plan: Plan, clause: Clause) -> Tokens:
    """Set the description of the workflow, or of a step; return the words that are not used.

    Raises:
        NotRead: It is about no description.
    """
    tokens = clause.tokens
    spans = spans_of(tokens, frozenset({"describe", "remove", "clear"}))
    at = next((at for at, span in enumerate(spans) if span.kind == "describe"), None)
    if at is None or at > 5:
        raise NotRead
    named = [t for span in spans[: at + 1] for t in span.tokens if not t.has("det")]
    if len(named) > 1 and plan.maybe(named) is not None:
        # "Show notes: 24 hours" is about the step of that name.
        raise NotRead
    if any(span.kind in ("remove", "clear") for span in spans) or clause.unneeded:
        plan.do({"op": "set_description", "description": ""})
        return ()
    flat = [t for span in spans[at + 1 :] for t in span.tokens]
    mark = next((i for i, t in enumerate(flat) if t.kind == "quoted" or t.text in _MARKS), 0)
    if flat and mark > 1 and flat[0].is_("to", "at", "on", "for") and plan.maybe(flat[1:mark]) is not None:
        # "Add a note to the review: ..." is one about the review.
        flat = flat[1:]
    cut = next(
        (
            i
            for i, t in enumerate(flat)
            if t.kind == "quoted" or t.text in _MARKS or t.is_("to", "as", "be", "read", "say", "with", "should")
        ),
        None,
    )
    if cut is None:
        raise NotRead
    about = [
        t
        for t in (*(t for span in spans[:at] for t in span.tokens), *flat[:cut])
        if counts(t) and not t.is_("give", "change", "set", "add", "update", "write")
    ]
    while (
        cut < len(flat)
        and flat[cut].kind != "quoted"
        and (flat[cut].text in _MARKS or flat[cut].is_("to", "as", "be", "read", "say", "with", "should", "follow"))
    ):
        cut += 1
    if cut >= len(flat):
        raise NotRead
    if flat[cut].kind == "quoted" and cut < len(flat) - 1:
        raise NotRead
    text = flat[cut].text if flat[cut].kind == "quoted" else plan.text[flat[cut].start : flat[-1].end]
    mine = content_of(plan.workflow.name)
    if all(t.lemma in WHOLE or any(akin(t.lower, one) for one in mine) or t.lower in PRONOUNS for t in about):
        plan.do({"op": "set_description", "description": text})
        return ()
    plan.do({"op": "update_step", "step": plan.step(about).id, "set": {"description": text}})
    return ()


def read_name(plan: Plan, clause: Clause) -> Tokens:
    """Rename a step or the workflow; return the words that are not used.

    Raises:
        NotRead: It renames nothing.
        StepUnclear: What it renames is no step, or may be several.
    """
    spans = spans_of(plan.named(clause.tokens, exactly=True), _NAMES)
    cues = {at for at, span in enumerate(spans) if span.kind == "wname" and _is_naming(spans, at)}
    into = any(t.is_("into") for t in clause.tokens)
    quoted = clause.tokens[-1].kind == "quoted" and any(t.is_("to") for t in clause.tokens)
    turns = bool(clause.verbs & {"set", "make"}) and (into or quoted)
    if not cues and not turns and not any(t.text == "->" for t in clause.tokens):
        raise NotRead
    if any(t.has("neg") for t in clause.tokens) and not any(t.kind == "quoted" for t in clause.tokens):
        raise NotRead
    if clause.tokens[0].kind == "quoted" and plan.ways_in_case(clause.tokens[0].text):
        # "“Confirmed” should read “approved”" is about a condition.
        raise NotRead
    reads = any(span.kind == "wname" and span.tokens[-1].is_("read") for span in spans)
    unclear: StepUnclear | None = None
    for left, new in _old_and_new(plan, spans, cues):
        if reads and not (plan.steps.is_named(left) and new and new[0].text[:1].isupper()):
            # "Everybody must read the contract" names nothing.
            continue
        name = _name_in(plan, new)
        if any(t.is_("before", "after", "between") and t.kind == "word" for t in left):
            continue
        if name is None or (not cues and _is_value(plan, new)):
            continue
        try:
            target = _target(plan, left, is_alone=not cues and not turns)
        except StepUnclear as none:
            unclear = unclear or none
            continue
        except NotRead:
            continue
        if target is None:
            plan.do({"op": "rename_workflow", "name": name})
            return ()
        if target.name != name and (cues or turns or any(t.kind == "quoted" for t in new) or plan.maybe(new) is None):
            plan.do({"op": "rename_step", "step": target.id, "name": name})
            plan.steps.last = target.id
            return ()
    if unclear is not None and any(t.is_("rename", "retitle", "relabel") for t in clause.tokens):
        raise unclear
    raise NotRead


def _is_value(plan: Plan, new: Tokens) -> bool:
    return not any(t.kind == "quoted" for t in new) and (
        is_somebody(plan.workflow, new) or any(t.value is not None for t in new)
    )


def _target(plan: Plan, left: Tokens, *, is_alone: bool) -> Step | None:
    """Return the step that is renamed, None for the workflow.

    Raises:
        NotRead: Neither is named.
        StepUnclear: Which step is not clear.
    """
    content = [
        t
        for t in left
        if counts(t) and t.lower not in PRONOUNS and not t.is_("change", "set", "give", "use", "say", "step")
    ]
    said = " ".join(t.lower for t in content)
    points = any(t.lower in PRONOUNS for t in left)
    whole = any(t.lemma in WHOLE or t.is_("whole", "thing") for t in left)
    own = plan.workflow.name.casefold()
    mine = said == own or (whole and {t.lower for t in content} <= {*own.split(), *WHOLE, "whole", "thing"})
    if mine or (not content and not is_alone and (whole or plan.steps.last is None or not (points or left))):
        return None
    if not content:
        return plan.spoken_of(is_pointed=points)[0]
    if is_alone and said in {(s.assignee or "").replace("_", " ") for s in plan.workflow.steps}:
        raise NotRead
    return plan.step(content)


def _is_naming(spans: Sequence[Span], at: int) -> bool:
    """Say whether "call" or "name" speak of a name, not of a phone call or of naming a buddy."""
    token = spans[at].tokens[0]
    before = spans[at - 1].tokens[-1] if at else None
    following = spans[at + 1].tokens[0] if at + 1 < len(spans) else None
    if following is not None and following.is_("by") and token.lower in ("called", "named"):
        return False
    if before is not None and before.is_("to", "into", "->") and any(s.kind == "wname" for s in spans[:at]):
        # "Rename it to Call the manager".
        return False
    if len(spans[at].tokens) > 1 or token.is_("rename", "retitle", "relabel", "title"):
        return True
    if token.lower in ("called", "named"):
        return before is not None and (
            before.has("aux", "adv", "det", "conj", "part") or before.kind == "quoted" or before.is_("now", "be", "not")
        )
    if token.is_("name") and before is not None and before.has("det") and spans[0].tokens[0].is_("give", "assign"):
        # "Give it the name X".
        return True
    if token.is_("name") and (
        following is None or following.text in _MARKS or following.is_("of", "is", "to", "for", "should")
    ):
        return True
    if following is None or following.is_("a", "an"):
        return False
    return before is None or before.has("aux", "pron", "adv", "part", "conj", "filler") or before.kind == "punct"


def _old_and_new(plan: Plan, spans: Sequence[Span], cues: set[int]) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield the ways to read what is named and its new name."""
    flat = [(at in cues, t) for at, span in enumerate(spans) for t in span.tokens]
    last_cue = max((i for i, (cue, _) in enumerate(flat) if cue), default=-1)
    first_cue = next((i for i, (cue, _) in enumerate(flat) if cue), 0)
    plain = [t for cue, t in flat if not cue]
    for i in range(max(first_cue, 1), len(flat) - 1):
        cue, token = flat[i]
        if not cue and (token.text in _MARKS or token.is_("to", "into", "as", "is", "be", "should", "shall", "in")):
            yield tuple(t for c, t in flat[:i] if not c), tuple(t for c, t in flat[i + 1 :] if not c)
    if first_cue > 0 and last_cue < len(flat) - 1:
        yield tuple(t for c, t in flat[:first_cue] if not c), tuple(t for _, t in flat[last_cue + 1 :])
    for size in range(min(len(plain) - 1, _MOST_NAME_WORDS), 0, -1):
        head, rest = tuple(plain[:size]), tuple(plain[size:])
        if head[0].lower in PRONOUNS and any(map(counts, head)):
            # "Call it Pay bills", where a step is called "Pay".
            continue
        points = all(not counts(t) or t.lower in PRONOUNS or t.lemma in WHOLE for t in head)
        points = points and any(t.lower in PRONOUNS or t.lemma in WHOLE for t in head)
        if (
            (points and not (head[-1].has("det") and head[-1].lower not in PRONOUNS))
            or plan.steps.is_named(head)
            or (rest[0].kind == "quoted" and plan.maybe(head))
            or head[-1].kind == "quoted"
        ):
            yield head, rest
    if cues and plain and (plain[0].is_("to", "into", "as") or plain[0].text in _MARKS or plain[0].kind == "quoted"):
        yield (), tuple(plain)


def _name_in(plan: Plan, tokens: Tokens) -> str | None:
    """Return the name that words are, or None."""
    words = [t for t in tokens if t.kind != "punct" or t.text in "'/&-+%"]
    while words and words[-1].kind == "word" and words[-1].lower in _TRAIL:
        words.pop()
    while (
        words
        and words[0].kind == "word"
        and (words[0].has("aux") or words[0].is_("to", "now", "something", "like", "be"))
    ):
        words.pop(0)
    if len(words) > 1 and words[0].lower in PRONOUNS and words[1].kind == "quoted":
        words.pop(0)
    if not words or (words[0].is_("a", "an", "this", "that", "of", "for") and words[0].kind == "word"):
        return None
    quoted = [t for t in words if t.kind == "quoted"]
    inner = [t for t in tokens[:-1] if t.text in (",", ";", ".", ":", "->", "=") and t.kind == "punct"]
    if len(words) > _MOST_NAME_WORDS or inner or (quoted and len(words) > 1):
        return None
    if any(t.has("name") and "." in t.text.strip(".") for t in words):
        # "It should call sms.send" names nothing.
        return None
    if words[0].kind != "quoted" and duration_at(words, int(words[0].has("prep"))) is not None:
        # "Call leads within an hour" names nothing.
        return None
    for token, following in itertools.pairwise(words):
        if token.is_("instead", "not", "because", "if"):
            return None
        starts = following.lower in PRONOUNS or following.has("det") or phrase_at((following,), 0, "verbs.tsv")[1]
        if token.is_("and", "then", "but") and starts:
            return None
    return quoted[0].text if quoted else titled(plan.text[words[0].start : words[-1].end])


_TRIGGERS = word_set("frame.triggers")
_ALSO = re.compile(r"\b(?:also|too|additionally|another|as well)\b", re.IGNORECASE)


def read_trigger(plan: Plan, clause: Clause) -> Tokens:
    """Add, replace or take away what starts the workflow; return the words that are not used.

    Raises:
        NotRead: It is about nothing that starts it.
    """
    spans = spans_of(clause.tokens, _TRIGGERS)
    cut = next((at for at, span in enumerate(spans) if span.kind == "old"), len(spans))
    flat = tuple(t for span in spans[:cut] for t in span.tokens)
    old = tuple(t for span in spans[cut + 1 :] for t in span.tokens) if cut < len(spans) else None
    kinds = {span.kind for span in spans[:cut]}
    takes = clause.unneeded or clause.negated or bool(kinds & {"remove", "clear", "gone", "neg"})
    used = {t.start for span in spans if span.kind in _TRIGGERS for t in span.tokens}
    if len(flat) > 2 and "base" in flat[0].entry.form and flat[1].lower in PRONOUNS:
        # "Send it on the 15th", "send it out at 7".
        used.add(flat[0].start)
        kinds |= {"start"} if plan.steps.last is None and any(t.is_("at") for t in flat) else set()
    trigger = _trigger(plan, flat, kinds, used, takes=takes)
    if takes:
        plan.do(_without_trigger(plan, flat, used, trigger, kinds))
        return ()
    if trigger is None or _unplaced(plan, flat, used):
        raise NotRead
    known = [(at, one) for at, one in enumerate(plan.workflow.triggers) if isinstance(one, ScheduleTrigger)]
    # Of the whole message, since "as well" behind a clause is taken off it.
    also = _ALSO.search(plan.text) is not None
    if trigger["type"] != "schedule" or not known or also:
        if old is not None:
            raise NotRead
        plan.do({"op": "add_trigger", "trigger": trigger})
        return ()
    index, before = known[0]
    said = {f"{t.value:g}" for t in old or () if t.value is not None and t.value == int(t.value)}
    if len(known) > 1 or not said <= set(re.findall(r"\d+", before.cron or before.every or "")):
        raise NotRead
    if trigger.get("cron") and before.cron:
        timed = any(clock_at(flat, at) for at in range(len(flat))) or any(t.is_("at") for t in flat)
        parts = str(trigger["cron"]).split()
        cron = " ".join(parts if timed else [*before.cron.split()[:2], *parts[2:]])
        trigger = {**trigger, "cron": cron, "timezone": before.timezone or "UTC"}
    if old is None and any(t.is_("add", "trigger") for t in flat):
        plan.notes = [*plan.notes, "a schedule is there already, which this would replace"]
    plan.do({"op": "remove_trigger", "index": index}, {"op": "add_trigger", "trigger": trigger})
    return ()


def _trigger(plan: Plan, flat: Tokens, kinds: set[str], used: set[int], *, takes: bool) -> JsonObject | None:
    """Return the trigger that words tell, having noted which tell it."""
    if (found := next((f for at in range(len(flat)) if (f := schedule_at(flat, at))), None)) is not None:
        first = next(at for at in range(len(flat)) if schedule_at(flat, at) is not None)
        used |= {t.start for t in flat[first : found.end]}
        return _same_time(plan, flat, found)
    event = next((t for t in flat if t.has("name") and "." in t.text and t.kind == "word"), None)
    quoted = next((t for t in flat if t.kind == "quoted"), None)
    if "webhook" in kinds:
        return _webhook(plan, flat, used)
    if "manual" in kinds and ("start" in kinds or takes):
        return {"type": "manual"}
    if (said := event or (quoted if "event" in kinds else None)) and ("start" in kinds or "event" in kinds):
        used.add(said.start)
        return {"type": "event", "event": said.text}
    if "start" not in kinds or takes:
        return None
    return _other_time(plan, flat, used) or _occasion(flat, used)


def _same_time(plan: Plan, flat: Tokens, found: Found[JsonObject]) -> JsonObject:
    """Return a schedule at the hour that the one there is has, where the words say so."""
    known = [one for one in plan.workflow.triggers if isinstance(one, ScheduleTrigger) and one.cron]
    if not any(t.is_("same") for t in flat) or len(known) != 1 or not found.value.get("cron"):
        return found.value
    return {**found.value, "cron": " ".join([*(known[0].cron or "").split()[:2], *found.value["cron"].split()[2:]])}


def _webhook(plan: Plan, flat: Tokens, used: set[int]) -> JsonObject:
    path = next((i for i, t in enumerate(flat) if t.text == "/"), None)
    if path is None:
        return {"type": "webhook"}
    end = path
    while end < len(flat) and (end == path or flat[end].start == flat[end - 1].end):
        end += 1
    used |= {t.start for t in flat[path:end]}
    return {"type": "webhook", "path": plan.text[flat[path].start : flat[end - 1].end]}


def _other_time(plan: Plan, flat: Tokens, used: set[int]) -> JsonObject | None:
    """Return the only schedule there is, at another time of day."""
    at = next((i for i in range(len(flat)) if flat[i].value is not None), None)
    known = [one for one in plan.workflow.triggers if isinstance(one, ScheduleTrigger)]
    if at is None or len(known) != 1 or known[0].cron is None:
        return None
    clock = clock_at(flat, at)
    hour = flat[at].value or 0
    if clock is None and not (at and flat[at - 1].is_("at") and hour < 24):
        return None
    told = clock.value if clock else (int(hour), 0)
    used |= {t.start for t in flat[at : clock.end if clock else at + 1]}
    document = known[0].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {**document, "type": "schedule", "cron": " ".join([str(told[1]), str(told[0]), *known[0].cron.split()[2:]])}


def _occasion(flat: Tokens, used: set[int]) -> JsonObject | None:
    """Return the event that "when a pull request is opened" tells."""
    at = next((i for i, t in enumerate(flat) if t.is_("when", "whenever", "if", "once", "upon", "on")
               or (t.lower == "every" and flat[min(i + 1, len(flat) - 1)].is_("time"))), None)  # fmt: skip
    if at is None:
        return None
    behind = [t for t in flat[at + 1 :] if t.is_content and not t.is_("time", "soon")]
    if (
        not 0 < len(behind) <= 4
        or any(t.value is not None for t in behind)
        or any(t.kind == "punct" for t in flat[at + 1 :])
    ):
        return None
    used |= {t.start for t in flat[at:]}
    return {"type": "event", "event": "_".join(t.lower if t.entry.form == "ed" else t.lemma for t in behind)}


def _unplaced(plan: Plan, tokens: Tokens, used: set[int]) -> list[Token]:
    """Return the words that are no part of a trigger, nor of the workflow's own name."""
    own = [word for one in (plan.workflow.name, *plan.workflow.aliases) for word in content_of(one)]
    return [
        t
        for t in tokens
        if counts(t)
        and t.start not in used
        and not t.among("header.trigger_around")
        and t.lemma not in WHOLE
        and t.lower not in PRONOUNS
        and not any(akin(t.lower, one) for one in own)
    ]


def _without_trigger(
    plan: Plan, tokens: Tokens, used: set[int], trigger: JsonObject | None, kinds: set[str]
) -> JsonObject:
    """Return the edit that takes away the one trigger that words mean."""
    timed = "schedule" in kinds or any(t.is_("schedule", "timer") for t in tokens)
    kind = str(trigger["type"]) if trigger else "schedule" if timed else ""
    if not kind and "start" not in kinds:
        raise NotRead
    fitting = [at for at, one in enumerate(plan.workflow.triggers) if not kind or one.type == kind]
    left = [t for t in _unplaced(plan, tokens, used) if not t.has("neg") and not t.among("header.gone")]
    named = [at for at in fitting if all(t.lower in str(plan.workflow.triggers[at].model_dump()).lower() for t in left)]
    if len(named) != 1:
        raise NotRead
    return {"op": "remove_trigger", "index": named[0]}
