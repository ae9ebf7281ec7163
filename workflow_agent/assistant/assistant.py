"""The agent: its instructions, which tools a request offers, and what it records."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_ai import FunctionToolset, ModelRetry, RunContext
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.models.instrumented import InstrumentationSettings

from workflow_agent.assistant.context import READ_ONLY_MODES, WorkflowContext
from workflow_agent.assistant.loop import AgentLoop
from workflow_agent.assistant.offered_tools import OfferedTools, RecordedCalls
from workflow_agent.assistant.providers import OFFLINE
from workflow_agent.assistant.record import Told
from workflow_agent.assistant.tools.listed import HOW_TO_CALL, USE_TOOL, called_directly
from workflow_agent.assistant.tools.registry import WRITING_TOOLS, workflow_tools
from workflow_agent.assistant.tools.shapes import shapes
from workflow_agent.assistant.window.layout import Modules, OfferByMode, PromptLayout, laid_out, marked, modes_sent
from workflow_agent.assistant.window.record import roster_notes
from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.calls import HOW_TO_READ, PROGRAM_TOOL, latest_calls
from workflow_agent.conversations.document import WRITES, AgentReply, Phase
from workflow_agent.errors import WorkflowNotFound

if TYPE_CHECKING:
    from workflow_agent.assistant.foreign_tools import ForeignTools


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
    if evidence.model == OFFLINE or _is_borne_out(ctx.deps):
        return answer
    claims = claims_in(answer)
    if not claims:
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
    if any(touch.change in WRITES for touch in progress.touched.values()):
        return True
    if progress.phase_changes or progress.handoffs or _LOOK_BACK.intersection(deps.evidence.tools_that_answered()):
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
        case [*_, "i" | "we" | "i've" | "we've"]:
            return True
        case ["i" | "we", "have"]:
            return True
        case ["has" | "have", "been"]:
            return True
        case _:
            return before == ["done"]


TOOL_RETRIES = 3
"""How often a tool may ask the model to mend one call; more often means that it does not understand."""


@dataclass(frozen=True, slots=True)
class Assistant:
    """The agent, and how large the parts of its requests are that depend on the mode alone."""

    loop: AgentLoop[WorkflowContext]
    offer: OfferByMode
    modules: Modules
    phases: Mapping[Phase, str]
    foreign: "ForeignTools | None" = None
    """The tools of other MCP servers."""

    def overhead(self, deps: WorkflowContext, model: object, count: Callable[[str], int]) -> dict[str, int]:
        """Return the tokens of a run's prompt module, of its agent's tools and of its phase's guidance."""
        return {
            "prompt_module": sum(map(count, self.modules.of(modes_sent(deps, model)))),
            "phase": count(self.phases.get(deps.progress.phase, "")),
            "tools": sum(map(count, self.offer.sent(deps, model))),
        }


def build_assistant(
    prompts: Mapping[Mode, str],
    *,
    tool_timeout_seconds: float,
    phases: Mapping[Phase, str] | None = None,
    layout: PromptLayout = "auto",
    instrumentation: InstrumentationSettings | None = None,
    foreign: "ForeignTools | None" = None,
    own_tools: tuple[Callable[..., Any], ...] = (),
    own_writing: frozenset[str] = frozenset(),
) -> Assistant:
    """Return the assistant; its model, limits and dependencies come with each run.

    Args:
        prompts: The prompt module of each mode.
        tool_timeout_seconds: For one call.
        phases: What each phase adds to the instructions; nothing without it.
        layout: Whether requests keep their beginning; see `has_stable_prefix`.
        instrumentation: Where the framework reports its spans; nowhere without it.
        foreign: The tools of other MCP servers.
        own_tools: Tools of other packages.
        own_writing: The names of those that change workflows.
    """
    guidance = phases or {}
    modules = Modules(prompts, shapes())
    tools = workflow_tools(own_tools).tools
    offer = OfferByMode({name: tool.tool_def for name, tool in tools.items()}, layout, WRITING_TOOLS | own_writing)
    toolset = FunctionToolset(list(tools.values()), max_retries=TOOL_RETRIES, timeout=tool_timeout_seconds)

    async def instructions(ctx: RunContext[WorkflowContext]) -> str:
        deps = ctx.deps
        progress, conversation = deps.progress, deps.conversation
        in_phase = () if progress.phase == "chat" else (f"Phase: {progress.phase}",)
        facts = (f"Mode: {progress.mode.name}", *in_phase, *deps.notes)
        # Stable text first: providers price a repeated prefix at a fraction.
        return deps.evidence.told(
            Told("prompt_module", modules.told(progress.mode.name), is_lasting=True),
            Told("memory", roster_notes(deps.profile, deps.roster), is_lasting=True),
            Told("phase", guidance.get(progress.phase, ""), is_lasting=True),
            Told("memory", "\n".join(facts)),
            Told("workflow", await _open_workflow(deps)),
            Told("calls", "" if PROGRAM_TOOL in deps.idle_tools else HOW_TO_READ),
            Told("calls", latest_calls(conversation.calls, conversation.sealed_calls)),
        )

    def lay_out(ctx: RunContext[WorkflowContext], request: ModelRequestContext) -> ModelRequestContext:
        return marked(ctx, laid_out(offer, modules, ctx, request))

    loop = AgentLoop(
        "workflow_agent",
        OfferedTools(toolset, offer, foreign),
        instructions,
        lay_out,
        called_directly,
        (confirmed,),
        capabilities=(RecordedCalls(offer, foreign),),
        way_to=lambda tool, _ctx: HOW_TO_CALL if tool == USE_TOOL else "",
        tool_retries=TOOL_RETRIES,
        output_retries=1,
        instrumentation=instrumentation,
    )
    return Assistant(loop, offer, modules, guidance, foreign)


async def _open_workflow(deps: WorkflowContext) -> str:
    """Return the open workflow as it is now, which an edit in this very run may have changed."""
    workflow_id = deps.progress.open_workflow_id
    if workflow_id is None:
        return "Open workflow: none"
    try:
        workflow = await deps.workflows.get(deps.tenant, workflow_id)
    except WorkflowNotFound:
        return f"Open workflow: none ({workflow_id} was deleted)"
    outline = "\n".join(f"  {line}" for line in deps.outline(workflow).splitlines())
    return f'Open workflow: {workflow.id} "{workflow.name}" (version {workflow.version})\n{outline}'
