"""What becomes of each parameter of OpenAI's own client is what the client's guide says."""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.responses.response_create_params import ResponseCreateParamsBase

from tests.support.server import serving
from workflow_agent.settings import load_settings

GUIDE = Path(__file__).parents[3] / "docs" / "clients.md"
PARAMETERS = {"chat completions": CompletionCreateParamsBase, "responses": ResponseCreateParamsBase}
_EXAMPLE = re.compile(r"`(\w+)(?:=([^`]+))?`")
Examples = list[tuple[str, str | None]]


def table(api: str) -> dict[str, Examples]:
    """Return the parameters that the guide lists for an API, by what becomes of them."""
    rows = GUIDE.read_text("utf-8").split(f"| {api} | |\n")[1].split("\n\n")[0].splitlines()[1:]
    cells = [row.strip("| ").split(" | ", 1) for row in rows]
    return {kind: _EXAMPLE.findall(examples.split(";")[0]) for kind, examples in cells}


def refused() -> Iterator[Any]:
    for api in PARAMETERS:
        for name, value in table(api)["refused"]:
            yield pytest.param(api, name, json.loads(str(value)), id=f"{api}: {name}")


def together(examples: Examples) -> dict[str, Any]:
    return {name: json.loads(str(value)) for name, value in examples}


def ask(client: OpenAI, api: str, **given: Any) -> Any:
    """Ask with parameters, those that the client does not know in its extra body."""
    route: Any = client.chat.completions if api == "chat completions" else client.responses
    said = {"messages": [{"role": "user", "content": "hello"}]} if api == "chat completions" else {"input": "hello"}
    known = inspect.signature(route.create).parameters
    extra = {name: value for name, value in given.items() if name not in known}
    plain = {name: value for name, value in given.items() if name in known}
    return route.with_raw_response.create(model="workflow-agent", **said, **plain, extra_body=extra)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAI]:
    with (
        serving(load_settings(data_dir=tmp_path_factory.mktemp("parameters"))) as served,
        OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=30) as asking,
    ):
        yield asking


@pytest.mark.parametrize("api", PARAMETERS)
def test_the_guide_says_of_every_parameter_what_becomes_of_it(api: str) -> None:
    listed = {name for examples in table(api).values() for name, _ in examples}

    assert set(PARAMETERS[api].__annotations__) - listed == set()


@pytest.mark.parametrize("api", PARAMETERS)
def test_what_has_no_effect_is_named(client: OpenAI, api: str) -> None:
    given = together(table(api)["no effect, named"])

    answer = ask(client, api, **given, **{"made_up": 1, "made_up\n": 1})

    head, names = answer.headers["warning"].rstrip('"').split("ignored parameters: ")
    assert head == '299 workflow-agent "'
    assert sorted(names.split(", ")) == sorted([*given, "made_up"])


@pytest.mark.parametrize("api", PARAMETERS)
def test_what_is_as_it_would_be_anyway_is_taken(client: OpenAI, api: str) -> None:
    answer = ask(client, api, **together(table(api)["taken as they are"]))

    assert "warning" not in answer.headers


@pytest.mark.parametrize(("api", "name", "value"), [*refused()])
def test_what_would_change_the_answer_is_refused(client: OpenAI, api: str, name: str, value: Any) -> None:
    with pytest.raises(openai.BadRequestError, match="Leave it out") as error:
        ask(client, api, **{name: value})

    assert (error.value.param, error.value.code, error.value.type) == (
        name,
        "unsupported_value",
        "invalid_request_error",
    )


@pytest.mark.parametrize(
    ("sent", "param", "code", "told"),
    [
        ({"stop": {"x": True, "y": None}}, "stop", "unsupported_value", 'does not support {"x":true,"y":null} here'),
        ({"logprobs": True}, "logprobs", "unsupported_value", "does not support true here"),
        ({"messages": "hi"}, "messages", "invalid_type", "expected an array, but got a string instead"),
        ({"model": None}, "model", "invalid_type", "expected a string, but got null instead"),
        ({"messages": [{"content": "x"}]}, "messages[0].role", "missing_required_parameter", "'messages[0].role'"),
        ({"messages": [{"role": "x"}]}, "messages[0].role", "invalid_value", "Invalid value: 'x'. Supported values"),
        ({"stream_options": {"include_usage": 1.5}}, "stream_options.include_usage", "invalid_type", "got a decimal"),
    ],
)
def test_a_refusal_names_values_and_types_as_json_has_them(
    client: OpenAI, sent: dict[str, Any], param: str, code: str, told: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=re.escape(told)) as error:
        client.chat.completions.create(
            model="workflow-agent", messages=[{"role": "user", "content": "hello"}], extra_body=sent
        )

    assert (error.value.param, error.value.code) == (param, code)


@pytest.mark.parametrize(
    ("name", "value", "code", "told"),
    [
        ("temperature", 2.5, "decimal_above_max_value", "decimal above maximum value. Expected a value <= 2"),
        ("temperature", -1, "decimal_below_min_value", "decimal below minimum value. Expected a value >= 0"),
        ("temperature", "hot", "invalid_type", "expected a decimal, but got a string instead"),
        ("temperature", True, "invalid_type", "expected a decimal, but got a boolean instead"),
        ("top_p", 1.5, "decimal_above_max_value", "Expected a value <= 1, but got 1.5 instead"),
        ("max_tokens", 0, "integer_below_min_value", "integer below minimum value. Expected a value >= 1"),
        ("max_tokens", 1.5, "invalid_type", "expected an integer, but got a decimal instead"),
    ],
)
def test_a_number_out_of_its_range_or_of_no_type_is_refused_in_openais_words(
    client: OpenAI, name: str, value: Any, code: str, told: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=re.escape(told)) as error:
        client.chat.completions.create(
            model="workflow-agent", messages=[{"role": "user", "content": "hello"}], extra_body={name: value}
        )

    assert (error.value.param, error.value.code) == (name, code)
