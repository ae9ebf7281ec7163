"""The frames of ways: what leads where, in which case, and what happens when a step fails."""

from collections.abc import Sequence

from workflow_agent.assistant.offline.clauses import counts, phrase_at, stripped
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.people import people_in, written
from workflow_agent.assistant.offline.placing import anchor, insert_on
from workflow_agent.assistant.offline.plan import Asked, Clause, NotRead, Plan, titled
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import times_at
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_FAILS = word_set("shaping.fails")
_GOING = word_set("shaping.going")
_CASE = ("if", "when", "whenever", "unless", "once")


def _goes(token: Token) -> bool:
    return token.kind == "word" and (token.lemma in _GOING or token.lower in _GOING)


def read_case(plan: Plan, clause: Clause) -> Tokens:
    """Read what is to happen in a case: "if the payment fails, notify finance"; return the words not used.

    Raises:
        NotRead: It tells of no case.
        StepUnclear: It does, but its words may mean several steps, or none.
    """
    case, act = _case_and_act(plan.named(clause.tokens))
    if not case or not act or act[0].is_("connect", "link") or any(t.is_("from") for t in act):
        raise NotRead
    only = any(t.is_("only") for t in clause.tokens)
    if only and (step := _only_if(plan, act)) is not None:
        happens_if(plan, step, plan.said(case))
        return ()
    if only:
        raise NotRead
    failing = _failing(plan, case)
    _, act = stripped(act)
    target = _target(plan, act)
    if failing is not None:
        _on_failure(plan, failing, act, target)
    elif target is not None:
        source, condition = _source_and_case(plan, plan.said([t for t in case if t.kind != "punct"]))
        plan.do(*connections(plan, source, target, condition))
    elif act and (way := _outcome(plan, case)) is not None and not act[0].among("shaping.no_outcome"):
        insert_on(plan, act, way)
    elif act and act[0].is_("skip", "bypass", "omit") and (step := plan.maybe(act[1:])) is not None:
        plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": f"not ({plan.said(case)})"}}})
    else:
        raise NotRead
    return ()


