"""Orders that change what leads where: ways and their conditions, failures, order, and what is one step or several."""

import itertools
from collections.abc import Mapping, Sequence

from workflow_agent.assistant.offline.clauses import counts, phrase_at, stripped
from workflow_agent.assistant.offline.fields import read_fields
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.placing import branch_of, insert_on
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, listed, titled
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import times_at
from workflow_agent.assistant.offline.wording import in_walking_order
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_FAILS = word_set("shaping.fails")
_GOING = word_set("shaping.going")
Parted = tuple[Tokens, dict[str, Tokens]]


def parted(tokens: Sequence[Token]) -> Parted:
    """Return what stands in front of the first mark of the data file, and what stands behind each."""
    heads: list[tuple[str, list[Token]]] = [("", [])]
    at = 0
    while at < len(tokens):
        end, kinds = (at, []) if tokens[at].kind == "quoted" else phrase_at(tokens, at, "markers.tsv")
        if kinds and not (kinds[0] == "of" and heads[-1][0] and heads[-1][1]):
            heads.append((kinds[0], []))
            at = end
        else:
            heads[-1][1].append(tokens[at])
            at += 1
    found: dict[str, Tokens] = {}
    for kind, inside in heads[1:]:
        found.setdefault(kind, tuple(t for t in inside if t.text != "," or kind == ""))
    return tuple(heads[0][1]), found


def read_shape(plan: Plan, tokens: Tokens, verbs: frozenset[str]) -> bool:
    """Make the edits of a clause about the order of steps or the ways between them; say whether it is one.

    Raises:
        StepUnclear: It is one, but its words may mean several steps, or none.
        NotRead: It is one that the workflow does not allow; the text says why.
    """
    words = {t.lower for t in tokens if t.kind == "word"}
    rest = tokens[phrase_at(tokens, 0, "verbs.tsv")[0] :] if verbs else tokens
    head, parts = parted(rest)
    if ("remove" in verbs or words & {"no"}) and _without_way(plan, rest):
        return True
    if "swap" in verbs or words & {"swap", "swapped", "trade", "round"} or {"other", "order"} <= words:
        return _swap(plan, head, parts, verbs)
    if words & {"optional", "skippable", "voluntary"}:
        return _optional(plan, tokens)
    if {"first", "then"} <= words and not verbs - {"parallel"} and _order(plan, tokens):
        return True
    if len(tokens) > 3 and tokens[0].is_("instead") and tokens[1].is_("of") and _replace_first(plan, tokens[2:]):
        return True
    if "use" in verbs and head and (old := plan.maybe(parts.get("instead", ()))) is not None:
        return _replace_step(plan, old, head, ())
    if "sequence" in parts:
        return _sequence(plan, tuple(t for t in (*head, *parts["sequence"]) if not t.among("shaping.run")))
    if "parallel" in parts:
        return _parallel(plan, tokens)
    if "merge" in verbs:
        return _merge(plan, head, parts)
    if "split" in verbs:
        return _split(plan, head, parts)
    if "disconnect" in verbs or (
        "remove" in verbs and words & {"connection", "transition", "arrow", "link", "edge", "way", "path"}
    ):
        return _disconnect(plan, head, parts)
    if "replace" in verbs:
        return _replace(plan, head, parts)
    if "only" in words and {"if", "above", "below"} & set(parts):
        return _only_if(plan, tokens)
    if words & {"condition", "case", "rule"} and not verbs & {"add", "remove"}:
        return _condition(plan, tokens)
    return False


def _without_way(plan: Plan, tokens: Tokens) -> bool:
    """Take away the way whose condition words are: "there should be no more another round"."""
    words = [word for t in tokens if counts(t) and not t.is_("no", "more") for word in content_of(t.text)]
    found = [
        edge
        for edge in plan.workflow.transitions
        if words and edge.when and edge.when.text and set(words) <= set(content_of(edge.when.text))
    ]
    if len(found) == 1:
        plan.do({"op": "disconnect", "from": found[0].from_, "to": found[0].to})
    return len(found) == 1


