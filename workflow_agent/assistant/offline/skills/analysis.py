"""Skills that judge a workflow: analyse, where it can get stuck, validate, fix."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from workflow_agent.assistant.offline.request import Request, ordinal_of
from workflow_agent.assistant.offline.skills.changing import apply_edits
from workflow_agent.assistant.offline.skills.confirming import is_preview, previewed
from workflow_agent.assistant.offline.skills.targets import is_pronoun, read_workflow, which_workflow
from workflow_agent.assistant.offline.turn.outcome import (
    Call,
    Candidate,
    JsonObject,
    Proposal,
    Reply,
    Skill,
    ToolFailure,
    fixes_offered,
)
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording import counted, describe_findings, joined, shall_i_fix
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
    ref = yield from which_workflow(turn, _workflow_phrase(request))
    result = yield Call("analyze_workflow", {"workflow": ref.id})
    return _report(result, result["findings"], "", proof=result["proof"]["in_words"])


def _workflow_phrase(request: Request) -> str | None:
    """Return the workflow a question names; "where can it get stuck" names none."""
    return request.slots.get("workflow")


def stuck(turn: Turn, request: Request) -> Skill:
    """Report where work can come to rest: findings about waiting, and what waits anyway."""
    workflow = yield from read_workflow(turn, request.slots.get("workflow"))
    result = yield Call("analyze_workflow", {"workflow": workflow.id})
    findings: list[JsonObject] = result["findings"]
    about = [f for f in findings if _ABOUT_WAITING.search(f"{f['rule']} {f['message']}")]
    return _report(result, about, _waits(workflow), others=len(findings) - len(about))


def deadlock(turn: Turn, request: Request) -> Skill:
    """Say whether branches can wait for each other for ever, which waiting for people is not."""
    what = request.slots.get("workflow")
    ref = yield from which_workflow(turn, what)
    result = yield Call("analyze_workflow", {"workflow": ref.id})
    found = [item for item in result["findings"] if item["rule"] == "deadlock"]
    if found:
        return _report(result, found, "")
    name = f"**{result['workflow']['name']}** (version {result['workflow']['version']})"
    return Reply(
        f"No, the analysis finds no deadlock in {name}: no step waits for a branch that never comes. "
        f"{result['proof']['in_words']} "
        'What waits for people or services is another matter; ask "where can it get stuck?" for that.'
    )


def _waits(workflow: Workflow) -> str:
    """Return which steps take their time: people without a deadline, long deadlines, waits."""
    open_ended = [f"**{s.name}** (`{s.id}`)" for s in workflow.steps if s.type in ("human", "event") and not s.timeout]
    timed = [
        f"**{s.name}** (`{s.id}`) for up to {duration_in_words(s.timeout)}"
        for s in workflow.steps
        if s.timeout and s.type in ("human", "event")
    ]
    waits = [
        f"**{s.name}** (`{s.id}`) for {duration_in_words(s.duration)}"
        for s in workflow.steps
        if s.type == "wait" and s.duration
    ]
    told = [
        f"It waits for people without any deadline at {joined(open_ended)}." if open_ended else "",
        f"It may wait at {joined(timed)}." if timed else "",
        f"It waits on purpose at {joined(waits)}." if waits else "",
    ]
    return " ".join(line for line in told if line)


def _report(
    result: JsonObject, findings: Sequence[JsonObject], context: str, *, others: int = 0, proof: str = ""
) -> Reply:
    workflow = result["workflow"]
    name = f"**{workflow['name']}** (version {workflow['version']})"
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
    offer = fixes_offered(Candidate(workflow["id"], workflow["name"]), findings)
    if offer:
        parts.append(shall_i_fix(findings))
    return Reply("\n\n".join(parts), offer)


def _totals(findings: Sequence[JsonObject]) -> str:
    totals = [(sum(item["severity"] == key for item in findings), word) for key, word in _SEVERITIES]
    return joined([counted(number, word) for number, word in totals if number])


def validate(turn: Turn, request: Request) -> Skill:
    """Say whether a workflow is valid, and if not why."""
    ref = yield from which_workflow(turn, request.slots.get("workflow"))
    result = yield Call("validate_workflow", {"workflow": ref.id})
    workflow = result["workflow"]
    name = f"**{workflow['name']}** (version {workflow['version']})"
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
    rest = f"What is left:\n\n{_left(left)}" if left else "The analysis finds nothing else."
    if is_preview(result):
        asked = previewed(result)
        return Reply(f"{asked.text}\n\n{rest}", asked.offer)
    if not result["changes"]:
        nothing = f"There is nothing in **{workflow['name']}** that I can fix by myself."
        return Reply(f"{nothing} {rest}" if left else f"I found nothing wrong in **{workflow['name']}**.")
    lines = "\n".join(f"- {line}" for line in result["changes"])
    count = counted(len(result["fixed"]), "finding")
    head = f"Done: I fixed {count}; **{workflow['name']}** is now version {workflow['version']}."
    return Reply(f"{head}\n\n{lines}\n\n{rest}")


def _left(left: Sequence[JsonObject]) -> str:
    told = [{**item, "message": f"{item['message']} I left it: {item['why']}."} for item in left]
    return describe_findings(told)


def picked_groups(proposal: Proposal, numbers: str | None) -> list[tuple[JsonObject, ...]]:
    """Return the groups of edits that "1 and 3" picks; without numbers all."""
    if numbers is None:
        return [group for group in proposal.groups if group]
    wanted = [
        ordinal_of(part.strip().removeprefix("number ").removeprefix("#"))
        for part in re.split(r",|&|\band\b", numbers)
        if part.strip()
    ]
    return [proposal.groups[n - 1] for n in wanted if n and n <= len(proposal.groups) and proposal.groups[n - 1]]


def apply_proposal(
    proposal: Proposal, numbers: str | None = None, *, dry_run: bool = False
) -> Generator[Call, Any, Reply]:
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
