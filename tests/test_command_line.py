"""The command line: options over environment over defaults, help, and exit codes."""

import pytest
from typer.testing import CliRunner

from workflow_agent.cli import EXIT_FAILED, EXIT_MISCONFIGURED, cli
from workflow_agent.domain.errors import CannotListen, Misconfigured
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
    prefixed = {f"WORKFLOW_AGENT_{name}": value for name, value in environment.items()}
    result = CliRunner().invoke(cli, arguments, obj=serve or Served(), env=prefixed | {"COLUMNS": "100"})
    return result.exit_code, result.output


def test_options_win_over_the_environment() -> None:
    served = Served()

    code, _ = run("serve", "--port", "9001", "--samples", serve=served, PORT="9000", HOST="127.0.0.9")

    assert code == 0
    assert (served.settings[0].port, served.settings[0].host, served.settings[0].samples) == (
        9001,
        "127.0.0.9",
        True,
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [(Misconfigured("No key."), EXIT_MISCONFIGURED), (CannotListen("Taken."), EXIT_FAILED)],
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
