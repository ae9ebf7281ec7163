"""The frames of order: what goes, trades places, runs at the same time or in turn, becomes one or several steps."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workflow_agent.assistant.offline.clauses import counts, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.people import is_somebody, may_be_somebody, written
from workflow_agent.assistant.offline.placing import Place, branch_of, insert_on, move_steps
from workflow_agent.assistant.offline.plan import Asked, Clause, NotRead, Plan, listed, titled
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of, families
from workflow_agent.assistant.offline.spans import Span, cue_at, runs_of, spans_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.wording import in_walking_order
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_CUES = word_set("frame.shape")


def read_shape(plan: Plan, clause: Clause) -> Tokens:
    """Make the edits of a clause about the order of steps; return the words that are not used.

    Raises:
        NotRead: It is about something else, or the workflow does not allow it; then the text says why.
        StepUnclear: It is one, but its words may mean several steps, or none.
    """
    tokens = clause.tokens
    first, more = tokens[0], tokens[3:]
    if first.is_("let", "make", "have") and first.kind == "word" and more:
        clause = replace(clause, tokens=tokens[1:])
        return read_shape(plan, clause)
    spans = spans_of(tokens, _CUES, plan.steps)
    kinds = {span.kind for span in spans}
    if first.is_("instead") and more and tokens[1].is_("of"):
        return _replace_first(plan, tokens[2:])
    readers: tuple[tuple[str, Callable[[Plan, Clause, list[Span]], Tokens]], ...] = (
        ("swap", _swap),
        ("sequence", _sequence),
        ("parallel", _parallel),
        ("merge", _merge),
        ("split", _split),
        ("disconnect", _disconnect),
        ("replace", _replace),
    )
    if (
        kinds & {"remove", "clear"}
        and any(t.among("structure.links") for t in tokens)
        and "from" in kinds | {"between"}
    ):
        kinds.add("disconnect")
    for kind, reader in readers:
        if kind in kinds:
            try:
                return reader(plan, clause, spans)
            except NotRead as why:
                if str(why):
                    raise
    if {"first", "then"} <= {t.lower for t in tokens}:
        return _order(plan, tokens)
    if clause.unneeded or kinds & {"remove", "clear"}:
        return _remove(plan, clause, spans)
    raise NotRead


def _remove(plan: Plan, clause: Clause, spans: list[Span]) -> Tokens:
    """Remove the steps that are named; the way whose condition the words are, where they are no step."""
    kinds = {span.kind for span in spans}
    if kinds & {"hard", "to", "neg", "number", "length", "times", "arrow"} or clause.negated:
        raise NotRead
    runs = runs_of(spans)
    if not runs:
        if "pron" not in kinds or "remove" not in kinds:
            raise NotRead
        last = plan.edits[-1] if plan.edits else {}
        if last.get("op") == "remove_step" and last["step"] == plan.steps.last:
            # "We issue no invoices any more, get rid of that": it is gone.
            return ()
        steps = plan.spoken_of(is_pointed=True)
        plan.do(*({"op": "remove_step", "step": step.id} for step in steps))
        return ()
    last = plan.workflow.step(plan.steps.last or "")
    if "pron" in kinds and last is not None and all(run.step is None for run in runs):
        words = [t for run in runs for t in run.tokens if counts(t)]
        if words and all(any(akin(t.lower, one) for one in content_of(last.name)) for t in words):
            # "Customers hate the survey, so let us not send it."
            plan.do(*_refusals(plan, last), {"op": "remove_step", "step": last.id})
            return ()
    found: dict[str, Step] = {}
    left: list[Token] = []
    if any(run.is_who for run in runs) and len(runs) > 1:
        # "Panel interview: remove the hiring manager" is about who does it.
        raise NotRead
    for run in runs:
        if run.step is not None:
            found[run.step.id] = run.step
            continue
        both = any(t.is_("both", "all") for span in spans for t in span.tokens)
        words = tuple(t for t in run.tokens if not t.is_("more"))
        some = plan.fits(words, valued=False)
        if not some and len(some := plan.fits(words, loose=True)) == 1 and not _same_work(words, some[0]):
            plan.notes = [*plan.notes, f"I am not sure that “{plan.said(words)}” is **{some[0].name}**"]
        if found and "joint" not in run.before:
            # Of "a refusal letter", where "refusal" is the step, "letter" is no other one.
            known = any(step.id in found for step in some)
            left += [] if known else [t for t in run.tokens if counts(t)]
            continue
        if not some and len(runs) == 1 and _without_way(plan, words):
            return ()
        if not some and found:
            left += [t for t in run.tokens if counts(t)]
            continue
        for step in some if both or len(some) == 1 else [plan.step(words)]:
            found[step.id] = step
    if any(step.type in ("fork", "join") for step in found.values()):
        raise NotRead
    for step in found.values():
        plan.do(*_refusals(plan, step), {"op": "remove_step", "step": step.id})
    return tuple(left)


def _refusals(plan: Plan, step: Step) -> list[JsonObject]:
    """Return the edits that take away where a step leads if refused, or back, as far as other ways lead there too."""
    ways = [edge for edge in plan.workflow.outgoing(step.id) if edge.type != "error"]
    refused = [edge for edge in ways if any(t.among("fields.refused") for t in _words_of(edge))]
    bad = refused or [edge for edge in ways if _leads_back(plan, edge)]
    kept = [edge for edge in bad if any(one.from_ != step.id for one in plan.workflow.incoming(edge.to))]
    if len(kept) == len(bad) and len(ways) - len(bad) == 1:
        return [{"op": "disconnect", "from": step.id, "to": edge.to} for edge in kept]
    cases = [f"“{edge.when.text}”" for edge in ways if edge.when and edge.when.text]
    verdict = any(t.among("fields.refused") and not t.is_("no") for edge in refused for t in _words_of(edge))
    if len(ways) > 1 and len(cases) == len(ways) and verdict:
        plan.notes = [*plan.notes, f"{' and '.join(cases)} would be decided before it"]
    return []


def _words_of(edge: Transition) -> Tokens:
    return read_tokens(edge.when.text or "") if edge.when else ()


def _leads_back(plan: Plan, edge: Transition) -> bool:
    """Say whether a transition leads to a step from which its own is reached."""
    seen, waiting = {edge.to}, [edge.to]
    while waiting:
        found = {one.to for one in plan.workflow.outgoing(waiting.pop())} - seen
        seen |= found
        waiting += found
    return edge.from_ in seen


def _without_way(plan: Plan, words: Tokens) -> bool:
    """Take away the way whose condition words are: "there should be no more another round"."""
    said = {word for t in words for word in content_of(t.text)}
    found = [
        edge
        for edge in plan.workflow.transitions
        if said and edge.when and edge.when.text and said <= set(content_of(edge.when.text))
    ]
    if len(found) == 1:
        plan.do({"op": "disconnect", "from": found[0].from_, "to": found[0].to})
    return len(found) == 1


def _named(plan: Plan, spans: Sequence[Span], *, lone: bool = True) -> list[Step]:
    """Return the steps that the runs of a clause name, one each.

    Raises:
        NotRead: A run is no step, where one at least is.
        StepUnclear: None is.
    """
    runs = runs_of(spans)
    if not runs and lone:
        return plan.spoken_of(is_pointed=any(span.kind == "pron" for span in spans))
    found = [run.step or plan.maybe(run.tokens) for run in runs]
    known = [step for step in found if step is not None]
    if len(known) < len(found):
        some = plan.fits(runs[0].tokens, valued=False) if len(runs) == 1 else []
        if len(some) == 2 and any(t.is_("both", "two", "all") for span in spans for t in span.tokens):
            return some
        if known or not any(plan.fits(run.tokens) for run in runs):
            raise NotRead
        return [plan.step(run.tokens) for run in runs]
    return list({step.id: step for step in known}.values())


def _swap(plan: Plan, clause: Clause, spans: list[Span]) -> Tokens:
    if "replace" in clause.verbs and any(span.kind == "to" for span in spans):
        raise NotRead
    words = [span for span in spans if not any(t.is_("order", "place", "position") for t in span.tokens)]
    runs = runs_of(words)
    strange = [run for run in runs if run.step is None and len(plan.fits(run.tokens, valued=False)) != 1]
    if len(runs) == 2 and len(strange) == 1:
        plan.step(strange[0].tokens)
    steps = _named(plan, words)
    if len(steps) != 2:
        raise NotRead
    swap_steps(plan, steps[0], steps[1])
    return ()


def swap_steps(plan: Plan, one: Step, other: Step) -> None:
    """Make the edits that let two steps trade places, however far apart they are."""
    following = {edge.to for edge in plan.workflow.outgoing(one.id) if edge.type != "error"}
    preceding = {edge.to for edge in plan.workflow.outgoing(other.id) if edge.type != "error"}
    if other.id in following or one.id in preceding:
        first, second = (one, other) if other.id in following else (other, one)
        # Who comes to the second past the first would miss it.
        ways = {edge.from_ for edge in plan.workflow.incoming(second.id)}
        plan.weighed = plan.weighed or bool(ways - {first.id})
        plan.do({"op": "move_step", "step": second.id, "before": first.id})
    else:
        after_one = [edge.to for edge in plan.workflow.outgoing(one.id)]
        after_other = [edge.to for edge in plan.workflow.outgoing(other.id)]
        if len(after_one) != 1 or len(after_other) != 1:
            raise NotRead(f"{one.name!r} and {other.name!r} stand apart, and their ways on differ")
        plan.do({"op": "move_step", "step": one.id, "before": after_other[0]})
        plan.do({"op": "move_step", "step": other.id, "before": after_one[0]})


_AROUND_ORDER = ("first", "then", "and", "come", "go", "happen", "do", "run", "we", "should", "must")


def _order(plan: Plan, tokens: Tokens) -> Tokens:
    """Read "refund first, then collect"."""
    at = next(i for i, t in enumerate(tokens) if t.is_("then"))
    sides = [
        [t for t in side if not t.is_(*_AROUND_ORDER) and t.kind != "punct"] for side in (tokens[:at], tokens[at:])
    ]
    one, other = (plan.maybe(side) for side in sides)
    if one is None or other is None or one.id == other.id:
        raise NotRead
    move_steps(plan, [one], Place({"before": other.id}, None, 0, 0))
    return ()


def _parallel(plan: Plan, clause: Clause, spans: list[Span]) -> Tokens:
    """Run steps at the same time; a new one beside the one it is named with."""
    if any(span.kind == "hard" and not span.tokens[0].is_("in") for span in spans):
        raise NotRead
    words = [span for span in spans if span.kind != "parallel"]
    runs = [run for run in runs_of(words) if not all(t.among("shaping.run_around") for t in run.tokens)]
    found = [
        run.step or _there(plan, [t for t in run.tokens if not t.among("shaping.run_around")] or run.tokens)
        for run in runs
    ]
    steps = [step for step in found if step is not None]
    new = [run for run, step in zip(runs, found, strict=True) if step is None]
    adds = any(t.is_("a", "an", "another", "add", "insert", "second") for t in clause.tokens)
    if adds and len(steps) == 1 and len(new) == 1:
        name = tuple(t for t in new[0].tokens if not t.is_("add", "insert", "second"))
        insert_on(plan, name, steps[0])
        return ()
    if not runs:
        steps = plan.spoken_of(is_pointed=True)
    elif len(steps) < 2 and len(runs) == 1:
        steps = [s for s in plan.fits(runs[0].tokens) if any(t.is_("both", "all", "two") for t in clause.tokens)]
        new = []
    ids = list(dict.fromkeys(step.id for step in steps))
    if len(ids) < 2 or adds:
        raise NotRead
    plan.do({"op": "parallelize", "steps": ids})
    return tuple(t for run in new for t in run.tokens if counts(t))


def _same_work(words: Sequence[Token], step: Step) -> bool:
    """Say whether the verb of words may stand for that of a step's name: "check" for "review"."""
    verb, *_ = [t.lower for t in words if t.is_content] or [""]
    return any(akin(verb, one) or not families(verb).isdisjoint(families(one)) for one in content_of(step.name))


