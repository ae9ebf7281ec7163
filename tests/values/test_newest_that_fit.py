from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_agent.values.tokens import budget_tokens, level_of, newest_that_fit, tokens_of


@dataclass(frozen=True)
class Item:
    tokens: int


@pytest.mark.parametrize(
    ("sizes", "budget", "included", "excluded"),
    [
        pytest.param([1, 2, 3], 6, [1, 2, 3], 0, id="all fit exactly"),
        pytest.param([1, 2, 3], 5, [2, 3], 1, id="the oldest goes first"),
        pytest.param([1, 1, 100, 1], 10, [1], 3, id="stops at the one that is too long"),
        pytest.param([1, 2], 0, [], 2, id="no budget"),
        pytest.param([1, 2], -5, [], 2, id="less than none"),
        pytest.param([], 5, [], 0, id="nothing to fit"),
    ],
)
def test_the_newest_unbroken_run_is_kept(sizes: list[int], budget: int, included: list[int], excluded: int) -> None:
    fitted = newest_that_fit([Item(size) for size in sizes], budget)

    assert [item.tokens for item in fitted.included] == included
    assert fitted.excluded == excluded
    assert fitted.tokens == sum(included)


@given(st.lists(st.integers(min_value=1, max_value=50)), st.integers(min_value=-10, max_value=500))
def test_what_is_kept_is_a_suffix_and_as_long_as_can_be(sizes: list[int], budget: int) -> None:
    items = [Item(size) for size in sizes]

    fitted = newest_that_fit(items, budget)

    kept = list(fitted.included)
    assert kept == items[len(items) - len(kept) :]
    assert sum(item.tokens for item in kept) <= max(budget, 0)
    if fitted.excluded:
        assert fitted.tokens + items[fitted.excluded - 1].tokens > budget


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_four_characters_begun_are_a_token(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    ("fraction", "level"), [(0.79, "ok"), (0.80, "warning"), (0.949, "warning"), (0.95, "critical")]
)
def test_the_level_follows_the_fraction(fraction: float, level: str) -> None:
    assert level_of(fraction) == level


def test_the_budget_is_a_share_of_the_window_less_the_answer() -> None:
    assert budget_tokens(10_000, 1_000, "full") == 9_000
    assert budget_tokens(10_000, 1_000, "low") == 2_970
    assert budget_tokens(500, 1_000, "full") == 0
