"""An agent with the tools of the product, over workflows kept in memory."""

from typing import Any

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.capabilities import PrepareTools
from pydantic_ai.tools import ToolDefinition

from tests.support.offline_documents import listed, ref, relevance
from tests.support.offline_world import Said, World, calls_in
from workflow_agent.domain.analysis import analyze, fixing
from workflow_agent.domain.diagram import diagram_of
from workflow_agent.domain.diff import describe_diff, diff_workflows
from workflow_agent.domain.edits import apply_edits, parse_edits
from workflow_agent.domain.errors import InvalidInput
from workflow_agent.domain.memory.telling import HEADING
from workflow_agent.domain.modes import infer_mode
from workflow_agent.domain.workflow import workflow_document
from workflow_agent.domain.workflow_parsing import parse_workflow, slug

WRITERS = frozenset({"create_workflow", "edit_workflow", "undo_change", "fix_findings", "delete_workflow"})
WRITING_MODES = frozenset({"creation", "modification"})


class Chat(World):
    """A conversation with the offline model."""

    async def say(self, text: str) -> Said:
        """Return what one turn did and answered."""
        previous = [call.tool_name for call in calls_in(self.history[-8:])]
        decided = infer_mode(text, previous_tools=previous, workflow_loaded=self.open_id is not None)
        self.current_mode = self.mode or decided.mode
        result = await AGENT.run(text, deps=self, model=self.model, message_history=self.history)
        self.history = result.all_messages()
        self.turns.append((text, result.output))
        return Said(result.output, calls_in(result.new_messages()), result.new_messages())


async def _offered(ctx: RunContext[World], tools: list[ToolDefinition]) -> list[ToolDefinition]:
    writes = ctx.deps.current_mode in WRITING_MODES
    return [t for t in tools if t.name not in ctx.deps.withheld and (writes or t.name not in WRITERS)]


AGENT: Agent[World, str] = Agent(
    deps_type=World, capabilities=[PrepareTools(_offered)], retries={"tools": 3}, instructions="You help."
)


@AGENT.instructions
def _facts(ctx: RunContext[World]) -> str:
    world = ctx.deps
    lines = [f"Mode: {world.current_mode}", "Today: 2026-11-21 (Saturday)"]
    if world.open_id is None:
        lines.append("Open workflow: none")
    else:
        opened = world.store[world.open_id][-1]
        lines.append(f'Open workflow: {opened.id} "{opened.name}" (version {opened.version})')
        lines += [f"  {step.id}: {step.name}" for step in opened.steps]
    if world.known:
        lines.append(HEADING)
        lines += [
            f'- {id_} "{world.store[id_][-1].name}": viewed turn 1 2026-11-21 09:00:00' for id_ in world.known
        ]
    return "\n".join(lines)


@AGENT.tool
async def list_workflows(
    ctx: RunContext[World], tag: str | None = None, trigger: str | None = None, limit: int = 20
) -> dict[str, Any]:
    """List workflows."""
    ctx.deps.guard("list_workflows")
    latest = [versions[-1] for versions in ctx.deps.store.values()]
    fitting = [w for w in latest if (tag is None or tag in w.tags)
               and (trigger is None or any(t.type == trigger for t in w.triggers))]  # fmt: skip
    return {"workflows": [listed(w) for w in fitting[:limit]], "total": len(fitting)}


@AGENT.tool
async def search_workflows(ctx: RunContext[World], query: str, limit: int = 5) -> dict[str, Any]:
    """Search workflows."""
    ctx.deps.guard("search_workflows")
    scored = [(relevance(query, versions[-1]), versions[-1]) for versions in ctx.deps.store.values()]
    hits = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])[:limit]
    found = [{"id": w.id, "name": w.name, "description": w.description, "score": score, "strategies": []}
             for score, w in hits]  # fmt: skip
    return {"query": query, "hits": found, "suggestions": []}