def _swap(plan: Plan, head: Tokens, parts: Mapping[str, Tokens], verbs: frozenset[str]) -> bool:
    words = [t for t in head if not t.among("shaping.swap")]
    both = [*listed([*words, *(t for t in parts.get("of", ()) if not t.among("shaping.swap"))])]
    both += [parts[key] for key in ("with", "for") if parts.get(key)]
    if len(both) == 1 and plan.topic and all(t.lower in PRONOUNS for t in both[0]):
        steps = [step for one in plan.topic if (step := plan.workflow.step(one))]
    elif len(both) != 2:
        return False
    elif "replace" in verbs and plan.maybe(both[1]) is None:
        return _replace(plan, head, parts)
    else:
        steps = [plan.step(one) for one in both]
    if len(steps) != 2 or steps[0].id == steps[1].id:
        raise NotRead
    swap_steps(plan, steps[0], steps[1])
    return True


def swap_steps(plan: Plan, one: Step, other: Step) -> None:
    """Make the edits that let two steps trade places, however far apart they are."""
    following = {edge.to for edge in plan.workflow.outgoing(one.id) if edge.type != "error"}
    preceding = {edge.to for edge in plan.workflow.outgoing(other.id) if edge.type != "error"}
    if other.id in following:
        plan.do({"op": "move_step", "step": other.id, "before": one.id})
    elif one.id in preceding:
        plan.do({"op": "move_step", "step": one.id, "before": other.id})
    else:
        after_one = [edge.to for edge in plan.workflow.outgoing(one.id)]
        after_other = [edge.to for edge in plan.workflow.outgoing(other.id)]
        if len(after_one) != 1 or len(after_other) != 1:
            raise NotRead(f"{one.name!r} and {other.name!r} stand apart, and their ways on differ")
        plan.do({"op": "move_step", "step": one.id, "before": after_other[0]})
        plan.do({"op": "move_step", "step": other.id, "before": after_one[0]})


def _order(plan: Plan, tokens: Tokens) -> bool:
    """Read "refund first, then collect"."""
    at = next(i for i, t in enumerate(tokens) if t.is_("then"))
    pair = [
        [
            t
            for t in some
            if not t.is_("first", "then", "and", "come", "go", "happen", "do", "run") and t.kind != "punct"
        ]
        for some in (tokens[:at], tokens[at:])
    ]
    one, other = (plan.maybe(some) for some in pair)
    if one is None or other is None:
        return False
    plan.do({"op": "move_step", "step": one.id, "before": other.id})
    return True


def _optional(plan: Plan, tokens: Tokens) -> bool:
    """Let a step be skipped unless it is needed."""
    about = [
        t for t in tokens if not t.is_("optional", "skippable", "voluntary", "as", "make", "mark", "become", "set")
    ]
    for step in plan.steps_in(about):
        plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": f"{step.name} is needed"}}})
    return True


def _parallel(plan: Plan, tokens: Tokens) -> bool:
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        end, kinds = (at, []) if tokens[at].kind == "quoted" else phrase_at(tokens, at, "markers.tsv")
        if "parallel" not in kinds:
            kept.append(tokens[at])
        at = end if "parallel" in kinds else at + 1
    words = [t for t in kept if not t.among("shaping.run")]
    if any(t.is_("a", "an", "another", "add", "insert", "second") for t in tokens):
        return _parallel_new(plan, words)
    ids = list(dict.fromkeys(step.id for step in plan.steps_in([t for t in words if not t.has("aux", "det")])))
    if len(ids) < 2:
        return False
    plan.do({"op": "parallelize", "steps": ids})
    return True


def _parallel_new(plan: Plan, words: Sequence[Token]) -> bool:
    """Put a new step beside the one that is named with it: "run the diagnosis and a log collection in parallel"."""
    items = listed(words)
    there = [plan.maybe([t for t in one if not t.has("det")]) for one in items]
    if len(items) != 2 or (there[0] is None) == (there[1] is None):
        return False
    (beside,) = [step for step in there if step is not None]
    (new,) = [one for one, step in zip(items, there, strict=True) if step is None]
    return insert_on(plan, new, beside)


