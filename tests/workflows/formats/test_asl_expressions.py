import pytest

from workflow_agent.workflows.formats.asl.jsonata import jsonata_problem
from workflow_agent.workflows.formats.asl.paths import (
    path_problem,
    reference_problem,
    result_path_problem,
    value_problem,
)


@pytest.mark.parametrize(
    "path",
    [
        "$",
        "$$",
        "$.a",
        "$.a-b.c_d",
        "$.a[0]",
        "$.a[-1].b",
        "$['a b']",
        "$$.Map.Item.Value",
        "$name.x",
        '$["a"][1]',
        "$.[0]",
        "$.a.['b c']",
        "$.${Field}.b",
        "${WholePath}",
    ],
)
def test_reference_paths_are_recognised(path: str) -> None:
    assert reference_problem(path) is None
    assert path_problem(path) is None
    assert value_problem(path) is None


@pytest.mark.parametrize(
    "path",
    ["$..a", "$.*", "$..*", "$.a[*]", "$.a[1:3]", "$.a[?(@.b == 'x]')].c", "$[(@.length-1)]", "$..['a','b']", "$..[0]"],
)
def test_paths_that_select_several_values_are_no_reference_paths(path: str) -> None:
    assert path_problem(path) is None
    assert reference_problem(path) is not None


@pytest.mark.parametrize(
    "path", ["", "a", ".a", "$.", "$...", "$.a[", "$.a[]", "$.a[(]", "$.a b", "$.a)", "()", "$[1)", "$.a['x]"]
)
def test_other_texts_are_no_paths(path: str) -> None:
    assert path_problem(path) is not None
    assert reference_problem(path) is not None


@pytest.mark.parametrize(
    ("path", "is_valid"),
    [("$.a", True), ("$", True), ("$['a']", True), ("$a", False), ("$$.a", False), ("$.a[*]", False)],
)
def test_results_go_only_into_the_state_s_own_data(path: str, is_valid: bool) -> None:
    assert (result_path_problem(path) is None) == is_valid


@pytest.mark.parametrize(
    "call",
    [
        "States.UUID()",
        "States.Format('{} it\\'s {}', $.a, 'b')",
        "States.Array( 'a', 1, -2.5e3, true, null, $.a[?(@.b == 1)] )",
        "States.MathAdd(States.ArrayLength($.a), -1)",
        "States.MathRandom($.a, 10, 3)",
    ],
)
def test_intrinsic_functions_are_recognised(call: str) -> None:
    assert value_problem(call) is None


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("States.Nothing()", "no such intrinsic function"),
        ("States.UUID(1)", "takes 0 to 0 arguments, got 1"),
        ("States.Hash($.a)", "takes 2 to 2 arguments, got 1"),
        ("States.Array('a' 'b')", "`,` or `)` is missing"),
        ("States.Array('a'", "`,` or `)` is missing"),
        ("States.Array(a)", "an argument is"),
        ("States.MathAdd('1', 2)", "takes numbers"),
        ("States.UUID() + 1", "unexpected"),
        ("States.Array(" * 2000 + ")", "nested too deep"),
    ],
)
def test_calls_that_cannot_be_made_are_refused(call: str, told: str) -> None:
    assert told in str(value_problem(call))


@pytest.mark.parametrize(
    "expression",
    [
        "1",
        "$sum(a.b[c > 2 and d != 'x'].e) ~> $round(2)",
        "items^(>price, name)[0..2]",
        "{'a': [1, 2, 3], \"b\": -x}",
        "function($x, $y) { $x * $y }(2, 3)",
        "λ($a)<s-:n>{ $a }",
        "$f := $map(?, function($v) { ($w := $v; $w) }); $f",
        "a ? b : c ? d",
        "a ?: b ?? 'c'",
        "$match(x, /^a[/]\\/b$/i)",
        "payload ~> |item|{'a': 1}, ['b']|",
        "library.loans@$l.books#$i[$l.isbn = isbn]",
        "a.*.**.%.`odd name`",
        "a & 'b' & /* no */ 'c'",
        "(a; b; c)",
        "and in or",
    ],
)
def test_jsonata_is_recognised(expression: str) -> None:
    if ":=" in expression and expression.endswith("$f"):
        expression = f"({expression})"

    assert jsonata_problem(expression) is None


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("", "ends too early"),
        ("1 +", "ends too early"),
        ("10 + * 2", "unexpected '2'"),
        ("420.", "ends too early"),
        ("$sum(a", "where `)` is needed"),
        ("[1, ]", "unexpected ']'"),
        ("{'a' 1}", "where `:` is needed"),
        ("a[?(@.b)]", "unexpected '?'"),
        ("'open", 'unexpected "\'"'),
        ("a ~ b", "unexpected '~'"),
        ("function($x) $x", "where `{` is needed"),
        ("function($x)<n:n", "signature has no end"),
        ("a@b", "a variable is needed"),
        ("/open", "has no end"),
        ("a b", "unexpected 'b'"),
        ("(" * 300, "nested too deep"),
        ("|a|{}", "where `|` is needed"),
        ("a^b", "where `(` is needed"),
    ],
)
def test_what_is_no_jsonata_says_where_it_stops(expression: str, told: str) -> None:
    assert told in str(jsonata_problem(expression))
