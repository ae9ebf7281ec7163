"""Search is at least as good as plain full text over the same words, on each set of descriptions."""

import asyncio
from operator import sub

import pytest

from benchmarks.corpus import CORPUS
from benchmarks.eval_search import FOLDERS, as_question, by_set, pairs, plain_ranks, search_ranks, workflows


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("is_asked", [False, True], ids=["descriptions", "questions"])
def test_no_set_is_ranked_worse_than_by_plain_full_text(*, is_asked: bool) -> None:
    indexed = workflows(CORPUS, {})
    queries = [pair for folder in FOLDERS for pair in pairs(CORPUS, folder) if pair.file in indexed]
    queries = [as_question(pair) for pair in queries] if is_asked else queries

    ours = by_set(queries, asyncio.run(search_ranks(indexed, queries)))
    plain = by_set(queries, plain_ranks(indexed, queries))

    assert [(name, ours[name], floor) for name, floor in plain.items() if min(map(sub, ours[name], floor)) < 0] == []
