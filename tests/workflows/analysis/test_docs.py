from pathlib import Path

import pytest

from workflow_agent.workflows import analysis

RULES = {**analysis.RULES, **{one.id: one for one in analysis.TOOL_RULES}}

PAGE = Path(__file__).parents[3] / "docs" / "analysis.md"


def test_table_of_rules_is_the_one_in_the_code() -> None:
    if not PAGE.exists():
        pytest.skip("the documentation is not part of this installation")
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]

    assert rows == [
        f"| `{rule.id}` | {rule.family} | {rule.severity} | {'yes' if rule.has_fix else ''} | {rule.finds} |"
        for rule in RULES.values()
    ]


@pytest.mark.parametrize("rule_id", [pytest.param(rule_id, id=rule_id) for rule_id in RULES])
def test_rule_is_documented_in_full(rule_id: str) -> None:
    rule = RULES[rule_id]

    assert rule.id == rule_id
    assert rule.finds[0].islower()
    assert not rule.finds.endswith(".")
    assert rule.why[0].isupper()
    assert rule.why.endswith(".")
