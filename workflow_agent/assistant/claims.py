"""Changes that a reply claims, held against those that its run made."""

import re
from collections.abc import Sequence

from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import READ_ONLY_MODES, WorkflowContext
from workflow_agent.assistant.providers import OFFLINE
from workflow_agent.conversations.document import WRITES, AgentReply

_LOOK_BACK = frozenset({"recall", "search_history", "get_turn", "list_changes", "compare_versions", "run_python"})
"""Whoever used these tells of what was done before."""
_DEEDS = frozenset({
    "added", "applied", "assigned", "changed", "connected", "copied", "created", "deleted", "duplicated",
    "imported", "inserted", "merged", "modified", "moved", "removed", "renamed", "replaced", "restored",
    "reverted", "saved", "split", "undid", "undone", "updated",
})  # fmt: skip
_BESIDE = frozenset({"now", "just", "also", "already", "successfully", "then", "both"})
_NOT_SAID = frozenset({
    # A wish or a doubt is no report,
    "unless", "whether", "would", "could",
    "should", "can", "may", "might", "will", "shall", "want", "like", "not", "never", "nothing", "no", "none",
    "nobody", "neither", "nor", "without", "don't", "didn't", "haven't", "hasn't", "can't", "cannot",
    # what was done earlier is borne out by earlier turns,
    "earlier", "previously", "ago", "yesterday", "last", "turn", "turns", "version", "versions", "history",
    "ever", "who", "whoever", "users", "people",
    # and these are parts of the answer itself.
    "summary", "list", "table", "draft", "example", "overview", "diagram", "note", "notes", "outline",
    "suggestion", "suggestions", "proposal", "explanation", "answer", "below", "preview",
})  # fmt: skip
_CONDITIONS = frozenset({"if", "when", "whenever", "once", "after", "before", "until"})
"""Before a deed they make it one that is not done yet."""
_ABOUT = frozenset({"by", "on", "at", "in", "from", "for", "since"})
"""After a bare participle they tell of a fact: "Created by Anna"."""
_CODE = re.compile(r"```[^`]*```|`[^`\n]*`")
_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»')
_SENTENCE = re.compile(r"[^.!?:;\n]+[.!?:;\n]?")
_WORD = re.compile(r"[a-z]+(?:['\u2019][a-z]+)?")
_MOST_CLAIMS = 5
_MOST_CHARS = 300


async def confirmed(ctx: RunContext[WorkflowContext], answer: str) -> str:
    """Return an answer whose claims were held against the record; what stands though sent back once is noted.

    Raises:
        ModelRetry: It claims a change that no tool made, for the first time.
    """
    evidence = ctx.deps.evidence
    claims = claims_in(answer) if evidence.model != OFFLINE else ()
    if not claims or _is_borne_out(ctx.deps):
        return answer
    profile = ctx.deps.profile
    steps = profile.max_iterations if profile else 0
    if evidence.is_asked_again or ctx.last_attempt or ctx.usage.requests >= steps:
        evidence.unconfirmed_claims = claims
        return answer
    evidence.is_asked_again = True
    shown = " ".join(claims)
    waits = " A preview was shown; it waits for a yes." if ctx.deps.progress.preview else ""
    raise ModelRetry(
        f"Your answer says: {shown!r} The record of this message shows no change: no tool made one.{waits} "
        "If it is to be done, call the tool that does it. Otherwise answer again, and claim nothing that was "
        "not done."
    )


def _is_borne_out(deps: WorkflowContext) -> bool:
    """Say whether the record shows deeds, of this run or, where nothing is to be changed, of earlier ones."""
    progress = deps.progress
    if progress.has_written or progress.phase_changes or progress.handoffs:
        return True
    if not _LOOK_BACK.isdisjoint(deps.evidence.tools_that_answered()):
        return True
    earlier = (event for event in deps.conversation.events if isinstance(event, AgentReply))
    wrote = any(touch.change in WRITES for reply in earlier for touch in reply.workflows_touched)
    return wrote and progress.mode.name in READ_ONLY_MODES


def claims_in(answer: str) -> tuple[str, ...]:
    """Return the sentences of an answer that say that something was changed just now, the first few.

    Quoted text and code are not the speaker's words; offers, conditions and what was done earlier are no
    claims. A word list, and no more: what it does not know it lets pass.
    """
    own = "\n".join(line for line in answer.split("\n") if not line.lstrip().startswith(">"))
    own = _QUOTED.sub(" … ", _CODE.sub(" … ", own))
    found = [sentence.strip() for sentence in _SENTENCE.findall(own) if _claims(sentence)]
    return tuple(one[:_MOST_CHARS] for one in found[:_MOST_CLAIMS])


def _claims(sentence: str) -> bool:
    words = [word.replace("\u2019", "'") for word in _WORD.findall(sentence.lower())]
    if sentence.rstrip().endswith("?") or not _NOT_SAID.isdisjoint(words):
        return False
    end = next((at for at, word in enumerate(words) if word in _CONDITIONS), len(words))
    return any(_is_claimed(words, at) for at, word in enumerate(words[:end]) if word in _DEEDS)


def _is_claimed(words: Sequence[str], at: int) -> bool:
    before = [word for word in words[max(at - 5, 0) : at] if word not in _BESIDE]
    if not before:
        # "Deleted." and "Added a review."
        return words[at + 1 : at + 2] == [] or words[at + 1] not in _ABOUT
    match before[-2:]:
        case [*_, "i" | "we" | "i've" | "we've"] | ["i" | "we", "have"] | ["has" | "have", "been"]:
            return True
        case _:
            return before == ["done"]
