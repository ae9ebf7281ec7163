"""The command line: options over environment over defaults, help, and exit codes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_ai.models import override_allow_model_requests

from tests.cli.commands import run as run_command
from workflow_agent.cli import COMMANDS
from workflow_agent.cli.context import EXIT_FAILED, EXIT_MISCONFIGURED, EXIT_NOT_FOUND, EXIT_USAGE
from workflow_agent.cli.reference import schema_files
from workflow_agent.errors import CannotListen, Misconfigured
from workflow_agent.settings import Settings, settings_page


class Served:
    """Takes the settings instead of serving."""

    def __init__(self, error: Exception | None = None) -> None:
        self.settings: list[Settings] = []
        self.error = error

    def __call__(self, settings: Settings) -> None:
        self.settings.append(settings)
        if self.error is not None:
            raise self.error


def run(*arguments: str, serve: Served | None = None, **environment: str) -> tuple[int, str]:
    ran = run_command(*arguments, serve=serve or Served(), **environment)
    return ran.code, ran.out + ran.err


def test_options_win_over_the_environment() -> None:
    served = Served()

    code, _ = run("serve", "--port", "9001", "--samples", serve=served, PORT="9000", HOST="127.0.0.9")

    assert code == 0
    assert (served.settings[0].port, served.settings[0].host, served.settings[0].samples) == (9001, "127.0.0.9", True)


@pytest.mark.parametrize(
    ("error", "code"), [(Misconfigured("No key."), EXIT_MISCONFIGURED), (CannotListen("Taken."), EXIT_FAILED)]
)
def test_what_stops_the_server_is_said_in_one_line(error: Exception, code: int) -> None:
    assert run("serve", serve=Served(error)) == (code, f"workflow-agent: {error}\n")


def test_a_wrong_setting_names_its_variable() -> None:
    code, output = run("serve", PORT="99999")

    assert code == EXIT_MISCONFIGURED
    assert "WORKFLOW_AGENT_PORT" in output


def test_settings_are_shown_without_secrets() -> None:
    code, output = run("settings", PORT="9000", API_KEYS="very-secret-key")

    assert code == 0
    assert "WORKFLOW_AGENT_PORT=9000\n" in output
    assert "WORKFLOW_AGENT_API_KEYS=(set)\n" in output
    assert "very-secret" not in output


def test_the_reference_page_is_printed_as_it_is() -> None:
    assert run("settings", "--markdown") == (0, settings_page())


@pytest.mark.parametrize("command", [[], ["serve"], ["settings"]])
def test_help_says_what_a_command_does_and_shows_an_example(command: list[str]) -> None:
    code, output = run(*command, "--help")

    assert code == 0
    assert "workflow-agent" in output or "Talk about workflows" in output


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for rows in COMMANDS.values() for name, (_, line) in rows.items()]
)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str, line: str) -> None:
    code, output = run(name, "--help")

    assert code == 0
    assert line in " ".join(output.split())


def test_schemas_are_written_into_a_folder(tmp_path: Path) -> None:
    code, output = run("schemas", str(tmp_path / "made"))

    written = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "made").iterdir()}
    assert (code, written) == (0, schema_files())
    assert "workflow.schema.json" in output


_HEAVY = """
import sys
from workflow_agent.main import run
try:
    run()
finally:
    print("heavy:", *{"pydantic_ai", "fastapi", "httpx2", "numpy"} & {*sys.modules}, file=sys.stderr)
"""


@pytest.mark.untraced
@pytest.mark.parametrize("arguments", [["--help"], ["workflows", "edit", "--help"], ["settings"], ["chatt"]])
def test_help_and_refusals_wait_for_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    program = [sys.executable, "-c", _HEAVY, *arguments]

    done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path, check=False)

    assert done.stderr.splitlines()[-1].strip() == "heavy:"


@pytest.mark.parametrize(
    ("arguments", "near"),
    [(["workflow"], "workflows"), (["workflows", "serch"], "search"), (["ask", "--jsn"], "--json")],
)
def test_a_slip_of_the_keys_is_answered_with_what_comes_near(arguments: list[str], near: str) -> None:
    code, output = run(*arguments)

    assert code == EXIT_USAGE
    assert near in output
    assert "╭" not in output


def test_two_places_at_once_are_refused(tmp_path: Path) -> None:
    code, output = run("workflows", "list", "--data-dir", str(tmp_path), "--url", "http://127.0.0.1:1")

    assert code == EXIT_USAGE
    assert "give one of them" in output


def test_a_directory_that_was_asked_for_wins_over_a_server_of_the_environment(tmp_path: Path) -> None:
    code, _ = run("workflows", "list", "--data-dir", str(tmp_path), URL="http://127.0.0.1:1")

    assert code == 0


_NOBODY = {"MODEL": "openai:stub-1", "MODEL_BASE_URL": "http://127.0.0.1:1/v1", "MODEL_ATTEMPTS": "1"}


@pytest.mark.untraced
def test_a_provider_that_fails_is_told_in_words(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "from workflow_agent.main import run; run()", "ask", "hello"]
    nobody = {f"WORKFLOW_AGENT_{name}": value for name, value in (_NOBODY | {"DATA_DIR": str(tmp_path)}).items()}

    # In a process of its own, because pytest takes the log in this one.
    done = subprocess.run(program, input="", capture_output=True, text=True, env=os.environ | nobody, check=False)

    assert done.returncode == EXIT_FAILED
    [line] = done.stderr.splitlines()
    assert "provider" in line


def test_the_log_is_shown_where_it_is_wanted(tmp_path: Path) -> None:
    with override_allow_model_requests(True):
        ran = run_command("ask", "hello", DATA_DIR=str(tmp_path), LOG_LEVEL="debug", **_NOBODY)

    assert '"exception": "Traceback' in ran.err


def test_looking_makes_no_data_directory(tmp_path: Path) -> None:
    code, output = run("workflows", "list", DATA_DIR=str(tmp_path / "none"))

    assert code == EXIT_NOT_FOUND
    assert "--data-dir" in output
    assert not (tmp_path / "none").exists()


def test_the_page_of_the_api_is_what_the_service_describes() -> None:
    page = Path(__file__).parents[2] / "docs" / "api.md"

    ran = run_command("openapi", "--markdown")

    assert ran.code == 0
    assert page.read_text("utf-8") == ran.out, "write it again: workflow-agent openapi --markdown > docs/api.md"


def test_the_module_is_the_command_line_and_greets_for_nobody(tmp_path: Path) -> None:
    # A library greets on a terminal, and to the agents that it knows by their environment.
    environment = {**os.environ, "AMP_CURRENT_THREAD_ID": "1", "WORKFLOW_AGENT_DATA_DIR": str(tmp_path)}

    ran = subprocess.run(
        [sys.executable, "-m", "workflow_agent", "ask", "hello"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stdout[:6]) == (0, "Hello!")
    assert "observability" not in ran.stderr
