"""Skills that look into a workflow: analyse, where it can get stuck, validate, fix, and answer a question."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.mood import asked
from workflow_agent.assistant.offline.patterns import Request, number_of
from workflow_agent.assistant.offline.questions.answers import Outcome, answered
from workflow_agent.assistant.offline.questions.question import vocabulary_of
from workflow_agent.assistant.offline.questions.reading import ALL, OTHER, is_of_all, ways_asked
from workflow_agent.assistant.offline.references import Steps, mention_in
from workflow_agent.assistant.offline.skills import catalogue, changing
from workflow_agent.assistant.offline.skills.changing import apply_edits
from workflow_agent.assistant.offline.skills.targets import is_pronoun, read_workflow, spoken, which_workflow
from workflow_agent.assistant.offline.skills.versions import is_preview, previewed
from workflow_agent.assistant.offline.tokens import Tokens, read_tokens
from workflow_agent.assistant.offline.turn.focus import focus, last_told
from workflow_agent.assistant.offline.turn.outcome import (
    Call,
    Candidate,
    Choice,
    JsonObject,
    Proposal,
    Reply,
    Skill,
    Suggestion,
    ToolFailure,
    with_fixes,
)
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording import (
    bulleted,
    clipped,
    condition_of,
    counted,
    describe_findings,
    example_step,
    joined,
    named,
    numbered,
    versioned,
)
from workflow_agent.workflows.model.durations import duration_in_words
from workflow_agent.workflows.model.workflow import Workflow

_ABOUT_WAITING = re.compile(
    r"stuck|wait|deadline|timeout|time limit|dead.?end|no way|never|unreachable|forever|hang|stall|endless|"
    r"loop|escalat|block|overdue",
    re.IGNORECASE,
)
_SEVERITIES = (("error", "error"), ("warning", "warning"), ("info", "note"))


def analyse(turn: Turn, request: Request) -> Skill:
    """Report what can go wrong, most severe first, and offer to fix what has a fix."""
    result = yield from _analysed(turn, request)
    return _report(result, result["findings"], proof=result["proof"]["in_words"])


def _analysed(turn: Turn, request: Request) -> Generator[Call, Any, JsonObject]:
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    return (yield Call("analyze_workflow", {"workflow": ref.id}))


def stuck(turn: Turn, request: Request) -> Skill:
    """Report where work can come to rest: findings about waiting, and what waits anyway."""
    workflow = yield from read_workflow(turn, request.slots.get("workflow"))
    result = yield Call("analyze_workflow", {"workflow": workflow.id})
    findings: list[JsonObject] = result["findings"]
    about = [f for f in findings if _ABOUT_WAITING.search(f"{f['rule']} {f['message']}")]
    return _report(result, about, context=_waits(workflow), others=len(findings) - len(about))


def deadlock(turn: Turn, request: Request) -> Skill:
    """Say whether branches can wait for each other for ever, which waiting for people is not."""
    result = yield from _analysed(turn, request)
    found = [item for item in result["findings"] if item["rule"] == "deadlock"]
    if found:
        return _report(result, found)
    return Reply(
        f"No, the analysis finds no deadlock in {versioned(result['workflow'])}: "
        f"no step waits for a branch that never comes. {result['proof']['in_words']} "
        'What waits for people or services is another matter; ask "where can it get stuck?" for that.'
    )


def _waits(workflow: Workflow) -> str:
    """Return which steps take their time: people without a deadline, long deadlines, waits."""
    others = [s for s in workflow.steps if s.type in ("human", "event")]
    open_ended = [named(s) for s in others if not s.timeout]
    timed = [f"{named(s)} for up to {duration_in_words(s.timeout)}" for s in others if s.timeout]
    waits = [
        f"{named(s)} for {duration_in_words(s.duration)}" for s in workflow.steps if s.type == "wait" and s.duration
    ]
    told = [
        f"It waits for people without any deadline at {joined(open_ended)}." if open_ended else "",
        f"It may wait at {joined(timed)}." if timed else "",
        f"It waits on purpose at {joined(waits)}." if waits else "",
    ]
    return " ".join(line for line in told if line)


def _report(
    result: JsonObject, findings: Sequence[JsonObject], *, context: str = "", others: int = 0, proof: str = ""
) -> Reply:
    workflow = result["workflow"]
    name = versioned(workflow)
    parts = [context] if context else []
    if findings:
        parts.insert(0, f"In {name} I found {_totals(findings)}:\n\n{describe_findings(findings)}")
    elif context:
        parts.append(f"The analysis of {name} found nothing else of that kind.")
    else:
        parts.append(f"I found nothing wrong in {name}.")
    if others:
        parts.append(
            f'There {"is" if others == 1 else "are"} {counted(others, "other finding")}; ask "what can go '
            f'wrong?" for all.'
        )
    parts += [proof] if proof else []
    return with_fixes("\n\n".join(parts), workflow, findings)


def _totals(findings: Sequence[JsonObject]) -> str:
    totals = [(sum(item["severity"] == key for item in findings), word) for key, word in _SEVERITIES]
    return joined([counted(number, word) for number, word in totals if number])


def validate(turn: Turn, request: Request) -> Skill:
    """Say whether a workflow is valid, and if not why."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    result = yield Call("validate_workflow", {"workflow": ref.id})
    name = versioned(result["workflow"])
    if result["valid"]:
        return Reply(f'Yes, {name} is valid: the check found no errors. Ask "what can go wrong?" for a closer look.')
    return Reply(f"No, {name} has errors:\n\n{describe_findings(result['findings'])}")