def _there(plan: Plan, tokens: Sequence[Token]) -> Step | None:
    """Return the one step that words mean, also by another verb."""
    some = plan.fits(tokens) or plan.fits(tokens, loose=True)
    return some[0] if len(some) == 1 else None


def _sequence(plan: Plan, _: Clause, spans: list[Span]) -> Tokens:
    """Let steps that run at the same time run one after the other, in the order they are said."""
    words = [span for span in spans if not all(t.among("shaping.run_around") for t in span.tokens)]
    ids = [step.id for step in _named(plan, words)]
    branch = branch_of(plan, ids[0])
    if len(ids) < 2 or branch is None or any(branch_of(plan, one) != branch for one in ids):
        raise NotRead("those steps do not run at the same time now")
    for before, after in itertools.pairwise(ids):
        plan.do(
            {"op": "disconnect", "from": branch[0], "to": after},
            {"op": "disconnect", "from": before, "to": branch[1]},
            {"op": "connect", "from": before, "to": after},
        )
    return ()


_PARTS = ("with", "for", "to", "into", "by", "called", "as", "named", "between", "from", "instead")


def _parted(plan: Plan, tokens: Sequence[Token], cue: str) -> tuple[Tokens, Mapping[str, Tokens]]:
    """Return what stands behind a cue up to the next mark, and what stands behind each mark.

    The "by" of "settle by hand", where that is a step, is no mark.
    """
    inside = {at for first, (end, _) in plan.steps.whole_names(tokens).items() for at in range(first + 1, end)}
    at = 0
    while at < len(tokens) and cue_at(tokens, at, frozenset({cue}))[1] != cue:
        at += 1
    end = cue_at(tokens, at, frozenset({cue}))[0] if at < len(tokens) else at
    front: list[Token] = [t for t in tokens[:at] if counts(t)]
    parts: dict[str, list[Token]] = {"": front}
    mark = ""
    for number, token in enumerate(tokens[end:], end):
        is_mark = token.kind == "word" and token.is_(*_PARTS) and number not in inside
        if is_mark and not (mark and cue == "replace"):
            mark = token.lower
            parts.setdefault(mark, [])
        else:
            parts[mark].append(token)
    return tuple(parts.pop("")), {key: tuple(value) for key, value in parts.items() if value}


