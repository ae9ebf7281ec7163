"""What is worked out of a value that never changes is worked out once, and never for another value."""

from workflow_agent.assistant.compaction.policy import once_each


def test_the_same_value_is_looked_at_once_and_an_equal_one_by_itself() -> None:
    seen: list[list[int]] = []

    @once_each(most=2)
    def total(numbers: list[int]) -> int:
        seen.append(numbers)
        return sum(numbers)

    one, equal = [1, 2], [1, 2]

    assert [total(one), total(one), total(equal), total(one)] == [3, 3, 3, 3]
    assert len(seen) == 2
    assert seen[0] is one
    assert seen[1] is equal


def test_only_the_latest_values_are_kept() -> None:
    seen: list[int] = []

    @once_each(most=2)
    def noted(value: list[int]) -> None:
        seen.append(value[0])

    values = [[1], [2], [3]]
    for value in (*values, values[2], values[0]):
        noted(value)

    assert seen == [1, 2, 3, 1]


def test_it_says_of_nothing_else_that_it_is_the_same() -> None:
    @once_each(most=2)
    def length(values: tuple[int, ...]) -> int:
        return len(values)

    # Each is gone when the next is made, and may be put in its place in memory.
    assert [length(tuple(range(count))) for count in range(2, 40)] == list(range(2, 40))
