from workflow_agent.values import grouped, reached


def test_what_is_reached_comes_once_the_nearest_first() -> None:
    leads_to = {"a": ["b", "c"], "b": ["d", "a"], "c": ["d"], "x": ["a"]}

    found = reached(["a"], lambda one: leads_to.get(one, []))

    assert found == ["a", "b", "c", "d"]


def test_nothing_is_reached_from_nothing() -> None:
    assert reached(list[str](), lambda one: [one]) == []


def test_values_are_grouped_in_the_order_in_which_they_come() -> None:
    pairs = [("b", 1), ("a", 2), ("b", 3)]

    assert list(grouped(pairs).items()) == [("b", [1, 3]), ("a", [2])]
