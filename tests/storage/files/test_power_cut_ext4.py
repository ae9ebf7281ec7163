"""What a power cut leaves on a real ext4; needs root and loop devices."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.ext4_power_cut import CANNOT_BE_TRIED

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was found after cutting the power once after each call of a save."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("cutting the power of a file system needs Linux and root")
    if missing := [name for name in ("unshare", "mount", "mkfs.ext4") if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    directory = tmp_path_factory.mktemp("ext4")
    command = ["unshare", "--mount", sys.executable, "-m", "tests.support.ext4_power_cut", str(directory)]
    tried = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False)
    (directory / "disk.img").unlink(missing_ok=True)
    if tried.returncode == CANNOT_BE_TRIED:
        pytest.skip(f"no ext4 can be mounted and shut down here: {tried.stdout}")
    assert tried.returncode == 0, tried.stderr
    return json.loads(tried.stdout)


def test_a_cut_after_any_call_of_a_save_leaves_the_old_document_or_the_new_one(found: dict[str, Any]) -> None:
    *cuts, _ = found["cuts"]

    assert len(cuts) > 10
    assert {ending for ending, _ in cuts} == {"cut"}
    assert {content for _, content in cuts} == {"old", "new"}


def test_a_cut_after_an_acknowledged_save_leaves_the_new_document(found: dict[str, Any]) -> None:
    assert found["cuts"][-1] == ["acknowledged", "new"]


def test_the_cut_takes_what_a_careless_save_acknowledged(found: dict[str, Any]) -> None:
    assert found["careless"] == ["acknowledged", "old"]
