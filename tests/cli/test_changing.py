"""Commands that change workflows and conversations, and the names a shell completes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import Ran, run
from tests.main.test_webhooks import receiving

EXPENSES = "wf_expense_approval"


def on(data_dir: Path, *arguments: str) -> Ran:
    return run(*arguments, DATA_DIR=str(data_dir))


def test_a_workflow_is_renamed_undone_restored_copied_and_deleted(data_dir: Path) -> None:
    renamed = on(data_dir, "workflows", "rename", EXPENSES, "Spending")
    compared = on(data_dir, "workflows", "diff", EXPENSES, "2", "3")
    undone = on(data_dir, "workflows", "undo", EXPENSES)
    restored = on(data_dir, "workflows", "restore", EXPENSES, "1")
    copied = on(data_dir, "workflows", "copy", EXPENSES, "Travel")
    kept = on(data_dir, "workflows", "delete", "Travel")
    deleted = on(data_dir, "workflows", "delete", "Travel", "--yes")

    assert "from 'Expense approval' to 'Spending'" in renamed.out
    assert "version 2 to 3" in compared.err
    assert "'Spending' to 'Expense approval'" in undone.out
    assert "version 5 is as version 1 was" in restored.err
    assert copied.out == "wf_travel\n"
    assert (kept.code, "--yes" in kept.err) == (2, True)
    assert deleted.code == 0
    assert on(data_dir, "workflows", "show", "wf_travel").code == 3
    assert on(data_dir, "workflows", "undo", "wf_leave_request").code == 1


def test_a_conversation_is_renamed_and_deleted(data_dir: Path) -> None:
    on(data_dir, "conversations", "rename", "expenses-chat", "Money")
    listed = on(data_dir, "conversations", "list")
    on(data_dir, "conversations", "delete", "expenses-chat", "--yes")

    assert listed.out.rstrip().endswith("\tMoney")
    assert on(data_dir, "conversations", "list").out == ""


def test_a_case_is_played_and_what_is_not_known_is_asked_for(data_dir: Path) -> None:
    facts = ("--set", "amount=1500", "--set", "approved=true", "--time", "review=PT2H", "--cost", "manager=60")
    played = on(data_dir, "workflows", "simulate", "Expense approval", *facts)
    many = on(data_dir, "workflows", "simulate", EXPENSES, "--runs", "20", "--chance", "review>pay=0.5")
    wrong = on(data_dir, "workflows", "simulate", EXPENSES, "--staff", "manager=few")

    assert played.code == 0
    rows = [line.split("\t") for line in played.out.splitlines()]
    assert ["at once", "Manager review", "manager", "2 hours", "done"] in rows
    assert ["outcomes", "completed 1"] in rows
    assert ["cost", "120.00 a case"] in rows
    assert "nothing says how long they last: submit" in played.err
    assert (many.code, "At 'Manager review': which way it goes" in many.err) == (1, True)
    assert (wrong.code, "'manager=few' is not a name, '=' and a whole number" in wrong.err) == (2, True)


def test_addresses_are_told_of_events_until_they_are_removed(data_dir: Path) -> None:
    def told(*arguments: str) -> Ran:
        return run("webhooks", *arguments, DATA_DIR=str(data_dir), WEBHOOK_HOSTS="example.org", WEBHOOK_SECRET="s" * 40)

    refused = on(data_dir, "webhooks", "add", "https://example.org/told")
    added = told("add", "https://example.org/told", "--event", "workflow.changed")
    listed = told("list").out.split("\t")
    told("remove", listed[0])

    assert (refused.code != 0, "WORKFLOW_AGENT_WEBHOOK_SECRET" in refused.err) == (True, True)
    assert len(added.out.strip()) >= 32
    assert listed[1:] == ["https://example.org/told", "workflow.changed", "0\n"]
    assert told("list").out == ""


def test_an_address_is_tried_with_one_event(data_dir: Path) -> None:
    with receiving() as receiver:
        allowed = {"DATA_DIR": str(data_dir), "WEBHOOK_HOSTS": "127.0.0.1", "WEBHOOK_SECRET": "s" * 40}
        run("webhooks", "add", receiver.url, **allowed)
        hook = run("webhooks", "list", **allowed).out.split("\t")[0]
        taken = run("webhooks", "test", hook, **allowed)
        receiver.failures = 1
        refused = run("webhooks", "test", hook, **allowed)

    assert (taken.code, "The event was taken in" in taken.err) == (0, True)
    assert (refused.code, "not taken: status 503" in refused.err) == (1, True)


def test_only_names_that_are_alike_are_suggested(data_dir: Path) -> None:
    near = on(data_dir, "workflows", "show", "Expence aproval")
    far = on(data_dir, "workflows", "show", "money for lunch")

    assert "Did you mean:\n  wf_expense_approval" in near.err
    assert "Did you mean" not in far.err


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_each_shell_completes_the_names_of_workflows(data_dir: Path, tmp_path: Path, shell: str) -> None:
    line = "workflow-agent workflows show wf_exp"
    asked = {
        "_WORKFLOW_AGENT_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": line,
        "COMP_WORDS": line,
        "COMP_CWORD": "3",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "WORKFLOW_AGENT_DATA_DIR": str(data_dir),
    }
    program = tmp_path / "workflow-agent"
    program.write_text(f"#!{sys.executable}\nfrom workflow_agent.main import run\nrun()\n")
    program.chmod(0o700)

    told = subprocess.run(
        [str(program)],
        env=os.environ | asked | {"PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert "wf_expense_approval" in told.stdout
    assert "wf_leave_request" not in told.stdout
