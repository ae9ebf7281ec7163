"""What is wrong with a value is said in words, not in pydantic's or as a regular expression."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from workflow_agent.workflows.model.parser import validation_message
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.terms import Duration, Id, WorkflowId
from workflow_agent.workflows.model.triggers import Cron


class Add(BaseModel):
    op: Literal["add"]


class Drop(BaseModel):
    op: Literal["drop"]


ONE_OF = Annotated[Add | Drop, Field(discriminator="op")]


@pytest.mark.parametrize(
    ("expected", "given", "told"),
    [
        pytest.param(str, 1, "must be text, got '1'", id="text"),
        pytest.param(int, "x", "must be a whole number, got 'x'", id="a whole number"),
        pytest.param(list[int], {}, "must be a list", id="a list"),
        pytest.param(dict[str, int], [], "must be a JSON object", id="an object"),
        pytest.param(Step, [], "must be a JSON object", id="a model"),
        pytest.param(Literal["a", "b"], "c", "must be 'a' or 'b', got 'c'", id="one of some"),
        pytest.param(Annotated[int, Field(ge=1)], 0, "must be at least 1, got '0'", id="a bound"),
        pytest.param(Annotated[str, Field(min_length=1)], "", "must not be empty, got ''", id="empty text"),
        pytest.param(Annotated[list[int], Field(min_length=1)], [], "must not be empty", id="an empty list"),
        pytest.param(
            Annotated[str, Field(max_length=3)],
            "x" * 100,
            f"must have at most 3 characters, got '{'x' * 60}'",
            id="too long",
        ),
        pytest.param(
            Duration,
            "2 days",
            "is no length of time as ISO 8601 writes it, such as PT30M or P2D, got '2 days'",
            id="a duration",
        ),
        pytest.param(
            Id, "A b", "is no id: 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit, got 'A b'", id="an id"
        ),
        pytest.param(
            WorkflowId,
            "../x",
            "is no workflow id: wf_ and 1 to 61 of a-z, 0-9, _ and -, got '../x'",
            id="a workflow id",
        ),
        pytest.param(
            Annotated[str, Field(pattern="^x$")], "y", "must match the pattern ^x$, got 'y'", id="another pattern"
        ),
        pytest.param(
            Cron,
            "0 9 * *",
            "'0 9 * *' has 4 fields; cron takes five: minute hour day month weekday",
            id="a value that is said already",
        ),
        pytest.param(ONE_OF, {"op": "mix"}, "has 'op' 'mix', which is none of 'add', 'drop'", id="a tag"),
        pytest.param(ONE_OF, {}, "has no 'op'", id="no tag"),
    ],
)
def test_what_is_wrong_is_said_in_words(expected: Any, given: Any, told: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(expected).validate_python(given)

    [item] = refused.value.errors()

    assert validation_message(dict(item)) == told


def test_a_long_tag_is_cut() -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(ONE_OF).validate_python({"op": "x" * 1_000})

    [item] = refused.value.errors()

    assert validation_message(dict(item)) == f"has 'op' '{'x' * 60}', which is none of 'add', 'drop'"