def _sequence(plan: Plan, words: Tokens) -> bool:
    """Let steps that run at the same time run one after the other, in the order they are said."""
    ids = [step.id for step in plan.steps_in(words)]
    branch = branch_of(plan, ids[0])
    if len(ids) < 2 or branch is None or any(branch_of(plan, one) != branch for one in ids):
        raise NotRead("those steps do not run at the same time now")
    for before, after in itertools.pairwise(ids):
        plan.do(
            {"op": "disconnect", "from": branch[0], "to": after},
            {"op": "disconnect", "from": before, "to": branch[1]},
            {"op": "connect", "from": before, "to": after},
        )
    if len(plan.workflow.outgoing(branch[0])) == 1:
        plan.do({"op": "remove_step", "step": branch[0]}, {"op": "remove_step", "step": branch[1]})
    return True


def _merge(plan: Plan, head: Tokens, parts: Mapping[str, Tokens]) -> bool:
    """Make one step of two or more that follow one another."""
    steps = plan.steps_in(head) + (plan.steps_in(parts["with"]) if "with" in parts else [])
    into = parts.get("called") or parts.get("to") or parts.get("as") or ()
    ids = [step.id for step in steps]
    order = [step.id for step in in_walking_order(plan.workflow) if step.id in ids]
    if len(steps) < 2:
        raise NotRead
    for one, other in itertools.pairwise(order):
        if not any(edge.to == other for edge in plan.workflow.outgoing(one)):
            raise NotRead("those steps do not follow one another, so that one step cannot stand for them")
    words = [t for t in into if t.kind == "quoted"] or [t for t in into if counts(t)]
    named = {step.id: step.name for step in steps}
    first, *others = [named[one] for one in order]
    name = plan.said(words) if words else " and ".join([first, *(one[:1].lower() + one[1:] for one in others)])
    plan.do(
        {"op": "rename_step", "step": order[0], "name": titled(name)},
        *({"op": "remove_step", "step": one} for one in order[1:]),
    )
    return True


def _split(plan: Plan, head: Tokens, parts: Mapping[str, Tokens]) -> bool:
    """Make two or more steps of one."""
    step = plan.step(head)
    names = [p for p in listed([t for t in parts.get("to", ()) if t.text != ":"]) if any(map(counts, p))]
    if len(names) < 2:
        raise Asked("Into which steps?", plan.text.rstrip(" .!") + ": ", "")
    drafts = [plan.draft([t for t in name if not t.has("det")], step.assignee) for name in names]
    plan.do({"op": "rename_step", "step": step.id, "name": drafts[0]["name"]})
    previous = step.id
    for draft in drafts[1:]:
        kind = step.type if step.type in ("human", "action") else draft["type"]
        plan.do({"op": "insert_step", "step": {**draft, "type": kind}, "after": previous})
        previous = draft["id"]
    return True


def _replace(plan: Plan, head: Tokens, parts: Mapping[str, Tokens]) -> bool:
    """Put another step in the place of one, or another person."""
    new = next((parts[key] for key in ("with", "to", "instead", "responsible", "for") if parts.get(key)), ())
    if not new:
        return False
    if plan.is_role(head) and plan.is_role(new):
        return _replace_role(plan, head, new, parts.get("for") or parts.get("in") or parts.get("on") or ())
    return _replace_step(plan, plan.step(head), new, parts.get("responsible", ()))


def _replace_first(plan: Plan, tokens: Tokens) -> bool:
    """Read "instead of the survey we do a phone interview", behind its first words."""
    cut = next((at for at, t in enumerate(tokens) if at and (t.text == "," or t.has("pron"))), None)
    old = plan.maybe(tokens[:cut]) if cut else None
    rest = tokens[cut:] if cut else ()
    while rest and (rest[0].kind == "punct" or rest[0].has("pron", "aux") or rest[0].among("shaping.used")):
        rest = rest[1:]
    if old is None or not rest or old.type == "end":
        return False
    return _replace_step(plan, old, rest, ())


def _replace_step(plan: Plan, step: Step, new: Tokens, responsible: Tokens) -> bool:
    existing = plan.maybe(new)
    if existing is not None and plan.steps.is_named(new) and existing.id != step.id:
        raise Asked(f"**{existing.name}** is a step already. Shall the two swap places, or shall **{step.name}** go?")
    who = plan.role(responsible) if responsible and new is not responsible else None
    draft = plan.draft([t for t in new if not t.has("det") and not t.is_("step")], who)
    plan.do({"op": "replace_step", "step": step.id, "with": draft})
    return True


