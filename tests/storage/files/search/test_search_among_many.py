"""Where very many workflows have the words of a query, a bounded number of them is ranked."""

from collections.abc import Iterator

import pytest

from tests.support.searched import described, entered
from workflow_agent.storage.files.search.database import SearchDatabase
from workflow_agent.workflows.search.query import parse_query

COUNT, RANKED = 2_200, 2_000


@pytest.fixture(scope="module")
def many() -> Iterator[SearchDatabase]:
    made = [entered(described(f"wf_run_{number:04}", f"Payment run {number}")) for number in range(COUNT)]
    made[3] = entered(described("wf_run_0003", "Payment audit"))
    database = SearchDatabase(None)
    database.put(made)
    yield database
    database.close()


def found(database: SearchDatabase, text: str, limit: int) -> list[str]:
    query = parse_query(text, database.frequencies, lambda _: ())
    return sorted(one.id for one in database.candidates(query, None, limit))


def test_of_those_with_common_words_the_latest_are_ranked(many: SearchDatabase) -> None:
    assert found(many, "payment", COUNT)[0] == f"wf_run_{COUNT - RANKED:04}"
    assert len(found(many, "payment", COUNT)) == RANKED


def test_one_with_a_rarer_word_is_found_wherever_it_is(many: SearchDatabase) -> None:
    assert "wf_run_0003" in found(many, "payment audit", 40)


def test_no_filter_is_narrowed_by_it(many: SearchDatabase) -> None:
    query = parse_query("payment", many.frequencies, lambda _: ())
    rows = {entry.row for entry in many.entries_of(["wf_run_0001", "wf_run_0002"])}

    assert sorted(one.id for one in many.candidates(query, rows, 40)) == ["wf_run_0001", "wf_run_0002"]
