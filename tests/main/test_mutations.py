"""That what keeps concurrent work apart is held by tests: without it, they fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.documented import PROJECT

pytestmark = [pytest.mark.slow(is_never_quick=True), pytest.mark.untraced]
LOCKED = """        with locked(place.lock):
            current = self._cached(place) or self._read(place, is_locked=True)
            if current is None:
                raise self._missing(place)
            changed = change"""


def ran(test: str, project: Path) -> subprocess.CompletedProcess[str]:
    """Run a test on a copy of the project; what it starts imports the copy too."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize(
    ("module", "there", "instead", "test"),
    [
        pytest.param(
            "storage/files/conversations.py",
            LOCKED,
            LOCKED.replace("locked(place.lock)", "nullcontext()"),
            "tests/storage/files/test_json_conversations.py::test_the_lock_is_held_from_reading_to_saving",
            id="the lock around a conversation's update",
        ),
        pytest.param(
            "assistant/turns/service.py",
            "await uninterrupted(self._accept(tenant, request, agent))",
            "await self._accept(tenant, request, agent)",
            "tests/assistant/turns/test_storage_failures.py::"
            "test_a_caller_that_leaves_while_its_message_is_stored_leaves_no_run_unstarted",
            id="accepting to its end",
        ),
        pytest.param(
            "assistant/turns/work.py",
            "await uninterrupted(saved)",
            "await saved",
            "tests/assistant/turns/test_storage_failures.py::test_a_reply_that_is_being_stored_is_not_cancelled_any_more",
            id="storing a reply to its end",
        ),
        pytest.param(
            "assistant/tools/modification.py",
            "preview = deps.progress.take_pending()",
            "preview = deps.progress.pending",
            "tests/assistant/tools/test_previews.py::test_two_confirmations_at_the_same_time_apply_it_once",
            id="a preview taken once",
        ),
    ],
)
def test_without_it_a_test_fails(tmp_path: Path, module: str, there: str, instead: str, test: str) -> None:
    for part in ("workflow_agent", "tests", "prompts"):
        shutil.copytree(PROJECT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    mutated = tmp_path / "workflow_agent" / module
    text = mutated.read_text(encoding="utf-8")
    assert text.count(there) == 1

    as_it_is = ran(test, tmp_path)
    mutated.write_text(text.replace(there, instead), encoding="utf-8")
    without = ran(test, tmp_path)

    assert as_it_is.returncode == 0, as_it_is.stdout[-2_000:]
    assert without.returncode == 1, without.stdout[-2_000:]
    assert "1 failed" in without.stdout
