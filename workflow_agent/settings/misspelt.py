"""Variables that have no effect, though whoever set them expected one."""

import os
from collections.abc import Iterable

from workflow_agent.settings.every import Settings
from workflow_agent.settings.parts import ENV_PREFIX

_OF_TESTS = f"{ENV_PREFIX}TEST_"
_OF_THE_SHELL = f"{ENV_PREFIX}COMPLETE"


def without_effect(settings: Settings) -> list[str]:
    """Return a sentence for each variable of this process that does not do for a server what it seems to."""
    told = unknown_variables(os.environ)
    if settings.api_key is not None and not settings.api_keys:
        told.append(
            f"{ENV_PREFIX}API_KEY is what the command line sends; a server asks for the keys in "
            f"{ENV_PREFIX}API_KEYS, and none is set."
        )
    return told


def unknown_variables(names: Iterable[str]) -> list[str]:
    """Return a sentence for each name of a variable that begins like a setting and is none."""
    known = {field.upper() for field in Settings.model_fields}
    unknown = sorted(
        name
        for name in names
        if name.upper().startswith(ENV_PREFIX)
        and name.upper().removeprefix(ENV_PREFIX) not in known
        and not name.startswith((_OF_TESTS, _OF_THE_SHELL))
    )
    return [_told(name, known) for name in unknown]


def _told(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - a server that is set up well does without

    said = name.upper().removeprefix(ENV_PREFIX)
    meant = get_close_matches(said, sorted(known), n=1, cutoff=0.7)
    hint = f"; did you mean {ENV_PREFIX}{meant[0]}?" if meant else "."
    return f"{name} is no setting and has no effect{hint}"
