from itertools import combinations, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workflow_agent.workflows.diagrams.layout import Part, laid_out
from workflow_agent.workflows.diagrams.layout.grid import Box, Edge, Picture, Point

pytestmark = pytest.mark.slow


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Part], list[Edge]]:
    """Draw parts in scopes and links between any of them, with labels and without."""
    count = draw(st.integers(1, 12))
    parts: list[Part] = []
    for at in range(count):
        parent = draw(st.integers(0, 3 * at))
        width = draw(st.sampled_from((40.0, 90.0, 200.0)))
        height = draw(st.sampled_from((30.0, 50.0, 80.0)))
        lane = draw(st.integers(0, 2))
        parts.append(Part(f"p{at}", width, height, f"p{parent}" if parent < at else None, lane))
    end = st.sampled_from(parts)
    label = st.sampled_from(((0.0, 0.0), (60.0, 16.0), (140.0, 30.0)))
    ends = draw(st.lists(st.tuples(end, end, label), max_size=16))
    return parts, [Edge(f"l{at}", one.id, other.id, size) for at, (one, other, size) in enumerate(ends)]


def overlap(one: Box, other: Box) -> bool:
    slack = 0.01
    apart = one.right <= other.left + slack or other.right <= one.left + slack
    return not (apart or one.bottom <= other.top + slack or other.bottom <= one.top + slack)


def around(one: Point, other: Point) -> Box:
    left, top = min(one.x, other.x), min(one.y, other.y)
    return Box(left, top, abs(one.x - other.x), abs(one.y - other.y))


def above(part: Part, parts: dict[str, Part]) -> set[str]:
    found: set[str] = set()
    while part.parent:
        found.add(part.parent)
        part = parts[part.parent]
    return found


def leaves(parts: list[Part], picture: Picture) -> dict[str, Box]:
    scopes = {part.parent for part in parts}
    return {part.id: picture.boxes[part.id] for part in parts if part.id not in scopes}


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_what_stands_in_a_lane_stays_in_it_and_lanes_are_side_by_side(graph: tuple[list[Part], list[Edge]]) -> None:
    parts, links = graph

    picture = laid_out(parts, links)

    outermost = [part for part in parts if part.parent is None]
    assert set(picture.lanes) == ({one.lane for one in outermost} if picture.lanes else set())
    for part in outermost if picture.lanes else ():
        left, right = picture.lanes[part.lane]
        assert left <= picture.boxes[part.id].left
        assert picture.boxes[part.id].right <= right
    sides = [picture.lanes[lane] for lane in sorted(picture.lanes)]
    assert all(one[1] <= other[0] + 0.01 for one, other in pairwise(sides))


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_parts_are_apart_or_inside_one_another(graph: tuple[list[Part], list[Edge]]) -> None:
    parts, links = graph
    by_id = {part.id: part for part in parts}

    picture = laid_out(parts, links)

    for one, other in combinations(parts, 2):
        is_inside = one.id in above(other, by_id) or other.id in above(one, by_id)
        assert is_inside or not overlap(picture.boxes[one.id], picture.boxes[other.id])
    for part in parts:
        if part.parent:
            outer, inner = picture.boxes[part.parent], picture.boxes[part.id]
            assert outer.left < inner.left < inner.right < outer.right
            assert outer.top < inner.top < inner.bottom < outer.bottom


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_labels_are_over_no_step_and_no_other_label(graph: tuple[list[Part], list[Edge]]) -> None:
    parts, links = graph

    picture = laid_out(parts, links)

    labels = [route.label for route in picture.routes.values() if route.label]
    assert len(labels) == sum(1 for link in links if link.label[0])
    for label in labels:
        assert not any(overlap(label, box) for box in leaves(parts, picture).values())
    assert not any(overlap(one, other) for one, other in combinations(labels, 2))