def _replace_role(plan: Plan, old: Tokens, new: Tokens, where: Tokens) -> bool:
    words = [t.lower for t in old if t.is_content]
    theirs = [s for s in plan.workflow.steps if s.assignee and content_of(s.assignee.replace("_", " ")) == words]
    theirs = [plan.step(where)] if where else theirs
    for step in theirs:
        plan.do({"op": "set_assignee", "step": step.id, "assignee": plan.role(new)})
    return bool(theirs)


def _disconnect(plan: Plan, head: Tokens, parts: Mapping[str, Tokens]) -> bool:
    """Take a transition away."""
    words = [t for t in head if not t.among("structure.links")]
    if "between" in parts:
        steps = plan.steps_in(parts["between"])
    else:
        said = [
            some
            for some in (words, parts.get("from", ()), parts.get("to", ()), parts.get("with", ()))
            if any(map(counts, some))
        ]
        steps = [step for some in said for step in plan.steps_in(some)]
    if len(steps) != 2:
        return False
    one, other = steps
    if not any(edge.to == other.id for edge in plan.workflow.outgoing(one.id)):
        one, other = other, one
    plan.do({"op": "disconnect", "from": one.id, "to": other.id})
    return True


def _only_if(plan: Plan, tokens: Tokens) -> bool:
    """Read "do the legal review only if the amount is over 500"."""
    at = next(
        (i for i in range(len(tokens)) if {"if", "above", "below"} & set(phrase_at(tokens, i, "markers.tsv")[1])), 0
    )
    end, kinds = phrase_at(tokens, at, "markers.tsv")
    about = [
        t
        for t in tokens[:at]
        if counts(t)
        and not t.among("shaping.run")
        and not t.is_("only", "need", "necessary", "happen", "require", "do")
    ]
    step = plan.maybe(about)
    if step is None or end >= len(tokens):
        return False
    condition = plan.said([t for t in tokens[end:] if t.text != ","])
    if kinds[0] != "if":
        condition = f"amount {'over' if kinds[0] == 'above' else 'under'} {condition}"
    _happens_if(plan, step, condition)
    return True


def _happens_if(plan: Plan, step: Step, condition: str) -> None:
    entering = plan.workflow.incoming(step.id)
    if any(edge.when for edge in entering):
        if len(entering) != 1:
            raise NotRead(f"several ways lead to {step.name!r}, each with its condition")
        plan.do({"op": "update_transition", "transition": entering[0].id, "set": {"when": {"text": condition}}})
        if len(plan.workflow.outgoing(entering[0].from_)) > 1:
            plan.notes.append("the conditions of the other ways from there stay as they are")
    else:
        plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": condition}}})


def _condition(plan: Plan, tokens: Tokens) -> bool:
    """Read 'change the condition for going to the copyeditor to "accepted without changes"'."""
    new = tokens[-1] if tokens[-1].kind == "quoted" else None
    to = next(
        (
            i
            for i in range(len(tokens) - 2, 0, -1)
            if tokens[i].is_("to", "into", "is", "be") or tokens[i].text in (":", "->")
        ),
        None,
    )
    if new is None or to is None:
        return False
    said = tokens[:-1]
    about = [t for t in said if counts(t) and not t.among("shaping.condition")]
    old = [t for t in about if t.kind == "quoted" and plan.maybe((t,)) is None]
    found = [
        edge
        for edge in plan.workflow.transitions
        if edge.when
        and edge.when.text
        and (not old or edge.when.text.casefold() == old[0].text.casefold())
        and (old or not about or _is_at(plan, edge, [t for t in about if t not in old]))
    ]
    if len(found) != 1:
        return False
    plan.do({"op": "update_transition", "transition": found[0].id, "set": {"when": {"text": new.text}}})
    return True


def _is_at(plan: Plan, edge: Transition, about: Sequence[Token]) -> bool:
    target, source = plan.workflow.step(edge.to), plan.workflow.step(edge.from_)
    words = [word for t in about for word in content_of(t.text)]
    own = content_of(" ".join((target.name, (target.assignee or "").replace("_", " "))) if target else "")
    own += content_of(source.name if source else "")
    return all(any(akin(word, one) or one.startswith(word[:6]) for one in own) for word in words)


