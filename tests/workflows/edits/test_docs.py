import json
import re
from pathlib import Path
from typing import Any

import pytest

from workflow_agent.workflows.diff.words import describe_diff
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import OPERATIONS, edit_document, parse_edits
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_PAGE = (Path(__file__).parents[3] / "docs" / "edits.md").read_text(encoding="utf-8")
_JSON = re.compile(r"```json\n(.*?)```", re.DOTALL)


def sections() -> dict[str, str]:
    """Return the text of each operation's section by its name."""
    parts = re.split(r"^### `(\w+)`$", _PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def json_in(text: str) -> list[Any]:
    return [json.loads(block) for block in _JSON.findall(text)]


@pytest.fixture
def documented_workflow() -> Workflow:
    return parse_workflow(json_in(_PAGE)[0])


def test_the_page_shows_every_operation() -> None:
    assert sorted(sections()) == sorted(OPERATIONS)


@pytest.mark.parametrize("op", OPERATIONS)
def test_the_example_gives_the_documented_inverse_and_words(op: str, documented_workflow: Workflow) -> None:
    example, inverse = json_in(sections()[op])
    told = re.findall(r"^- (.*)$", sections()[op].split("```")[2], flags=re.MULTILINE)

    applied = apply_edits(documented_workflow, parse_edits(example))

    assert [edit["op"] for edit in example] == [op]
    assert [edit_document(edit) for edit in applied.inverse] == inverse
    assert describe_diff(applied.diff) == told


@pytest.mark.parametrize("op", OPERATIONS)
def test_the_documented_inverse_gives_the_same_bytes(op: str, documented_workflow: Workflow) -> None:
    example, inverse = json_in(sections()[op])
    after = apply_edits(documented_workflow, parse_edits(example)).workflow

    back = apply_edits(after, parse_edits(inverse)).workflow

    assert after != documented_workflow
    assert json.dumps(workflow_document(back)) == json.dumps(workflow_document(documented_workflow))