@AGENT.tool
async def get_workflow(ctx: RunContext[World], workflow: str, version: int | None = None) -> dict[str, Any]:
    """Read a workflow."""
    ctx.deps.guard("get_workflow")
    found = ctx.deps.find(workflow)
    if version is not None:
        found = next((w for w in ctx.deps.store[found.id] if w.version == version), found)
    return {"workflow": workflow_document(found), "outline": found.name}


@AGENT.tool
async def create_workflow(
    ctx: RunContext[World],
    name: str,
    description: str,
    steps: list[dict[str, Any]],
    transitions: list[dict[str, Any]],
    triggers: list[dict[str, Any]] = [],  # noqa: B006 - a tool's schema needs the default
    tags: list[str] = [],  # noqa: B006
    aliases: list[str] = [],  # noqa: B006
    start: str | None = None,
) -> dict[str, Any]:
    """Create a workflow."""
    ctx.deps.guard("create_workflow")
    named = [{"id": slug(step["name"]), **step} for step in steps]
    ids = {step["name"]: step["id"] for step in named}
    edges = [
        {**edge, "from": ids.get(edge["from"], edge["from"]), "to": ids.get(edge["to"], edge["to"])}
        for edge in transitions
    ]
    for edge in edges:
        if isinstance(edge.get("when"), str):
            edge["when"] = {"text": edge["when"]}
    document = {"id": f"wf_{slug(name)}", "name": name, "description": description, "steps": named,
                "transitions": edges, "triggers": triggers, "tags": tags, "aliases": aliases}  # fmt: skip
    created = parse_workflow(document | ({"start": ids.get(start, start)} if start else {}))
    ctx.deps.store[created.id] = [created]
    ctx.deps.open_id = created.id
    plain = workflow_document(created)
    return {
        "workflow": ref(created),
        "steps": plain["steps"],
        "transitions": plain["transitions"],
        "findings": [],
    }


@AGENT.tool
async def edit_workflow(
    ctx: RunContext[World], workflow: str, edits: list[dict[str, Any]], dry_run: bool = False
) -> dict[str, Any]:
    """Edit a workflow."""
    ctx.deps.guard("edit_workflow")
    before = ctx.deps.find(workflow)
    try:
        applied = apply_edits(before, parse_edits(edits))
    except InvalidInput as refused:
        raise ModelRetry(refused.message) from refused
    after = applied.workflow.model_copy(update={"version": before.version + 1})
    ctx.deps.store[after.id].append(after)
    known = {(f.rule, f.steps) for f in analyze(before)}
    found = [f.as_dict() for f in analyze(after) if (f.rule, f.steps) not in known]
    return {
        "workflow": ref(after),
        "previous_version": before.version,
        "changes": describe_diff(applied.diff),
        "dry_run": dry_run,
        "findings": found,
    }


@AGENT.tool
async def undo_change(ctx: RunContext[World], workflow: str, to_version: int | None = None) -> dict[str, Any]:
    """Undo."""
    ctx.deps.guard("undo_change")
    now = ctx.deps.find(workflow)
    wanted = to_version or now.version - 1
    old = next((w for w in ctx.deps.store[now.id] if w.version == wanted), None)
    if old is None:
        raise ModelRetry(f"There is no version {wanted} of {now.name!r}.")
    restored = old.model_copy(update={"version": now.version + 1})
    ctx.deps.store[now.id].append(restored)
    return {
        "workflow": ref(restored),
        "restored_version": wanted,
        "changes": describe_diff(diff_workflows(now, restored)),
    }


@AGENT.tool
async def fix_findings(ctx: RunContext[World], workflow: str) -> dict[str, Any]:
    """Fix."""
    ctx.deps.guard("fix_findings")
    before = ctx.deps.find(workflow)
    fixes = fixing.fix_findings(before)
    if fixes.edits:
        ctx.deps.store[before.id].append(fixes.workflow.model_copy(update={"version": before.version + 1}))
    after = ctx.deps.store[before.id][-1]
    return {
        "workflow": ref(after),
        "changes": describe_diff(diff_workflows(before, after)),
        "fixed": [{"rule": one.rule, "message": one.message} for one in fixes.fixed],
        "left": [one.finding.as_dict() | {"why": one.why} for one in fixes.left],
    }


