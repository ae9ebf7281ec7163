"""The shell completes commands, options, their values and names; tried in real shells, as far as they are here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run

PROGRAM = "from workflow_agent.main import run; run()"
ASKED = """
eval "$(_WORKFLOW_AGENT_COMPLETE=source_bash workflow-agent)"
for line in "workflow-agent wo" "workflow-agent workflows sh" "workflow-agent ask --mode c" \\
    "workflow-agent workflows diagram wf --format s"; do
  COMP_WORDS=($line)
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _workflow_agent_completion workflow-agent
  echo "${COMPREPLY[@]}"
done
"""


NAMED = {
    "bash": """
eval "$(_WORKFLOW_AGENT_COMPLETE=source_bash workflow-agent)"
COMP_WORDS=(workflow-agent workflows show wf_exp)
COMP_CWORD=3
_workflow_agent_completion workflow-agent
echo "${COMPREPLY[@]}"
""",
    # Outside its line editor zsh has no completion: what would be offered is printed.
    "zsh": """
compdef() { : }
_arguments() { print -r -- "$@" }
eval "$(_WORKFLOW_AGENT_COMPLETE=source_zsh workflow-agent)"
words=(workflow-agent workflows show wf_exp)
CURRENT=4
_workflow_agent_completion
""",
    "fish": """
_WORKFLOW_AGENT_COMPLETE=source_fish workflow-agent | source
complete --do-complete "workflow-agent workflows show wf_exp"
""",
}
"""How each shell is asked for the names of workflows."""
CLEAN = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a shell that finds the program by its name."""
    program = tmp_path / "workflow-agent"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'workflow-agent'\n{PROGRAM}\n")
    program.chmod(0o700)
    return os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(Path.cwd())}


def told_by(shell: str, script: str, environment: dict[str, str]) -> str:
    """Return what a script prints in a shell; skip where there is no such shell."""
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    command = [shell, CLEAN[shell], "-c", script]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=True).stdout


def test_bash_completes_commands_and_values(environment: dict[str, str]) -> None:
    told = told_by("bash", ASKED, environment)

    assert told.splitlines() == ["workflows", "show", "creation", "svg"]


@pytest.mark.slow
@pytest.mark.parametrize("shell", NAMED)
def test_a_shell_completes_the_names_of_workflows(shell: str, environment: dict[str, str], data_dir: Path) -> None:
    told = told_by(shell, NAMED[shell], environment | {"WORKFLOW_AGENT_DATA_DIR": str(data_dir)})

    assert "wf_expense_approval" in told
    assert "wf_leave_request" not in told


def test_the_version_is_told() -> None:
    ran = run("--version")

    assert ran.code == 0
    assert ran.out.startswith("workflow-agent 0.")
