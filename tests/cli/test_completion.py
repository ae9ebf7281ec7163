"""The shell completes commands, options and their values; tried in a real bash."""

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


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_and_values(tmp_path: Path) -> None:
    program = tmp_path / "workflow-agent"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'workflow-agent'\n{PROGRAM}\n")
    program.chmod(0o700)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(Path.cwd())}

    answered = subprocess.run(
        ["bash", "--norc", "-c", ASKED], capture_output=True, text=True, env=environment, timeout=120, check=True
    )

    assert answered.stdout.splitlines() == ["workflows", "show", "creation", "svg"]


def test_the_version_is_told() -> None:
    ran = run("--version")

    assert ran.code == 0
    assert ran.out.startswith("workflow-agent 0.")