def _case_and_act(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Return the words of a condition, and those of what is to happen then."""
    opens = [
        at for at in range(len(tokens)) if "if" in phrase_at(tokens, at, "markers.tsv")[1] and tokens[at].kind == "word"
    ]
    if not opens and len(tokens) > 1 and tokens[0].is_("on", "upon", "in"):
        cut = next((i for i, t in enumerate(tokens) if t.text == ","), 0)
        skip = 3 if tokens[0].is_("in") and tokens[1].is_("case") else 1
        return tuple(tokens[skip:cut]), tuple(tokens[cut + 1 :])
    if not opens:
        return (), ()
    at = opens[0]
    end = phrase_at(tokens, at, "markers.tsv")[0]
    if at > 0:
        return tuple(tokens[end:]), tuple(t for t in tokens[:at] if t.kind != "punct")
    cut = next((i for i in range(end + 1, len(tokens)) if tokens[i].text == "," or tokens[i].is_("then")), None)
    if cut is not None:
        return tuple(tokens[end:cut]), tuple(t for t in tokens[cut + 1 :] if not t.is_("then"))
    # "When consent is refused call the owner": the order begins with a verb behind what was told.
    for i in range(end + 2, len(tokens)):
        told = "ed" in tokens[i - 1].entry.form.split()
        if tokens[i - 1].lemma in _FAILS and tokens[i - 1].has("verb") and not tokens[i].has("aux", "prep"):
            if tokens[i].has("det") and not any(t.has("aux") for t in tokens[i:]):
                return (), ()
            return tuple(tokens[end:i]), tuple(tokens[i:])
        acts = tokens[i].entry.form.split()[:1] == ["base"] and not tokens[i].has("aux")
        if (told and acts) or tokens[i].is_("it", "they"):
            return tuple(tokens[end:i]), tuple(tokens[i:])
    return (), ()


def _only_if(plan: Plan, act: Tokens) -> Step | None:
    """Return the step of "do the legal review only if the amount is over 500"."""
    about = [
        t
        for t in act
        if counts(t)
        and not t.among("shaping.run")
        and not t.is_("only", "need", "necessary", "happen", "require", "do")
    ]
    return plan.maybe(about) if about else None


def happens_if(plan: Plan, step: Step, condition: str) -> None:
    """Let a step happen only in a case: by its own condition, or by that of the only way to it.

    Raises:
        NotRead: Several ways lead to it, each with its condition.
    """
    entering = plan.workflow.incoming(step.id)
    if not any(edge.when for edge in entering):
        plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": condition}}})
        return
    if len(entering) != 1:
        raise NotRead(f"several ways lead to {step.name!r}, each with its condition")
    plan.do({"op": "update_transition", "transition": entering[0].id, "set": {"when": {"text": condition}}})
    if len(plan.workflow.outgoing(entering[0].from_)) > 1:
        plan.notes = [*plan.notes, "the conditions of the other ways from there stay as they are"]


def _failing(plan: Plan, case: Tokens) -> Step | None:
    """Return the step of which a case says that it fails; None where the words are a condition that is there."""
    words = [t.lower for t in case if t.is_content]
    if any(e.when and e.when.text and set(content_of(e.when.text)) == set(words) for e in plan.workflow.transitions):
        return None
    at = next((at for at, t in enumerate(case) if t.lemma in _FAILS or t.lower in _FAILS), None)
    if at is None:
        cannot = any(t.is_("not") and case[i].is_("can", "could") for i, t in enumerate(case[1:]))
        return plan.maybe([t for t in case if t.is_content]) if cannot else None
    about = [t for t in (*case[:at], *case[at + 1 :]) if t.is_content and not t.among("shaping.case")]
    if case[:at] and any(t.is_content and counts(t) and not t.among("shaping.case") for t in case[at + 1 :]):
        # "If the layout goes wrong the specialist fixes it" tells more than that it fails.
        raise NotRead
    about = about if case[at].has("noun") and not case[:at] else [t for t in case[:at] if t in about]
    step = plan.step(about) if about else None
    if step is not None and _handles_failures(plan, step) and not akin(about[0].lower, content_of(step.name)[0]):
        # "If the load fails" is not about "Repair load", which is done when it did.
        raise Asked("When which step fails?", plan.text[: about[0].start], plan.text[about[-1].end :])
    return step


def _handles_failures(plan: Plan, step: Step) -> bool:
    return any(edge.type == "error" for edge in plan.workflow.incoming(step.id))


def _target(plan: Plan, act: Tokens) -> Step | None:
    """Return where "it goes back to the draft" leads, if it says no more than that."""
    to = next((at for at, t in enumerate(act) if at and t.is_("to", "with", "at", "into")), None)
    if to is None:
        return None
    cut = next((i for i in range(to, len(act)) if act[i].is_("instead", "again", "and")), len(act))
    head = [t for t in act[:to] if t.is_content or t.is_("back")]
    if not head or not all(_goes(t) or t.lower in PRONOUNS for t in head):
        return None
    return plan.step([t for t in act[to + 1 : cut] if not t.is_("who", "which", "again")])


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
    return any(akin(token.lower, one) for one in refusals) and any(word in refusals for word in said)


def _on_failure(plan: Plan, step: Step, act: Tokens, target: Step | None) -> None:
    """Say what happens when a step fails: an existing step, or a new one."""
    if any(t.is_("retry", "try", "attempt") for t in act) or any(times_at(act, at) for at in range(len(act))):
        raise NotRead
    if target is None and act and _goes(act[0]) and not act[0].is_("send", "pass", "hand", "end"):
        raise NotRead
    words = [t for t in act if t.kind != "punct" and not t.is_("too", "also", "as", "well", "instead")]
    if target is None and (repair := _repair(plan, step, words)) is not None:
        _repaired(plan, step, repair)
        return
    if any(t.has("aux") for t in words):
        words = [t for t in words if t.is_content and counts(t)]
        if target is None and plan.maybe(words) is None:
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
    target_id = target.id if target else str(plan.workflow.steps[-1].id)
    if not has_error:
        plan.do({"op": "add_error_path", "step": step.id, "to": target_id})
        return
    handler = plan.workflow.step(has_error[0].to)
    if target is None and handler is not None and not any(t.is_("instead") for t in act):
        # Whoever is told of it does not repair it.
        plan.do({"op": "connect", "from": target_id, "to": handler.id})
    elif handler is not None and handler.id != target_id and len(plan.workflow.incoming(handler.id)) == 1:
        plan.notes = [*plan.notes, f"“{handler.name}”, which a failure leads to now, would never be reached"]
    plan.do({"op": "update_transition", "transition": has_error[0].id, "set": {"to": target_id}})


def _repair(plan: Plan, step: Step, words: Sequence[Token]) -> JsonObject | None:
    """Return the new step of "the payroll manager files it by hand": somebody does the failed work; None for others."""
    found = people_in(plan.workflow, words)
    first = next((at for at, t in enumerate(words) if not t.has("det")), 0)
    end = found.get(first, 0)
    who = words[first:end]
    while end < len(words) and words[end].has("aux"):
        end += 1
    verb = words[end].entry.verb if end < len(words) else None
    rest = words[end + 1 :]
    named = any(t.is_content for t in rest) and not any(t.lower in PRONOUNS for t in rest)
    if not who or verb is None or (named and plan.maybe(words[end:]) is not None):
        return None
    by_hand = any(t.is_("manually", "hand") for t in rest)
    own = akin(verb, content_of(step.name)[0]) or verb in word_set("ways.repairs")
    if not (by_hand or (own and any(t.lower in PRONOUNS for t in rest))) or any(t.has("conj", "neg") for t in rest):
        return None
    _, *about = read_tokens(step.name)
    while about and about[0].has("prep", "part"):
        about.pop(0)
    said = [" ".join(one.text for one in about) if t.lower in PRONOUNS and about else t.text for t in rest]
    name = " ".join((verb, *said))
    return plan.draft_named(titled(name), written(plan.workflow, who)) | {"type": "human"}


def _repaired(plan: Plan, step: Step, repair: JsonObject) -> None:
    """Let a new step do by hand what failed, and go on behind the step that failed."""
    ways = plan.workflow.outgoing(step.id)
    plain = [edge for edge in ways if edge.type == "sequence" and edge.when is None]
    failed = [edge for edge in ways if edge.type == "error"]
    if len(plain) != 1:
        raise NotRead
    plan.do({"op": "add_step", "step": repair})
    if failed:
        plan.do({"op": "update_transition", "transition": failed[0].id, "set": {"to": repair["id"]}})
    else:
        plan.do({"op": "add_error_path", "step": step.id, "to": repair["id"]})
    plan.do({"op": "connect", "from": repair["id"], "to": plain[0].to})


def read_way(plan: Plan, clause: Clause) -> Tokens:
    """Read where a step or a case leads: "connect A to B", "rejected invoices go to B, not to C".

    Raises:
        NotRead: It tells no way.
        StepUnclear: It does, but of no step, or of what may be several.
    """
    tokens = plan.named(clause.tokens)
    if (way := _way_after(plan, tokens)) is not None:
        begins, target = way
        edge, *others = plan.workflow.outgoing(begins.id) or [None]
        if edge is None or edge.type != "sequence" or others:
            raise NotRead
        plan.do({"op": "update_transition", "transition": edge.id, "set": {"to": target.id}})
        return ()
    marks = [set(phrase_at(tokens, i, "markers.tsv")[1]) for i in range(len(tokens))]
    if any({"before", "after", "between"} & mark for mark in marks):
        raise NotRead
    if not (clause.verbs & {"connect", "back"} or any(_goes(t) for t in tokens)):
        raise NotRead
    said: dict[str, list[Token]] = {"": []}
    mark, avoids = "", False
    for at, token in enumerate(tokens):
        plain = token.kind == "word"
        if plain and token.is_(*_CASE):
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
        raise NotRead
    source = [t for t in said.get("from", ()) if not _goes(t)]
    beside = [t for t in said[""] if not _goes(t) and t.is_content] if source else []
    source = source or [t for t in said[""] if not _goes(t)]
    avoided = [step] if (step := plan.maybe(said.get("avoid", ()))) else []
    condition = plan.said(said["if"]) if said.get("if") else None
    redirects = "connect" not in clause.verbs and any(t.among("ways.redirecting") for t in tokens)
    _lead(plan, tuple(source), _other_step(plan, said["to"], source), avoided, condition, redirects=redirects)
    return tuple(beside)


def _way_after(plan: Plan, tokens: Tokens) -> tuple[Step, Step] | None:
    """Return from which step where "after the snow has settled go directly to grooming" leads."""
    at = next((i for i, t in enumerate(tokens[:-2]) if i > 1 and t.is_("go", "continue", "proceed", "jump", "skip")), 0)
    if not at or not tokens[0].is_("after") or any(t.is_(*_CASE) or t.has("neg") for t in tokens):
        return None
    to = next((i for i in range(at + 1, min(at + 4, len(tokens))) if tokens[i].is_("to", "with")), None)
    said = [t for t in tokens[1:at] if t.text != ","]
    source = anchor(plan, said, "after") if to else None
    target = plan.maybe(tokens[to + 1 :]) if to else None
    return (source, target) if source and target and source.id != target.id else None


def _other_step(plan: Plan, tokens: Sequence[Token], source: Sequence[Token]) -> Step:
    """Return the step that words mean; of several not the one that the way begins at."""
    some = plan.fits(tokens)
    if len(some) == 2 and (begins := plan.maybe(source)) in some:
        return some[1 - some.index(begins)]
    return plan.step(tokens)


def _lead(
    plan: Plan, source: Tokens, target: Step, avoided: Sequence[Step], condition: str | None, *, redirects: bool
) -> None:
    said = [t for t in source if t.is_content]
    edges = [e for e in plan.workflow.transitions if said and e.when and e.when.text and _fits_case(e.when.text, said)]
    if avoided:
        edges = [e for e in (edges or plan.workflow.transitions) if e.to == avoided[0].id]
        step = plan.maybe(said)
        edges = [e for e in edges if step is None or e.from_ == step.id]
    if len(edges) == 1 and condition is None:
        plan.do({"op": "update_transition", "transition": edges[0].id, "set": {"to": target.id}})
        return
    if not said:
        if condition is None:
            raise NotRead
        from_, condition = _source_and_case(plan, condition)
        plan.do(*connections(plan, from_, target, condition))
        return
    if (begins := plan.step(said)).id == target.id:
        # "The decision should come back to the clerk", who decides: nobody orders a step to lead to itself.
        raise NotRead
    plain = [edge for edge in plan.workflow.outgoing(begins.id) if edge.type == "sequence"]
    if condition is None and len(plain) == 1 and redirects:
        # "Standard answers go directly to the end from now on": and no longer where they went.
        plan.do({"op": "update_transition", "transition": plain[0].id, "set": {"to": target.id}})
        return
    plan.do(*connections(plan, begins, target, condition))


def _fits_case(text: str, said: Sequence[Token]) -> bool:
    own = content_of(text)
    return bool(own) and all(any(akin(t.lower, one) for t in said) for one in own)


def decider(plan: Plan, condition: str) -> Step:
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
    return decider(plan, condition), condition


def connections(plan: Plan, from_: Step, to: Step, condition: str | None) -> list[JsonObject]:
    """Return the edits that lead from a step to another in a case; the case it has goes there instead."""
    edge: JsonObject = {"op": "connect", "from": from_.id, "to": to.id}
    if condition is None:
        return [edge]
    if (same := _same_case(plan, from_, condition)) is not None:
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