def read_case(plan: Plan, tokens: Tokens) -> bool:
    """Read what is to happen in a case: "if the payment fails, notify finance"; say whether it is one.

    Raises:
        StepUnclear: It is one, but its words may mean several steps, or none.
    """
    case, act = _case_and_act(tokens)
    if not case or not act or act[0].is_("connect", "link") or any(t.is_("from") for t in act):
        return False
    fails = next((at for at, t in enumerate(case) if t.lemma in _FAILS or t.lower in _FAILS), None)
    if fails is None:
        fails = next(
            (at for at, t in enumerate(case) if at and t.is_("not") and case[at - 1].is_("can", "could")), None
        )
        failing = plan.maybe([t for t in case if t.is_content]) if fails is not None else None
    else:
        about = [t for t in case[:fails] if t.is_content and not t.among("shaping.case")]
        failing = plan.step(about) if about and not _is_case(plan, case) else None
    _, act = stripped(act)
    target = _target(plan, act)
    if failing is not None:
        return _on_failure(plan, failing, act, target)
    if target is not None:
        source, condition = _source_and_case(plan, plan.said([t for t in case if t.kind != "punct"]))
        plan.do(*_connections(plan, source, target, condition))
        return True
    if (way := _outcome(plan, case)) is not None and act and not act[0].among("shaping.no_outcome"):
        return insert_on(plan, act, way)
    skipped = act[0].is_("skip", "bypass", "omit") if act else False
    step = plan.maybe([t for t in act[1:] if t.kind != "punct"]) if skipped else None
    if step is not None:
        plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": f"not ({plan.said(case)})"}}})
    return step is not None


def _outcome(plan: Plan, case: Tokens) -> Transition | None:
    """Return the only way that is taken in a case: "the director declines", "rejection"."""
    words = [t for t in case if t.is_content and not t.among("shaping.case")]
    found: list[Transition] = []
    for edge in plan.workflow.transitions:
        step = plan.workflow.step(edge.from_)
        said = content_of(edge.when.text) if edge.when and edge.when.text and step else []
        about = content_of(f"{step.name} {(step.assignee or '').replace('_', ' ')}") if step else []
        told = [t for t in words if any(akin(t.lower, one) for one in said) or _both_refuse(t, said)]
        rest = [t for t in words if t not in told and not any(akin(t.lower, one) for one in about)]
        found += [edge] if told and not rest else []
    return found[0] if len(found) == 1 and not any(t.has("neg") for t in case) else None


def _both_refuse(token: Token, said: Sequence[str]) -> bool:
    refusals = word_set("fields.refused")
    refused = any(akin(token.lower, one) for one in refusals)
    return refused and any(word in refusals for word in said)


def _is_case(plan: Plan, case: Tokens) -> bool:
    """Say whether words are a condition that a way has already, as "the payment is rejected"."""
    words = [t.lower for t in case if t.is_content]
    return any(e.when and e.when.text and set(content_of(e.when.text)) == set(words) for e in plan.workflow.transitions)


