"""All settings together, read from the environment once; every limit carries its unit in its name."""

import re
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from workflow_agent.domain.errors import Misconfigured
from workflow_agent.domain.validation_messages import validation_message
from workflow_agent.settings.client import Client
from workflow_agent.settings.memory import InMemory
from workflow_agent.settings.models import Models
from workflow_agent.settings.of_others import UserFolders
from workflow_agent.settings.parts import ENV_PREFIX
from workflow_agent.settings.requests import Requests
from workflow_agent.settings.runs import Runs
from workflow_agent.settings.serving import Access, Serving
from workflow_agent.settings.telemetry import Telemetry
from workflow_agent.settings.window import Window

_HEADER_TOKEN = re.compile(r"[\x21-\x7e]{1,512}")


# In this order, because pydantic lists the fields of the last base first. The parts are plain classes: it
# would build a reader of each at every start, and none is read alone.
class Settings(Telemetry, Client, Requests, InMemory, Window, Runs, Models, Access, Serving, BaseSettings):
    """Everything that can be set, with its default; see docs/settings.md."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
    )

    @field_validator("api_keys", "allowed_hosts", mode="before")
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("api_keys")
    @classmethod
    def _fit_for_a_header(cls, keys: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        if not all(_HEADER_TOKEN.fullmatch(key.get_secret_value()) for key in keys):
            raise ValueError("a key is visible ASCII without spaces; `openssl rand -hex 24` makes a good one")
        return keys


def state_folder(settings: Settings) -> Path:
    """Return where the command line keeps what was typed."""
    if settings.state_dir is not None:
        return settings.state_dir
    return (UserFolders().state_home or Path.home() / ".local" / "state") / "workflow-agent"


def load_settings(**overrides: Any) -> Settings:
    """Return the settings of the environment, with what the caller sets in front of them.

    Raises:
        Misconfigured: A value cannot be used; names the variable, never its value.
    """
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = [
            f"{ENV_PREFIX}{str(item['loc'][0]).upper()}: {validation_message(dict(item))}"
            for item in error.errors(include_input=False, include_url=False)
        ]
        raise Misconfigured("These settings cannot be used:\n  " + "\n  ".join(problems)) from error


def refuse_open_binding(settings: Settings) -> None:
    """Refuse to serve a network without an API key.

    Raises:
        Misconfigured: Others could reach the server, and no key is set.
    """
    if settings.is_loopback or settings.api_keys:
        return
    raise Misconfigured(
        f"{settings.host!r} can be reached from other machines, and no API key is set: anyone could read and "
        f"change everything. Set {ENV_PREFIX}API_KEYS, or listen on 127.0.0.1."
    )
