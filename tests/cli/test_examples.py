"""Every example that help texts and pages show does what it shows."""

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.cli.examples import Example, commands, help_examples, page_examples
from tests.support.postgres import a_database_of_ones_own

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/cli.md", "docs/migration.md", "docs/tour.md")
SHOWN = [*help_examples(), *(example for page in PAGES for example in page_examples(ROOT / page))]
SERVER = "http://127.0.0.1:8000"
DATABASE = "postgresql://db/workflows"
DONE = {"doctor": (0, 1)}
"""What may end in another way than 0: these find what there is to find on this machine."""


@pytest.mark.parametrize("example", SHOWN, ids=lambda one: f"{one.where}: {one.line}"[:90])
def test_a_documented_example_runs(
    example: Example, data_dir: Path, folder: Path, request: pytest.FixtureRequest
) -> None:
    _, environment, arguments = example.parts
    given = {name.removeprefix("WORKFLOW_AGENT_"): value for name, value in environment.items()}
    here = {"DATA_DIR": str(data_dir), "STATE_DIR": str(folder / "state")}
    arguments = [one.replace("~/workflows", str(data_dir)) for one in arguments]
    arguments = [one.replace("~/workflow-agent", str(ROOT)) for one in arguments]
    if SERVER in example.line:
        arguments = [one.replace(SERVER, request.getfixturevalue("server")) for one in arguments]
    if DATABASE in example.line:
        named = {DATABASE: a_database_of_ones_own(), "data": str(data_dir)}
        arguments = [named.get(one, one) for one in arguments]

    ran = run(*arguments, stdin=example.stdin(), **here | given)

    assert ran.code in DONE.get(arguments[0], (0,)), f"{example.line}\n{ran.out}{ran.err}"


@pytest.mark.parametrize("path", sorted({one.where for one in help_examples()}))
def test_no_example_is_broken_by_the_width_of_a_page(path: str) -> None:
    shown = run(*path.split(), "--help").out.splitlines()

    begun = [number for number, line in enumerate(shown) if line.startswith("    workflow-agent ")]
    broken = [n for n in begun if shown[n + 1].strip() and not shown[n].endswith("\\")]
    assert [shown[n] for n in broken] == []


@pytest.mark.parametrize(("path", "command"), [one for one in commands() if one[0]])
def test_every_command_explains_itself(path: tuple[str, ...], command: object) -> None:
    ran = run(*path, "--help")

    assert ran.code == 0
    assert ran.err == ""
    is_group = hasattr(command, "commands")
    assert is_group or f"workflow-agent {' '.join(path)}".replace("analyze", "analyse") in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert not set("╭│╰\x1b") & set(ran.out)
