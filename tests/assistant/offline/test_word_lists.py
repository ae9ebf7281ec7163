"""The lists of words of the offline model: each once, each there for who asks, and asked for by somebody."""

import re
from collections import Counter
from pathlib import Path

from workflow_agent.assistant import offline
from workflow_agent.assistant.offline.lexicon import data_rows

FOLDER = Path(str(offline.__file__)).parent
SOURCE = "\n".join(path.read_text("utf-8") for path in FOLDER.rglob("*.py"))
LISTS = Counter(row[0] for row in data_rows("phrases.tsv"))


def test_each_list_stands_once() -> None:
    assert [name for name, count in LISTS.items() if count > 1] == []


def test_every_list_that_is_asked_for_is_there() -> None:
    asked = set(re.findall(r'\b(?:word_set|among|says_of)\("([\w.]+)"', SOURCE))

    assert len(asked) > 50
    assert asked - set(LISTS) == set()


def test_every_list_is_asked_for() -> None:
    assert [name for name in LISTS if f'"{name}"' not in SOURCE] == []
