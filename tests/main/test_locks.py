"""What is installed where: a server gets what developers test with, and nothing that only they need."""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[2]
ONLY_DEVELOPERS = {"pytest", "ruff", "basedpyright", "playwright", "schemathesis", "hypothesis"}


def pins(name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Return the version and the hashes of each package in a lock file."""
    text = (PROJECT / name).read_text("utf-8")
    found = re.findall(r"^([a-z0-9-]+)==([^ \n]+)(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return {package: (version, frozenset(re.findall(r"sha256:[0-9a-f]{64}", rest))) for package, version, rest in found}


def test_a_server_is_installed_with_what_was_tested() -> None:
    tested, served = pins("requirements.lock"), pins("requirements-server.lock")

    assert {"fastapi", "pydantic-ai-slim", "uvicorn", "hatchling"} <= served.keys()
    assert {name: pin for name, pin in served.items() if tested.get(name) != pin} == {}
    assert served.keys().isdisjoint(ONLY_DEVELOPERS)
    assert tested.keys() >= ONLY_DEVELOPERS
