"""Variables that look like settings and are none."""

import os
from collections.abc import Iterable

from workflow_agent.settings.every import Settings
from workflow_agent.settings.parts import ENV_PREFIX

_OF_TESTS = f"{ENV_PREFIX}TEST_"
_OF_THE_SHELL = f"{ENV_PREFIX}COMPLETE"


def unknown_variables(names: Iterable[str] | None = None) -> list[str]:
    """Return a sentence for each variable that begins like a setting and has no effect.

    Args:
        names: Of all variables; those of this process by default.
    """
    known = {field.upper() for field in Settings.model_fields}
    given = os.environ if names is None else names
    unknown = sorted(
        name
        for name in given
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