def fix(turn: Turn, request: Request) -> Skill:
    """Apply every fix that is safe, or those of the findings that are numbered."""
    phrase = request.slots.get("workflow")
    named = None if phrase is None or is_pronoun(phrase) else phrase
    ref = yield from which_workflow(turn, named, to_change=True)
    if "n" not in request.slots:
        result = yield Call("fix_findings", {"workflow": ref.id})
        return _mended(result)
    result = yield Call("analyze_workflow", {"workflow": ref.id})
    groups = tuple(tuple(item.get("fix") or ()) for item in result["findings"])
    return (yield from apply_proposal(Proposal(Candidate(ref.id, ref.name), groups), request.slots["n"]))


def _mended(result: JsonObject) -> Reply:
    """Return what was fixed, or would be, and what is left and why."""
    workflow, left = result["workflow"], result["left"]
    kept = [{**item, "message": f"{item['message']} I left it: {item['why']}."} for item in left]
    rest = f"What is left:\n\n{describe_findings(kept)}" if left else "The analysis finds nothing else."
    if is_preview(result):
        asked = previewed(result)
        return Reply(f"{asked.text}\n\n{rest}", asked.offer)
    if not result["changes"]:
        nothing = f"There is nothing in **{workflow['name']}** that I can fix by myself."
        return Reply(f"{nothing} {rest}" if left else f"I found nothing wrong in **{workflow['name']}**.")
    count = counted(len(result["fixed"]), "finding")
    head = f"Done: I fixed {count}; **{workflow['name']}** is now version {workflow['version']}."
    return Reply(f"{head}\n\n{bulleted(result['changes'])}\n\n{rest}")


def picked_groups(proposal: Proposal, numbers: str | None) -> list[tuple[JsonObject, ...]]:
    """Return the groups of edits that "1 and 3" picks; without numbers all."""
    if numbers is None:
        return [group for group in proposal.groups if group]
    wanted = [
        number_of(part.strip().removeprefix("number ").removeprefix("#"))
        for part in re.split(r",|&|\band\b", numbers)
        if part.strip()
    ]
    return [proposal.groups[n - 1] for n in wanted if n and n <= len(proposal.groups) and proposal.groups[n - 1]]


def apply_proposal(proposal: Proposal, numbers: str | None = None, *, dry_run: bool = False) -> Skill:
    """Apply what was proposed; where the fixes do not go together, the first one alone."""
    groups = picked_groups(proposal, numbers)
    if not groups:
        return Reply("There is nothing I can fix by myself there. Tell me what to change and I will do it.")
    edits = list({repr(edit): edit for group in groups for edit in group}.values())
    try:
        return (yield from apply_edits(proposal.workflow, edits, dry_run=dry_run))
    except ToolFailure:
        if len(groups) == 1:
            raise
    reply = yield from apply_edits(proposal.workflow, groups[0])
    return Reply(f"The fixes do not go together, so I made the first one.\n\n{reply.text}", reply.offer)


_MOST_CHARS = 600
_MOST_NAMED = 12
"""Steps that are named where words mean none of them."""
_SURE = 0.9
"""How certain the answer must be to what may be no question."""
_MOST_PLAIN = 8
"""Words that may ask without a verb."""


def answer(turn: Turn, text: str, otherwise: Skill | None = None) -> Skill:
    """Answer a question, for what of it was understood, and name the rest; deny only what was read wholly."""
    whole = read_tokens(text[:_MOST_CHARS])
    tokens = asked(whole)
    at_hand = focus(turn)
    if catalogue.is_about_all(turn, tokens):
        return (yield from catalogue.answer(tokens, at_hand.id if at_hand else None))
    target = yield from _target(turn, whole, text)
    if target is None:
        return (yield from otherwise if otherwise is not None else _looked_up(turn, tokens))
    workflow, rest = target
    outcome = answered(workflow, rest, Steps(workflow, turn.chosen, last_told(turn)))
    told = outcome.text()
    if told is None:
        back = _asked_back(turn, workflow, outcome)
        return back if at_hand is None else (yield from changing.offer_asked(turn, text, workflow, back))
    about = f"\n\nThat is **{workflow.name}** (`{workflow.id}`)."
    return Reply(told if at_hand is None or at_hand.id == workflow.id or workflow.name in told else told + about)