def _merge(plan: Plan, clause: Clause, _: list[Span]) -> Tokens:
    """Make one step of two or more that follow one another."""
    head, parts = _parted(plan, clause.tokens, "merge")
    if cue := next((at for at in range(len(clause.tokens)) if cue_at(clause.tokens, at, frozenset({"merge"}))[1]), 0):
        # "The scan and the copy should be one step".
        behind = any(map(counts, clause.tokens[cue_at(clause.tokens, cue, frozenset({"merge"}))[0] :]))
        head = head if behind else tuple(t for t in clause.tokens[:cue] if not t.has("aux"))
    steps = plan.steps_in(head) + (plan.steps_in(parts["with"]) if "with" in parts else [])
    into = next((parts[key] for key in ("called", "named", "into", "to", "as") if key in parts), ())
    ids = [step.id for step in steps]
    order = [step.id for step in in_walking_order(plan.workflow) if step.id in ids]
    if len(steps) < 2:
        raise NotRead
    for one, other in itertools.pairwise(order):
        if not any(edge.to == other for edge in plan.workflow.outgoing(one)):
            raise NotRead("those steps do not follow one another, so that one step cannot stand for them")
    counted = [at for at, t in enumerate(into) if counts(t)]
    words = [t for t in into if t.kind == "quoted"] or list(into[counted[0] : counted[-1] + 1] if counted else ())
    named = {step.id: step.name for step in steps}
    first, *others = [named[one] for one in order]
    name = plan.said(words) if words else " and ".join([first, *(one[:1].lower() + one[1:] for one in others)])
    plan.do(
        {"op": "rename_step", "step": order[0], "name": titled(name)},
        *({"op": "remove_step", "step": one} for one in order[1:]),
    )
    return ()


