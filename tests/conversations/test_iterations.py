from datetime import UTC, datetime, timedelta

from workflow_agent.conversations import iterations
from workflow_agent.conversations.iterations import Iteration, ToolCall, ToolResult, TurnContext

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=1)


def asked_twice() -> TurnContext:
    ctx = iterations.new("find it", "You find things.", at=NOON)
    return iterations.add_assistant_message(
        ctx, "", [ToolCall(id="a", name="search"), ToolCall(id="b", name="get", args={"id": 1})], at=NOON
    )


def test_a_context_has_two_fields_and_its_times() -> None:
    assert set(TurnContext.model_fields) == {"iterations", "current_iteration", "created_at", "updated_at"}


def test_a_new_context_holds_system_prompt_and_input_in_iteration_one() -> None:
    ctx = iterations.new("find it", "You find things.", at=NOON)

    assert [(m.role, m.content) for m in iterations.get_iteration_messages(ctx, 1)] == [
        ("system", "You find things."),
        ("user", "find it"),
    ]
    assert ctx.current_iteration == 1
    assert ctx.iterations[0].completed_at is None
    assert ctx.iterations[0].tool_calls == ()


def test_results_complete_the_iteration_and_open_the_next() -> None:
    ctx = iterations.add_tool_results(
        asked_twice(),
        [ToolResult(id="a", name="search", content=["x"]), ToolResult(id="b", name="get", outcome="failed")],
        durations_ms={"a": 1.5},
        at=LATER,
    )

    first, second = ctx.iterations
    assert first.completed_at == LATER
    assert [(c.id, c.outcome, c.duration_ms) for c in first.tool_calls] == [
        ("a", "success", 1.5),
        ("b", "failed", None),
    ]
    assert [m.role for m in first.messages] == ["system", "user", "assistant", "tool"]
    assert (second.number, second.messages, second.completed_at) == (2, (), None)
    assert ctx.current_iteration == 2


def test_each_function_leaves_its_argument_as_it_was() -> None:
    ctx = asked_twice()
    before = ctx.model_dump_json()

    iterations.add_tool_results(ctx, [ToolResult(id="a", name="search")])
    iterations.close(ctx)

    assert ctx.model_dump_json() == before


def test_tool_calls_are_those_of_the_last_message() -> None:
    ctx = asked_twice()

    assert [call.id for call in iterations.extract_tool_calls(ctx)] == ["a", "b"]
    assert iterations.extract_tool_calls(iterations.new("hi")) == ()


def test_an_iteration_is_found_by_number_wherever_it_stands() -> None:
    later = Iteration(number=7, started_at=NOON)
    earlier = Iteration(number=3, started_at=NOON)
    ctx = TurnContext(iterations=(later, earlier), current_iteration=7, created_at=NOON, updated_at=NOON)

    assert iterations.get_iteration(ctx, 3) is earlier
    assert iterations.get_iteration(ctx, 1) is None
    assert iterations.get_iteration_messages(ctx, 1) == ()


def test_all_messages_come_in_the_order_of_their_iterations() -> None:
    ctx = iterations.add_tool_results(asked_twice(), [ToolResult(id="a", name="search")], at=NOON)
    ctx = iterations.add_assistant_message(ctx, "Found.", at=NOON)

    roles = [message["role"] for message in iterations.to_messages(ctx)]

    assert roles == ["system", "user", "assistant", "tool", "assistant"]
    assert iterations.to_messages(ctx)[-1] == {"role": "assistant", "content": "Found."}


def test_the_limit_is_exceeded_by_one_more_request_only() -> None:
    ctx = asked_twice()

    assert not iterations.exceeded_max_iterations(ctx, 1)
    assert iterations.exceeded_max_iterations(iterations.add_tool_results(ctx, []), 1)


def test_closing_answers_open_calls_as_interrupted() -> None:
    closed = iterations.close(asked_twice(), at=LATER)

    (only,) = closed.iterations
    assert only.completed_at == LATER
    assert [call.outcome for call in only.tool_calls] == ["interrupted", "interrupted"]
    assert [result.outcome for result in only.messages[-1].results] == ["interrupted", "interrupted"]


def test_closing_drops_an_iteration_in_which_nothing_happened() -> None:
    ctx = iterations.add_tool_results(asked_twice(), [ToolResult(id="a", name="search")], at=NOON)

    closed = iterations.close(ctx, at=LATER)

    assert [one.number for one in closed.iterations] == [1]
    assert closed.current_iteration == 1
    assert all(one.completed_at for one in closed.iterations)


def test_closing_keeps_what_was_said_last() -> None:
    ctx = iterations.add_assistant_message(iterations.new("hi", at=NOON), "Hello!", at=NOON)

    closed = iterations.close(ctx, at=LATER)

    assert closed.iterations[0].messages[-1].content == "Hello!"
    assert closed.iterations[0].completed_at == LATER
