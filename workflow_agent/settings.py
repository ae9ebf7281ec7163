"""What an operator can change, read from the environment once; every limit carries its unit in its name."""

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from workflow_agent.domain.errors import Misconfigured

ENV_PREFIX = "WORKFLOW_AGENT_"
_HEADER_TOKEN = re.compile(r"[\x21-\x7e]{1,512}")
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Settings(BaseSettings):
    """Everything that can be set, with its default; see docs/settings.md."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        use_attribute_docstrings=True,
        validate_default=True,
        hide_input_in_errors=True,
    )

    host: str = "127.0.0.1"
    """Address to listen on. Any other than a loopback address needs `api_keys`."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    """Port to listen on; 0 takes a free one."""
    data_dir: Path = Path("data")
    """Where conversations and workflows are kept."""
    tenant: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")] = "default"
    """The folder under `data_dir` that this server works in."""
    samples: bool = False
    """Whether a new tenant starts with the sample workflows."""

    api_keys: Annotated[tuple[SecretStr, ...], NoDecode] = ()
    """Keys that clients send as `Authorization: Bearer …`, separated by commas; empty asks for none."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Values of the Host header that are answered, separated by commas, `*` for any. Empty means the loopback
    names on a loopback address, which keeps other sites' pages out, and any elsewhere."""

    model: str = "offline"
    """A Pydantic AI model such as `openai:gpt-5.2`, or `offline`, which needs no provider."""
    fallback_model: str | None = None
    """The model to ask when `model` fails."""
    model_base_url: str | None = None
    """Base URL of an OpenAI-compatible server, for models named `openai:…`."""
    model_api_key: SecretStr | None = None
    """Key for `model_base_url`; other providers read their own variables."""
    model_window_tokens: Count = 128_000
    """The model's window where its profile does not say."""
    reply_reserve_tokens: Count = 4_096
    """How much of the window is kept free for the reply."""
    model_timeout_seconds: Seconds = 60
    """How long one model request may take."""
    model_attempts: Count = 3
    """How often a model request is sent before it counts as failed."""

    run_timeout_seconds: Seconds = 180
    """How long one run may take, all its model requests and tools together."""
    tool_timeout_seconds: Seconds = 30
    """How long one tool call may take."""
    max_model_requests: Count = 10
    """Model requests in one run."""
    max_history_turns: Count = 50
    """Earlier turns that are considered for the window."""
    stream_kept_seconds: Seconds = 600
    """How long the events of a finished run can be read again."""

    caches_enabled: bool = True
    """Whether parsed workflows and rendered context are cached."""
    cache_ttl_seconds: Seconds = 300
    """How long a cache entry lives."""
    cache_max_entries: Count = 1_000
    """Entries in each cache of a tenant."""

    max_body_bytes: Count = 10_485_760
    """The largest request body."""
    max_body_depth: Count = 64
    """The deepest nesting of a JSON body."""
    max_body_values: Count = 250_000
    """Values in a JSON body, keys not counted."""
    max_object_members: Count = 5_000
    """Members of one JSON object in a body."""
    max_head_bytes: Count = 65_536
    """The largest request line and headers together."""
    max_connections: Count = 1_000
    """Open connections; further ones are answered 503."""
    head_deadline_seconds: Seconds = 10
    """How long a client may take to send the request line and headers."""
    body_deadline_seconds: Seconds = 30
    """How long a client may take to send the body."""
    keep_alive_seconds: Count = 15
    """How long an idle connection is kept."""
    heartbeat_seconds: Seconds = 15
    """How often an idle event stream sends a comment."""
    shutdown_grace_seconds: Seconds = 20
    """How long running replies may take to finish when the server stops."""
    idempotency_kept_hours: Count = 168
    """How long the idempotency key of a created conversation or workflow is remembered."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe log line that is written."""

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

    @property
    def is_loopback(self) -> bool:
        """Say whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False


def load_settings(**overrides: Any) -> Settings:
    """Return the settings of the environment, with what the caller sets in front of them.

    Raises:
        Misconfigured: A value cannot be used; names the variable, never its value.
    """
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = [
            f"{ENV_PREFIX}{str(item['loc'][0]).upper()}: {str(item['msg']).removeprefix('Value error, ')}"
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


def shown_value(settings: Settings, name: str) -> str:
    """Return a setting's value for people; secrets are only said to be set."""
    value = getattr(settings, name)
    if isinstance(value, SecretStr):
        return "(set)"
    if isinstance(value, tuple):
        parts = tuple("(set)" if isinstance(part, SecretStr) else str(part) for part in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return ",".join(parts)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def settings_page() -> str:
    """Return docs/settings.md: every setting with its variable, default and meaning."""
    defaults = Settings.model_construct()
    rows = [
        f"| `{ENV_PREFIX}{name.upper()}` | {f'`{shown}`' if (shown := shown_value(defaults, name)) else '—'} "
        f"| {' '.join((field.description or '').split())} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            "Generated from `workflow_agent/settings.py` by `workflow-agent settings --markdown`.",
            "Set them in the environment; `serve` also takes the commonest as options.",
            "",
            "| variable | default | meaning |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
