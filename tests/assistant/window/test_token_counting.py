"""Which way the tokens of a model are counted, and what is remembered."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.support.scripted import scripted
from workflow_agent.assistant.window.counters import Count, TokenCounters, encoding_of, remembering

pytestmark = pytest.mark.untraced


def openai(name: str) -> Model:
    return OpenAIChatModel(name, provider=OpenAIProvider(base_url="http://127.0.0.1:1/v1", api_key="k"))


def without_tokenizers(encoding: str) -> Count | None:
    return None


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-5.2", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("llama-3.3-70b", None),
        ("qwen3", None),
        ("stub-1", None),
        ("gpt-oss-20b", None),
    ],
)
def test_only_openais_models_have_openais_encodings(model: str, encoding: str | None) -> None:
    assert encoding_of(openai(model)) == encoding


def test_models_of_others_have_none() -> None:
    assert encoding_of(scripted()[0]) is None


def test_an_openai_model_is_counted_by_its_tokenizer() -> None:
    counter = TokenCounters().of(openai("gpt-4o"))

    assert counter.counting == "tokenizer"
    assert counter.count("Hello, world!") == 4
    assert counter.count("") == 0


@pytest.mark.parametrize("text", ["<|endoftext|>", "<|im_start|>system", "\ud800 alone", "\x00", "日本語" * 50])
def test_no_text_stops_the_tokenizer(text: str) -> None:
    count = TokenCounters().of(openai("gpt-4o")).count

    assert count(text) > 0
    assert count(text * 20) > 0


def test_without_the_extra_the_estimate_is_used_and_corrected() -> None:
    counters, model = TokenCounters(without_tokenizers), openai("gpt-4o")
    first = counters.of(model)

    counters.reported(model, first, 1_000, 1_300)

    assert (first.counting, counters.of(model).counting) == ("chars_div_4", "calibrated")
    assert counters.of(model).count("x" * 4_000) == 1_300


def test_what_is_learned_of_one_model_says_nothing_of_another() -> None:
    counters = TokenCounters(without_tokenizers)

    counters.reported(openai("a"), counters.of(openai("a")), 1_000, 2_000)

    assert counters.of(openai("b")).counting == "chars_div_4"


def test_a_correction_is_not_corrected_again() -> None:
    counters, model = TokenCounters(without_tokenizers), openai("a")
    for _ in range(30):
        counter = counters.of(model)
        counters.reported(model, counter, counter.count("x" * 40_000), 15_000)

    assert counters.of(model).factor == pytest.approx(1.5)


def test_the_models_that_are_remembered_are_bounded() -> None:
    counters = TokenCounters(without_tokenizers)
    for number in range(200):
        model = TestModel(model_name=f"model-{number}")
        counters.reported(model, counters.of(model), 1_000, 2_000)

    assert counters.of(TestModel(model_name="model-0")).counting == "chars_div_4"
    assert counters.of(TestModel(model_name="model-199")).counting == "calibrated"


def test_a_text_is_counted_once() -> None:
    asked: list[str] = []
    count = remembering(lambda text: len(asked.append(text) or text))
    text = "a tool definition that is sent with every request " * 20

    assert [count(text), count(text), count(text + "!")] == [1_000, 1_000, 1_001]
    assert asked == [text, text + "!"]


def test_threads_may_share_the_counters() -> None:
    counters, model = TokenCounters(without_tokenizers), openai("a")

    def turn(number: int) -> float:
        counter = counters.of(model)
        counters.reported(model, counter, int(1_000 * counter.factor), 1_250)
        return counter.count("x" * 4_000)

    with ThreadPoolExecutor(8) as pool:
        counts = set(pool.map(turn, range(400)))

    assert counts <= {1_000, 1_250}
    assert counters.of(model).factor == pytest.approx(1.25, abs=0.01)