@settings(max_examples=150, deadline=None)
@given(graphs())
@example(
    (
        [Part("around", 40, 30), Part("inside", 40, 30, "around"), Part("beside", 40, 30, "around")],
        [Edge(f"back {n}", "inside", "around") for n in range(5)],
    )
)
def test_lines_join_their_ends_and_run_over_no_step(graph: tuple[list[Part], list[Edge]]) -> None:
    parts, links = graph

    picture = laid_out(parts, links)

    for link in links:
        points = picture.routes[link.id].points
        for end, point in ((link.source, points[0]), (link.target, points[-1])):
            box = picture.headings.get(end) if end in picture.headings else picture.boxes[end]
            boxes = [picture.boxes[end], *([box] if box else [])]
            assert any(is_on_border(point, one) for one in boxes)
        for one, other in pairwise(points):
            assert not any(overlap(around(one, other), box) for box in leaves(parts, picture).values())


def is_on_border(point: Point, box: Box) -> bool:
    is_level = any(abs(point.y - y) < 0.01 for y in (box.top, box.bottom))
    is_beside = any(abs(point.x - x) < 0.01 for x in (box.left, box.right))
    within = box.left - 0.01 <= point.x <= box.right + 0.01 and box.top - 0.01 <= point.y <= box.bottom + 0.01
    return within and (is_level or is_beside)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_everything_is_inside_the_picture(graph: tuple[list[Part], list[Edge]]) -> None:
    picture = laid_out(*graph)

    points = [point for route in picture.routes.values() for point in route.points]
    corners = [
        Point(one, other)
        for box in picture.boxes.values()
        for one, other in ((box.left, box.top), (box.right, box.bottom))
    ]
    assert all(-0.01 <= point.x <= picture.width + 0.01 for point in (*points, *corners))
    assert all(-0.01 <= point.y <= picture.height + 0.01 for point in (*points, *corners))


def line(*ends: str) -> Picture:
    ids = dict.fromkeys(one for pair in ends for one in pair.split(">"))
    links = [Edge(pair, *pair.split(">")) for pair in ends]
    return laid_out([Part(one, 80, 40) for one in ids], links)


def test_what_leads_to_something_stands_above_it_by_the_longest_way() -> None:
    tops = {one: box.top for one, box in line("a>b", "b>c", "a>c", "c>d", "a>d").boxes.items()}

    assert tops["a"] < tops["b"] < tops["c"] < tops["d"]


def test_a_chain_is_one_straight_line() -> None:
    picture = line("a>b", "b>c", "c>d")

    assert len({box.centre.x for box in picture.boxes.values()}) == 1
    assert all(len(route.points) == 2 for route in picture.routes.values())


def test_a_line_back_runs_beside_the_steps() -> None:
    picture = line("a>b", "b>c", "c>a")

    assert picture.boxes["a"].top < picture.boxes["c"].top
    back = picture.routes["c>a"].points
    assert back[0].y == picture.boxes["c"].bottom
    assert back[-1].y == picture.boxes["a"].top
    beside = {point.x for point in back[2:4]}
    assert min(beside) > picture.boxes["b"].right or max(beside) < picture.boxes["b"].left


def test_lines_do_not_cross_where_another_order_avoids_it() -> None:
    picture = line("a>p", "a>q", "a>r", "p>z", "q>y", "r>x", "z>end", "y>end", "x>end")

    tops = sorted("pqr", key=lambda one: picture.boxes[one].left)
    lows = sorted("zyx", key=lambda one: picture.boxes[one].left)
    assert [{"p": "z", "q": "y", "r": "x"}[one] for one in tops] == lows


def test_parts_without_lines_fill_a_square_rather_than_a_row() -> None:
    picture = laid_out([Part(f"p{at}", 80, 40) for at in range(25)], [])

    assert len({box.top for box in picture.boxes.values()}) == 5


@pytest.mark.parametrize("links", [[], [Edge("back", "b", "a")]])
def test_nothing_to_draw_is_an_empty_picture(links: list[Edge]) -> None:
    parts = [Part("a", 10, 10), Part("b", 10, 10)] if links else []

    assert bool(laid_out(parts, links).boxes) == bool(links)


def test_many_long_lines_are_drawn_in_bounded_room_and_time() -> None:
    ends = [f"n{at}>n{at + 1}" for at in range(1_500)] + [f"n{at}>n{at + 700}" for at in range(700)]

    picture = line(*ends)

    assert len(picture.routes) == len(ends)
