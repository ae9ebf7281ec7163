"""`memory`: what is told in one conversation is of use in the next, and gone everywhere once it is forgotten."""

import json
from pathlib import Path
from typing import Any

from tests.cli.commands import Ran, run

NAME = "the heliotrope thing"
QUESTION = f"describe {NAME}"


def files_with(directory: Path, words: str) -> list[str]:
    files = (one for one in directory.rglob("*") if one.is_file())
    return [str(one.relative_to(directory)) for one in files if words.encode() in one.read_bytes().lower()]


def test_what_is_told_in_one_conversation_shapes_the_next_until_it_is_forgotten(data_dir: Path) -> None:
    def told(*arguments: str, stdin: str = "") -> Ran:
        ran = run(*arguments, stdin=stdin, DATA_DIR=str(data_dir))
        assert ran.code == 0, ran.err
        return ran

    def known() -> list[dict[str, Any]]:
        items = json.loads(told("memory", "list", "--json").out)["items"]
        return [one for one in items if "heliotrope" in one["text"] or "amaranth" in one["text"]]

    told("chat", "--workflow", "wf_expense_approval", stdin=f'From now on call it "{NAME}"')
    told("chat", stdin="Remember that I prefer amaranth labels")
    before, listed = told("chat", stdin=QUESTION), known()
    recalled = told("chat", stdin="what do you remember?")
    rows = told("memory", "list").out

    for one in listed:
        told("memory", "forget", one["id"], "--yes")

    assert before.out.startswith("**Expense approval**")
    assert "amaranth labels" in recalled.out
    assert sorted((one["kind"], one["text"]) for one in listed) == [
        ("alias", NAME),
        ("preference", "I prefer amaranth labels"),
    ]
    for one in listed:
        assert f"{one['source']['conversation_id']}, turn 1" in " ".join(rows.split())
    assert known() == []
    assert files_with(data_dir, "amaranth") == []
    assert not told("chat", stdin=QUESTION).out.startswith("**Expense approval**")
