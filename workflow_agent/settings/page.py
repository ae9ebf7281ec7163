"""Settings as people read them."""

from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from workflow_agent.domain.described import field_texts
from workflow_agent.settings.every import Settings
from workflow_agent.settings.parts import ENV_PREFIX


def shown_value(settings: Settings, name: str) -> str:
    """Return a setting's value for people; secrets are only said to be set."""
    value = getattr(settings, name)
    if isinstance(value, SecretStr):
        return "(set)"
    if isinstance(value, tuple):
        return ",".join(_shown_parts(cast("tuple[object, ...]", value)))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _shown_parts(values: tuple[object, ...]) -> Iterator[str]:
    return ("(set)" if isinstance(one, SecretStr) else str(one) for one in values)


def meanings_of_settings() -> Mapping[str, str]:
    """Return what is said under each setting, by its name."""
    parts = (part for part in Settings.__bases__ if part is not BaseSettings)
    return {name: text for part in parts for name, text in field_texts(part).items()}


def settings_page() -> str:
    """Return docs/settings.md: every setting with its variable, default and meaning."""
    defaults = Settings.model_construct()
    meanings = meanings_of_settings()
    rows = [
        f"| `{ENV_PREFIX}{name.upper()}` | {f'`{shown}`' if (shown := shown_value(defaults, name)) else '—'} "
        f"| {' '.join(meanings[name].split())} |"
        for name in Settings.model_fields
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            "Generated from `workflow_agent/settings` by `workflow-agent settings --markdown`.",
            "Set them in the environment; `serve` also takes the commonest as options.",
            "",
            "| variable | default | meaning |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