@AGENT.tool
async def delete_workflow(ctx: RunContext[World], workflow: str) -> dict[str, Any]:
    """Show what deleting would do."""
    ctx.deps.guard("delete_workflow")
    found = ctx.deps.find(workflow)
    return {
        "workflow": ref(found),
        "applied": False,
        "reason": "it cannot be undone from a conversation",
        "changes": [f"Delete workflow {found.name!r} ({found.id})"],
    }


@AGENT.tool
async def validate_workflow(ctx: RunContext[World], workflow: str) -> dict[str, Any]:
    """Validate."""
    ctx.deps.guard("validate_workflow")
    found = ctx.deps.find(workflow)
    errors = [f.as_dict() for f in analyze(found) if f.severity == "error"]
    return {"workflow": ref(found), "valid": not errors, "findings": errors}


@AGENT.tool
async def analyze_workflow(ctx: RunContext[World], workflow: str) -> dict[str, Any]:
    """Analyse."""
    ctx.deps.guard("analyze_workflow")
    found = ctx.deps.find(workflow)
    findings = [f.as_dict() for f in analyze(found)]
    return {"workflow": ref(found), "findings": findings, "counts": {}}


@AGENT.tool
async def draw_diagram(ctx: RunContext[World], workflow: str, format: str = "mermaid") -> dict[str, Any]:  # noqa: A002
    """Draw."""
    ctx.deps.guard("draw_diagram")
    found = ctx.deps.find(workflow)
    return {"workflow": ref(found), "format": format, "diagram": diagram_of(found)}


@AGENT.tool
async def compare_versions(
    ctx: RunContext[World], workflow: str, from_version: int | None = None, to_version: int | None = None
) -> dict[str, Any]:
    """Compare."""
    ctx.deps.guard("compare_versions")
    now = ctx.deps.find(workflow)
    versions = {w.version: w for w in ctx.deps.store[now.id]}
    to = versions.get(to_version or now.version, now)
    before = versions.get(from_version or to.version - 1, to)
    changes = describe_diff(diff_workflows(before, to))
    return {
        "workflow": ref(now),
        "from_version": before.version,
        "to_version": to.version,
        "changes": changes,
    }


@AGENT.tool
async def search_history(ctx: RunContext[World], query: str, limit: int = 5) -> dict[str, Any]:
    """Search the conversation."""
    ctx.deps.guard("search_history")
    lines = [(at, who, text) for at, turn in enumerate(ctx.deps.turns, 1)
             for who, text in zip(("user", "assistant"), turn, strict=True)]  # fmt: skip
    said = [line for line in lines if query.lower() in line[2].lower()]
    return {"hits": [{"turn": at, "speaker": who, "excerpt": text[:80]} for at, who, text in said[:limit]]}


@AGENT.tool
async def get_turn(ctx: RunContext[World], turn: int) -> dict[str, Any]:
    """Read a turn."""
    ctx.deps.guard("get_turn")
    turns = ctx.deps.turns
    if not 1 <= turn <= len(turns):
        raise ModelRetry(f"There is no turn {turn}; there are {len(turns)}.")
    message, reply = turns[turn - 1]
    return {"turn": turn, "message": message, "response": reply, "tools": [], "workflows": []}


@AGENT.tool
async def switch_mode(ctx: RunContext[World], mode: str, reason: str) -> dict[str, Any]:
    """Switch the mode."""
    ctx.deps.guard("switch_mode")
    was, ctx.deps.current_mode = ctx.deps.current_mode, mode
    return {"mode": mode, "was": was}