def _case_and_act(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Return the words of a condition, and those of what is to happen then."""
    opens = [
        at for at in range(len(tokens)) if "if" in phrase_at(tokens, at, "markers.tsv")[1] and tokens[at].kind == "word"
    ]
    if not opens and tokens[0].is_("on", "upon"):
        cut = next((i for i, t in enumerate(tokens) if t.text == ","), 0)
        return tuple(tokens[1:cut]), tuple(tokens[cut + 1 :])
    if not opens:
        return (), ()
    at = opens[0]
    end = phrase_at(tokens, at, "markers.tsv")[0]
    if at > 0:
        return tuple(tokens[end:]), tuple(t for t in tokens[:at] if t.kind != "punct")
    cut = next((i for i in range(end + 1, len(tokens)) if tokens[i].text == "," or tokens[i].is_("then")), None)
    if cut is None:
        # "When consent is refused call the owner": the order begins with a verb behind what was told.
        told = (i for i in range(end + 2, len(tokens) - 1) if "ed" in tokens[i - 1].entry.form.split())
        acts = next((i for i in told if tokens[i].entry.form == "base" and not tokens[i].has("aux")), None)
        if acts is not None:
            return tuple(tokens[end:acts]), tuple(tokens[acts:])
        cut = next(
            (i for i in range(end + 1, len(tokens) - 1) if tokens[i].lemma in _FAILS and tokens[i].entry.verb), None
        )
        cut = (
            cut
            if cut is not None
            else next(
                (i - 1 for i in range(end + 2, len(tokens)) if tokens[i].is_("it", "go", "send") and i > end + 2), None
            )
        )
        return (tuple(tokens[end : cut + 1]), tuple(tokens[cut + 1 :])) if cut is not None else ((), ())
    return tuple(tokens[end:cut]), tuple(t for t in tokens[cut + 1 :] if not t.is_("then"))


def _target(plan: Plan, act: Tokens) -> Step | None:
    """Return where "it goes back to the draft" leads, if it says no more than that."""
    to = next((at for at, t in enumerate(act) if t.is_("to", "with", "at", "into") and at), None)
    if to is None:
        return None
    cut = next((i for i in range(to, len(act)) if act[i].is_("instead", "again", "and")), len(act))
    head = [t for t in act[:to] if t.is_content or t.is_("back")]
    if not all(t.lemma in _GOING or t.lower in _GOING or t.lower in PRONOUNS for t in head) or not head:
        return None
    return plan.step([t for t in act[to + 1 : cut] if not t.is_("who", "which", "again")])


def _on_failure(plan: Plan, step: Step, act: Tokens, target: Step | None) -> bool:
    """Say what happens when a step fails: it is tried again, an existing step, or a new one."""
    if any(t.is_("retry", "try", "attempt") for t in act) or any(times_at(act, at) for at in range(len(act))):
        plan.steps.last = step.id
        return read_fields(plan, act)
    if target is None and act and _goes(act[0]) and not act[0].is_("send", "pass", "hand", "end"):
        raise NotRead
    words = [t for t in act if t.kind != "punct" and not t.is_("too", "also", "as", "well", "instead")]
    if any(t.has("aux") for t in words):
        words = [t for t in words if t.is_content]
        target = target or plan.maybe(words)
        if target is None:
            raise NotRead
    target = target or plan.maybe(words)
    if target is None and len(words) == 1 and words[0].is_("stop", "end", "abort", "cancel", "quit", "terminate"):
        ends = [s for s in plan.workflow.steps if s.type == "end"]
        bad = [s for s in ends if s.outcome not in (None, "ok")] or ends
        if len(bad) != 1:
            raise NotRead("there are several ends, and which is meant is not said")
        target = bad[0]
    has_error = [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "error" and not edge.errors]
    if target is None:
        draft = plan.draft(words)
        plan.do({"op": "add_step", "step": draft})
        target_id = str(draft["id"])
    else:
        target_id = target.id
    if has_error:
        handler = plan.workflow.step(has_error[0].to)
        if handler is not None and handler.id != target_id and len(plan.workflow.incoming(handler.id)) == 1:
            plan.notes.append(f"“{handler.name}”, which a failure leads to now, would never be reached")
        plan.do({"op": "update_transition", "transition": has_error[0].id, "set": {"to": target_id}})
    else:
        plan.do({"op": "add_error_path", "step": step.id, "to": target_id})
    return True


def read_way(plan: Plan, tokens: Tokens, verbs: frozenset[str]) -> bool:
    """Read where a step or a case leads: "connect A to B", "rejected invoices go to B, not to C"; say whether.

    Raises:
        StepUnclear: It does, but of no step, or of what may be several.
    """
    placed = any(
        {"before", "after", "between"} & set(phrase_at(tokens, i, "markers.tsv")[1]) for i in range(len(tokens))
    )
    if placed or not (verbs & {"connect", "back"} or any(_goes(t) for t in tokens)):
        return False
    said: dict[str, list[Token]] = {"": []}
    mark, avoids = "", False
    for at, token in enumerate(tokens):
        plain = token.kind == "word"
        if plain and token.is_("if", "when", "whenever", "unless"):
            said["if"] = list(tokens[at + 1 :])
            break
        if plain and token.is_("not", "instead"):
            mark, avoids = "avoid", True
        elif plain and token.is_("to", "into", "with", "from"):
            mark = "from" if token.is_("from") else "avoid" if avoids else "to"
        elif plain and token.is_("but", "and"):
            mark, avoids = "", False
        elif token.kind != "punct" and not (plain and token.among("shaping.around_way")):
            said.setdefault(mark, []).append(token)
    if not said.get("to"):
        return False
    source = [t for t in said.get("from", ()) if not _goes(t)] or [t for t in said[""] if not _goes(t)]
    avoided = [step] if (step := plan.maybe(said.get("avoid", ()))) else []
    condition = plan.said(said["if"]) if said.get("if") else None
    return _lead(plan, tuple(source), plan.step(said["to"]), avoided, condition)


def _goes(token: Token) -> bool:
    return token.kind == "word" and (token.lemma in _GOING or token.lower in _GOING)


def _lead(plan: Plan, source: Tokens, target: Step, avoided: Sequence[Step], condition: str | None) -> bool:
    said = [t for t in source if t.is_content]
    edges = (
        [e for e in plan.workflow.transitions if e.when and e.when.text and _fits_case(e.when.text, said)]
        if said
        else []
    )
    if avoided:
        edges = [e for e in (edges or plan.workflow.transitions) if e.to == avoided[0].id]
        step = plan.maybe(said)
        edges = [e for e in edges if step is None or e.from_ == step.id]
    if len(edges) == 1 and condition is None:
        plan.do({"op": "update_transition", "transition": edges[0].id, "set": {"to": target.id}})
        return True
    if not said:
        if condition is None:
            return False
        from_, condition = _source_and_case(plan, condition)
        plan.do(*_connections(plan, from_, target, condition))
        return True
    plan.do(*_connections(plan, plan.step(said), target, condition))
    return True


def _fits_case(text: str, said: Sequence[Token]) -> bool:
    own = content_of(text)
    return bool(own) and all(any(akin(t.lower, one) for t in said) for one in own)


def _decider(plan: Plan, condition: str) -> Step:
    """Return the step whose outcome a condition speaks of: the one that has it as a case already."""
    words = set(content_of(condition))
    found = {
        edge.from_
        for edge in plan.workflow.transitions
        if edge.when and edge.when.text and words & set(content_of(edge.when.text))
    }
    step = plan.workflow.step(next(iter(found)) if len(found) == 1 else plan.steps.last or "")
    if step is None:
        raise Asked("From which step?")
    return step


def _source_and_case(plan: Plan, condition: str) -> tuple[Step, str]:
    """Return the step that a condition names with its case: "the review fails", "legal rejects"."""
    tokens = read_tokens(condition)
    for at in range(len(tokens) - 1, 0, -1):
        step = plan.maybe(tokens[:at])
        if step is not None and step.type != "end":
            words = list(tokens[at:])
            while words and (words[0].lemma == "be" or words[0].is_("get", "it")):
                words.pop(0)
            if words:
                return step, condition[words[0].start : words[-1].end]
    return _decider(plan, condition), condition


def _connections(plan: Plan, from_: Step, to: Step, condition: str | None) -> list[JsonObject]:
    """Return the edits that lead from a step to another in a case; the case it has goes there instead."""
    edge: JsonObject = {"op": "connect", "from": from_.id, "to": to.id}
    if condition is None:
        return [edge]
    same = _same_case(plan, from_, condition)
    if same is not None:
        return [{"op": "update_transition", "transition": same.id, "set": {"to": to.id}}]
    return [edge | {"type": "condition", "when": {"text": condition}}]


def _same_case(plan: Plan, from_: Step, condition: str) -> Transition | None:
    words = content_of(condition)
    wanted = [w for w in words if len(words) == 1 or not any(akin(w, n) for n in content_of(from_.name))]
    if not wanted or any(word in f" {condition.lower()} " for word in (" not ", "n't ")):
        return None
    for edge in plan.workflow.outgoing(from_.id):
        has = content_of(edge.when.text) if edge.when and edge.when.text else []
        if has and len(has) == len(wanted) and all(any(akin(word, one) for one in wanted) for word in has):
            return edge
    return None
