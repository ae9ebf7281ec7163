"""A format in a package outside the tree, as docs/extending.md shows it."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from workflow_agent.errors import Misconfigured
from workflow_agent.workflows.formats.late import LateFormats

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text("utf-8")


def shown(language: str, beginning: str) -> str:
    """Return the example of the page that begins so."""
    return next(
        one for one in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if one.startswith(beginning)
    )


@pytest.mark.slow
def test_a_format_of_another_package_is_read_and_written(tmp_path: Path) -> None:
    project = tomllib.loads(shown("toml", "[project]"))
    points = project["project"]["entry-points"]["workflow_agent.formats"]
    (tmp_path / "checklist_format.py").write_text(
        shown("python", "# workflow_agent/workflows/formats/checklist.py"), "utf-8"
    )
    # What installing the package leaves beside it.
    metadata = tmp_path / "checklist_format-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: checklist-format\nVersion: 1.0\n")
    named = "".join(f"{name} = {place}\n" for name, place in points.items())
    (metadata / "entry_points.txt").write_text(f"[workflow_agent.formats]\n{named}")
    (tmp_path / "list.yaml").write_text("checklist: Moving house\nitems: [Pack, Drive]\n")

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "workflow_agent", "workflows", *arguments, "--data-dir", "data"]
        path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    made = run("import", "list.yaml").strip()
    written = run("export", made, "--format", "checklist")

    assert made == "wf_moving_house"
    assert "Pack" in written


def test_a_package_cannot_take_the_name_of_a_format_of_ours_and_a_broken_one_is_named() -> None:
    formats = LateFormats(
        {"json": "native.NativeJson"},
        [EntryPoint("json", "nowhere:Nothing", ""), EntryPoint("broken", "nowhere_at_all:Nothing", "")],
    )

    assert list(formats) == ["json", "broken"]
    assert formats["json"].name == "json"
    with pytest.raises(Misconfigured, match="'broken' cannot be loaded from 'nowhere_at_all:Nothing'"):
        formats["broken"]