def _split(plan: Plan, clause: Clause, _: list[Span]) -> Tokens:
    """Make two or more steps of one."""
    head, parts = _parted(plan, clause.tokens, "split")
    step = plan.step(head)
    into = parts.get("into") or parts.get("to") or ()
    names = [p for p in listed([t for t in into if t.text != ":"]) if any(map(counts, p))]
    if len(names) < 2:
        raise Asked("Into which steps?", plan.text.rstrip(" .!") + ": ", "")
    drafts = [plan.draft(name, step.assignee) for name in names]
    plan.do({"op": "rename_step", "step": step.id, "name": drafts[0]["name"]})
    previous = step.id
    for draft in drafts[1:]:
        kind = step.type if step.type in ("human", "action") else draft["type"]
        plan.do({"op": "insert_step", "step": {**draft, "type": kind}, "after": previous})
        previous = draft["id"]
    return ()


def _replace(plan: Plan, clause: Clause, _: list[Span]) -> Tokens:
    """Put another step in the place of one, or another person."""
    head, parts = _parted(plan, clause.tokens, "replace")
    if "for" in parts and clause.tokens[0].is_("substitute"):
        # "Substitute a call for the survey".
        head, parts = parts["for"], {"with": head}
    new = next((parts[key] for key in ("with", "by", "to", "into", "for") if key in parts), ())
    if not new or not any(map(counts, head)):
        raise NotRead
    step = plan.maybe(head)
    if (
        (step is None or not plan.steps.is_named(head))
        and is_somebody(plan.workflow, head)
        and (is_somebody(plan.workflow, new) or may_be_somebody(new))
    ):
        return _replace_person(plan, head, new, parts)
    return _replace_step(plan, step or plan.step(head), new)


