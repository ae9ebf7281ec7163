"""Of the cases that the offline model was built on, none is done wrongly and told as done."""

import pytest

from benchmarks.eval_offline import HALVES, KINDS, cases, judge

_BUILT_ON = [half for half in HALVES if half.startswith("dev")]


@pytest.mark.slow(is_never_quick=True)
@pytest.mark.parametrize(("kind", "half"), [(kind, half) for kind in KINDS for half in _BUILT_ON if cases(kind, half)])
async def test_no_case_is_done_wrongly(kind: str, half: str) -> None:
    judged = await judge(kind, half)

    assert len(judged) == len(cases(kind, half))
    assert [f"{one.number}: {one.said!r}: {'; '.join(one.why)}" for one in judged if one.verdict == "wrong"] == []