def answer_or(turn: Turn, text: str, otherwise: Skill) -> Skill:
    """Answer what is asked without a verb, "deadline of the audit", where it is read wholly; else do as told."""
    tokens = read_tokens(text[:_MOST_CHARS])
    tells = any(t.has("aux") for t in tokens[1:]) or any(t.entry.verb and not t.has("noun") for t in tokens)
    if len(tokens) > _MOST_PLAIN or focus(turn) is None or tells:
        return (yield from otherwise)
    workflow = yield from read_workflow(turn, None)
    outcome = answered(workflow, tokens, Steps(workflow, turn.chosen, last_told(turn)))
    told = outcome.text() if outcome.certainty > _SURE else None
    return Reply(told) if told is not None else (yield from otherwise)


def _looked_up(turn: Turn, tokens: Tokens) -> Skill:
    """Answer of all workflows where none is at hand; a question about "it" asks which one."""
    best = next(iter(ways_asked(tokens, None)), None)
    words = [t for _, some in (best.slots if best else ()) for t in some if t.is_content]
    is_of_one = not words and best is not None and best.kind != OTHER and not best.kind.startswith(ALL)
    if is_of_one or any(t.is_("it", "this", "its") for t in tokens):
        # Asks which one, where it cannot be told.
        yield from read_workflow(turn, None)
        return Reply(spoken()["off_topic"])
    words = words or [t for t in tokens if counts(t) and t.kind != "punct" and not t.among("catalogue.said")]
    if not words and not any(t.is_("many", "have", "there") for t in tokens):
        return Reply(spoken()["off_topic"])
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    found, _, missing = yield from catalogue.chosen_by(words, listed)
    if words and not is_of_all(tokens) and len(found) == 1 and not missing:
        workflow = yield from read_workflow(turn, found[0]["id"])
        told = answered(workflow, tokens, Steps(workflow)).text()
        if told is not None:
            return Reply(f"{told}\n\nThat is **{workflow.name}** (`{workflow.id}`).")
    reply = yield from catalogue.answer(tokens, None)
    return Reply(spoken()["off_topic"]) if reply.text.startswith("I can't tell") else reply


def _asked_back(turn: Turn, workflow: Workflow, outcome: Outcome) -> Reply:
    """Return what is asked back where a question has no answer: which step, or whether another question is meant."""
    name = f"**{workflow.name}**"
    if (unmeant := outcome.unmeant) is not None:
        said = clipped(str(unmeant), 80)
        if not unmeant.phrase:
            return Reply(f"I see no condition in {name} that “{said}” means. {_conditions(workflow)}".strip())
        if not unmeant.candidates:
            return Reply(f"I see no step in {name} that “{said}” means. Its steps are {_step_names(workflow)}.")
        offer = Choice(turn.text, unmeant.phrase, unmeant.candidates, turn.chosen)
        if len(unmeant.candidates) == 1:
            return Reply(f"Do you mean **{unmeant.candidates[0].name}** by “{said}”?", offer)
        return Reply(f"Which step do you mean by “{said}”?\n\n{numbered(unmeant.candidates)}", offer)
    if outcome.offered:
        return Reply(f"Do you mean: “{outcome.offered}”?", Suggestion(outcome.offered))
    example = f"what happens after {example_step(workflow).name.rstrip('?')}?"
    return Reply(
        f"I did not understand that question about {name}, so I do not answer it.\n"
        f"You can ask, for example, “{example}” or “who does what?”."
    )


def _conditions(workflow: Workflow) -> str:
    """Return the conditions there are, with the steps where ways part by them."""
    rows: dict[str, list[str]] = {}
    for step, edge in ((s, e) for e in workflow.transitions if e.when and (s := workflow.step(e.from_))):
        rows.setdefault(step.name, []).append(condition_of(edge))
    told = [f"at **{step}** {joined([f'“{one}”' for one in some], 'or')}" for step, some in rows.items()]
    return f"There are: {joined(told[:_MOST_NAMED])}." if told else ""


def _step_names(workflow: Workflow) -> str:
    some = [f"**{step.name}**" for step in workflow.steps if step.type not in ("fork", "join", "end")]
    more = [f"{len(some) - _MOST_NAMED} more"] if len(some) > _MOST_NAMED else []
    return joined([*some[:_MOST_NAMED], *more])


def _target(turn: Turn, tokens: Tokens, text: str) -> Generator[Call, Any, tuple[Workflow, Tokens] | None]:
    """Return the workflow that a question is about, and the question without the words that say so."""
    at_hand = focus(turn)
    rest, name = changing.named_whole(tokens)
    if name and not all(t.lower in ("this", "that", "whole", "entire") or not counts(t) for t in name):
        phrase = text[name[0].start : name[-1].end]
        mine = at_hand is not None and all(t.lower in at_hand.name.casefold() for t in name if counts(t))
        return (yield from read_workflow(turn, None if mine else phrase)), rest
    settled = "" in turn.chosen or at_hand is not None
    own = (yield from read_workflow(turn, None)) if settled else None
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    known = vocabulary_of(own) if own is not None else frozenset[str]()
    found = mention_in(tokens, listed, known, own.id if own is not None else None)
    if found is not None:
        if own is not None and own.id == found[0]:
            return own, found[1]
        return (yield from read_workflow(turn, found[0])), found[1]
    if own is None and len(listed) == 1:
        return (yield from read_workflow(turn, listed[0]["id"])), tokens
    return (own, tokens) if own is not None else None