def _replace_first(plan: Plan, tokens: Tokens) -> Tokens:
    """Read "instead of the survey we do a phone interview", behind its first words."""
    cut = next((at for at, t in enumerate(tokens) if at and (t.text == "," or t.has("pron", "aux"))), None)
    old = plan.maybe(tokens[:cut]) if cut else None
    rest = tokens[cut:] if cut else ()
    while rest and (rest[0].kind == "punct" or rest[0].has("pron", "aux") or rest[0].among("shaping.used")):
        rest = rest[1:]
    if old is None or not rest or old.type == "end":
        raise NotRead
    return _replace_step(plan, old, rest)


def _replace_step(plan: Plan, step: Step, new: Tokens) -> Tokens:
    existing = plan.maybe(new)
    if existing is not None and plan.steps.is_named(new) and existing.id != step.id:
        raise Asked(f"**{existing.name}** is a step already. Shall the two swap places, or shall **{step.name}** go?")
    if any(t.kind == "number" or t.has("aux") or t.lower in PRONOUNS or t.text in (",", ":") for t in new):
        raise NotRead
    draft = plan.draft([t for t in new if not t.has("det") and not t.is_("step")])
    plan.do({"op": "replace_step", "step": step.id, "with": draft})
    return ()


def _replace_person(plan: Plan, old: Tokens, new: Tokens, parts: Mapping[str, Tokens]) -> Tokens:
    """Let somebody do what another did: at one step, or wherever they did it."""
    at = next((i for i, t in enumerate(new) if t.is_("in", "on", "at", "during", "for", "when")), len(new))
    where = parts.get("for") or new[at + 1 :]
    words = [t.lemma for t in old if t.is_content]
    theirs = [s for s in plan.workflow.steps if s.assignee and content_of(s.assignee.replace("_", " ")) == words]
    if where and any(map(counts, where)):
        theirs = plan.steps_in([t for t in where if not phrase_at((t,), 0, "markers.tsv")[1]])
    if not theirs:
        raise NotRead
    who = written(plan.workflow, new[:at])
    plan.do(*({"op": "set_assignee", "step": step.id, "assignee": who} for step in theirs))
    return ()


def _disconnect(plan: Plan, _: Clause, spans: list[Span]) -> Tokens:
    """Take a transition away."""
    steps = _named(plan, [span for span in spans if not any(t.among("structure.links") for t in span.tokens)])
    if len(steps) != 2:
        raise NotRead
    one, other = steps
    if not any(edge.to == other.id for edge in plan.workflow.outgoing(one.id)):
        one, other = other, one
    plan.do({"op": "disconnect", "from": one.id, "to": other.id})
    return ()
