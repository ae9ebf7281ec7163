"""A conversation as Rich shows it: plain words first, figures beside them, nothing that needs colour."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Column, Table
from rich.text import Text

from workflow_agent.cli.context_view import of_context
from workflow_agent.cli.output import clean, facts_table, figures, folded, narrow, wide_table
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.document import AgentReply, Conversation, Event, SystemEvent, UserMessage
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.records import Records
from workflow_agent.conversations.runs import Run

_SHORT_CHARS = 600
_SIGNALS_SHOWN = 3


def of_conversation(conversation: Conversation) -> Iterator[RenderableType]:
    """Yield the header, each turn that is in the file in short, and the compactions."""
    title = clean(conversation.title or conversation.id)
    yield Panel(facts_table(_facts(conversation)), title=title, title_align="left")
    if conversation.sealed_turns:
        yield Text(f"Turns 1 to {conversation.sealed_turns:,} are sealed; --turn N shows any of them.", style="dim")
    for event in conversation.events:
        yield from _event(event, conversation, is_short=True)
    if conversation.compactions:
        yield Rule("Compactions", align="left")
        yield _compactions(conversation.compactions)


def of_turn(conversation: Conversation, records: Records, number: int) -> Iterator[RenderableType]:
    """Yield one turn in full: the message, each step with its calls, the reply, and what the model saw."""
    name = conversation.title or conversation.id
    where = " (sealed)" if number <= conversation.sealed_turns else ""
    yield clean(f"{name}, turn {number:,} of {conversation.turn_count:,}{where}", style="bold")
    for event in records.events:
        if not isinstance(event, SystemEvent) and event.turn == number:
            yield from _event(event, records, is_short=False)


def _facts(conversation: Conversation) -> Sequence[tuple[str, str | None]]:
    totals = conversation.usage_totals
    worked, origin = conversation.execution_time.total_ms, conversation.forked_from
    return [
        ("id", f"{conversation.id} (version {conversation.version})"),
        ("turns", f"{conversation.turn_count:,}, phase {conversation.phase}"),
        ("from", f"{_moment(conversation.created_at)} to {_moment(conversation.updated_at)}"),
        ("agents", ", ".join(sorted(conversation.agent_states)) or None),
        ("workflow", conversation.bound_workflow_id),
        ("mode", f"{conversation.mode_override}, set for all turns" if conversation.mode_override else None),
        ("forked from", f"{origin.conversation_id}, turn {origin.turn}" if origin else None),
        ("model", f"{totals.requests:,} requests, {_tokens(totals.input_tokens, totals.output_tokens)}"),
        ("cost", _cost_of_all(conversation)),
        ("worked for", _duration(worked) if worked else None),
    ]


def _event(event: Event, records: Records, *, is_short: bool) -> Iterator[RenderableType]:
    if isinstance(event, SystemEvent):
        yield clean(f"* {event.content}", style="dim italic")
    elif isinstance(event, UserMessage):
        yield Text()
        yield Rule(f"Turn {event.turn:,}, {_moment(event.at)}", align="left")
        yield _said(event.author, event.content, "cyan", is_short=is_short)
        broken_off = (run for run in records.runs if run.user_event_id == event.id and run.status != "completed")
        yield from (_ended(run, is_short=is_short) for run in broken_off)
    else:
        yield from _reply(event, records, is_short=is_short)


def _reply(reply: AgentReply, records: Records, *, is_short: bool) -> Iterator[RenderableType]:
    if is_short:
        yield Padding(_calls_in_short(reply.iterations), (0, 0, 0, 2))
    else:
        yield from _steps(reply.iterations)
    yield _said(reply.author, reply.content, "green", is_short=is_short)
    for touch in reply.workflows_touched:
        yield clean(f"  {touch.change} {touch.name} ({touch.id}, version {touch.version})", style="magenta")
    shown = (clean(line, style="dim") for line in _figures(reply, is_short=is_short))
    yield Padding(Group(*shown), (0, 0, 0, 2))
    if not is_short:
        for run in (one for one in records.runs if one.run_id == reply.run_id):
            yield clean(f"  run {run.run_id}, attempt {run.attempt}: {run.status}", style="dim")
        yield Text()
        yield from of_context(reply.context)


def _figures(reply: AgentReply, *, is_short: bool) -> Iterator[str]:
    told = list(reply.mode.signals)
    if is_short and len(told) > _SIGNALS_SHOWN:
        told[_SIGNALS_SHOWN:] = [f"and {len(told) - _SIGNALS_SHOWN} more"]
    signals = f": {', '.join(told)}" if told else ""
    yield f"mode {reply.mode.name} {reply.mode.confidence:.2f}, {reply.mode.source}{signals}"
    took = "" if reply.duration_ms is None else f" in {_duration(reply.duration_ms)}"
    usage = reply.usage
    requests = f"{usage.requests} request{'' if usage.requests == 1 else 's'}"
    sent = _tokens(usage.input_tokens, usage.output_tokens)
    yield f"{reply.model}: {requests}, {sent}{took}, {_cost(reply)}"
    used, budget = reply.context.get("used_tokens"), reply.context.get("budget_tokens")
    if isinstance(used, int) and isinstance(budget, int) and budget:
        yield f"context {used:,} of {budget:,} tokens ({used / budget:.0%}, {reply.context.get('level', '')})"


def _calls_in_short(iterations: Sequence[Iteration]) -> Text:
    """Return the calls of all steps in a line: who was called, and how it ended where it did not go well."""
    shown = [
        call.name if call.outcome == "success" else f"{call.name} ({call.outcome or 'open'})"
        for one in iterations
        for call in one.tool_calls
    ]
    steps = f"{len(iterations)} step{'' if len(iterations) == 1 else 's'}"
    return clean(f"{steps}: {', '.join(shown)}" if shown else steps, style="yellow")


def _steps(iterations: Iterable[Iteration]) -> Iterator[RenderableType]:
    columns = figures("step"), folded("call", 2), folded("with", 3), narrow("ended"), figures("ms")
    table = wide_table("Steps", *columns)
    for one in iterations:
        args = {call.id: call.args for message in one.messages for call in message.tool_calls}
        for call in one.tool_calls:
            given = ", ".join(f"{name}={value!r}" for name, value in args.get(call.id, {}).items())
            took = "" if call.duration_ms is None else f"{call.duration_ms:,.0f}"
            table.add_row(str(one.number), clean(call.name), clean(_short(given)), call.outcome or "open", took)
        if not one.tool_calls:
            table.add_row(str(one.number), Text("answered", style="dim"), "", "", "")
    if table.row_count:
        yield Padding(table, (1, 0))


def _ended(run: Run, *, is_short: bool) -> RenderableType:
    why = f": {run.error.message}" if run.error else ""
    line = clean(f"  {run.status} ({run.agent}, attempt {run.attempt}){why}", style="red")
    return line if is_short else Group(line, *_steps(run.iterations))


def _compactions(compactions: Sequence[Compaction]) -> Table:
    table = wide_table(None, narrow("turns"), narrow("why"), narrow("tokens"), folded("summary", 1))
    for one in compactions:
        text = one.summary.text if one.summary is not None else f"none: {one.fallback}"
        undone = "(undone) " if one.restored_at is not None else ""
        table.add_row(
            f"{one.from_turn}-{one.to_turn}",
            one.trigger,
            f"{one.tokens_before:,} to {one.tokens_after:,}",
            clean(undone + _short(text)),
        )
    return table


def _said(author: str, content: str, style: str, *, is_short: bool) -> RenderableType:
    table = Table.grid(Column(no_wrap=True, style=f"bold {style}"), Column(overflow="fold"), padding=(0, 1))
    table.add_row(clean(f"{author}:"), clean(_short(content) if is_short else content))
    return table


def _short(text: str) -> str:
    return text if len(text) <= _SHORT_CHARS else f"{text[:_SHORT_CHARS]}… ({len(text):,} characters)"


def _tokens(sent: int, received: int) -> str:
    return f"{sent:,} tokens in and {received:,} out"


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"


def _duration(milliseconds: float) -> str:
    if milliseconds < 1_000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1_000
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:,.1f} min"


_UNPRICED = "price not known"


def _cost(reply: AgentReply) -> str:
    """Return what one reply cost."""
    if reply.model == "offline" and not reply.cost.total_usd:
        return "nothing"
    if reply.cost.total_usd is None:
        return _UNPRICED
    return _dollars(reply.cost.total_usd) if reply.cost.is_complete else f"at least {_dollars(reply.cost.total_usd)}"


def _cost_of_all(conversation: Conversation) -> str:
    """Return what all turns cost; of sealed ones only the sum is at hand, without what had no price."""
    spent = conversation.usage_totals.cost_usd
    replies = [one for one in conversation.events if isinstance(one, AgentReply)]
    if any(_cost(one) == _UNPRICED for one in replies):
        return f"{_dollars(spent)}, and turns whose price is not known" if spent else _UNPRICED
    if spent:
        return _dollars(spent)
    return "nothing" if not conversation.sealed_turns else "nothing, as far as prices are known"


def _dollars(amount: float) -> str:
    return f"${amount:.4f}"
