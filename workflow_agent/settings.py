"""What an operator can change, read from the environment once."""

import ipaddress
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from workflow_agent.errors import Misconfigured
from workflow_agent.values.described import field_texts
from workflow_agent.workflows.model.parser import validation_message


class UserFolders(BaseSettings):
    """Where the user keeps things, by the XDG base directory specification."""

    model_config = SettingsConfigDict(env_prefix="XDG_", env_ignore_empty=True, extra="ignore", frozen=True)

    state_home: Path | None = None


class OtlpTargets(BaseSettings):
    """Whether the standard OpenTelemetry variables name a collector; the exporter reads the rest itself."""

    model_config = SettingsConfigDict(env_prefix="OTEL_", env_ignore_empty=True, extra="ignore", frozen=True)

    sdk_disabled: bool = False
    traces_exporter: str = "otlp"
    metrics_exporter: str = "otlp"
    exporter_otlp_endpoint: str | None = None
    exporter_otlp_traces_endpoint: str | None = None
    exporter_otlp_metrics_endpoint: str | None = None

    @property
    def takes_spans(self) -> bool:
        """Say whether spans go to a collector."""
        endpoint = self.exporter_otlp_traces_endpoint or self.exporter_otlp_endpoint
        return endpoint is not None and self.traces_exporter == "otlp" and not self.sdk_disabled

    @property
    def takes_metrics(self) -> bool:
        """Say whether metrics go to a collector."""
        endpoint = self.exporter_otlp_metrics_endpoint or self.exporter_otlp_endpoint
        return endpoint is not None and self.metrics_exporter == "otlp" and not self.sdk_disabled


class Client:
    """The server that commands ask, and what they keep."""

    url: str | None = None
    """The server that commands ask, such as `http://127.0.0.1:8000`; without it they work on `data_dir`."""
    api_key: SecretStr | None = None
    """The key that commands send to that server; one of its `api_keys`."""
    state_dir: Path | None = None
    """Where the command line keeps what was typed; the user's state directory unless set."""


ENV_PREFIX = "WORKFLOW_AGENT_"
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class InMemory:
    """Streams that ended, and caches."""

    stream_kept_seconds: Seconds = 600
    """How long the events of a finished run can be read again."""

    caches_enabled: bool = True
    """Whether parsed workflows, rendered context, plans, passages and summaries of artifacts are cached."""
    cache_ttl_seconds: Seconds = 300
    """How long a cache entry lives."""
    cache_max_entries: Count = 1_000
    """Entries in each cache of a tenant; of rendered conversations, which are large, 32 at most."""


def _from_json(given: Any) -> Any:
    """Return what a variable holds as JSON; what is no text is taken as it is.

    Raises:
        ValueError: It is not JSON.
    """
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given or "{}")
    except ValueError as error:
        # Its text may hold a key.
        raise ValueError(f"is not JSON at character {getattr(error, 'pos', 0)}") from None


class ModelAccess(BaseModel):
    """How to reach one model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str | None = None
    api_key: SecretStr | None = None
    timeout_seconds: Seconds | None = None
    attempts: Count | None = None


class Models:
    """Which models are asked, and how."""

    model: str = "offline"
    """A Pydantic AI model such as `openai:gpt-5.2`, or `offline`, which needs no provider."""
    fallback_model: str | None = None
    """The model to ask when `model` fails."""
    embedding_model: str | None = None
    """A Pydantic AI embedding model such as `openai:text-embedding-3-small`, for search by meaning beside
    search by words, of workflows, of passages and of what was said in a conversation. Names, descriptions and steps of
    workflows, documents, tool results, messages of conversations that are searched and the questions about them are
    sent to its provider."""
    context_planner_model: str | None = None
    """The model that plans which artifacts go into the window; without it a small one of the provider of the model
    that answers (OpenAI, Anthropic, Google, Mistral), that model itself on a server of one's own, else rules;
    `offline` is rules too."""
    summarizer_model: str | None = None
    """The model that summarizes artifacts and earlier turns; chosen as `context_planner_model` is, but where that
    would be rules it is the model that answers."""
    models: Annotated[dict[str, ModelAccess], NoDecode, BeforeValidator(_from_json)] = Field(default_factory=dict)
    """How to reach single models, as JSON by their names:
    `{"openai:gpt-5.2": {"timeout_seconds": 30, "attempts": 2}, "openai:own": {"base_url": "http://own:8080/v1"}}`.
    Of a model named here, `base_url` and `api_key` are those given here or its provider's own, whatever
    `model_base_url` says."""
    model_base_url: str | None = None
    """Base URL of an OpenAI-compatible server, for models named `openai:…` that `models` does not name."""
    model_api_key: SecretStr | None = None
    """Key for `model_base_url`, to which OPENAI_API_KEY is not sent; providers read their own variables."""
    request_keys: bool = False
    """Whether a message may bring the key of the model that it names, one of openai or anthropic, as the
    header `X-Model-Key`. It is used for this message alone, and neither kept nor logged: a run that is taken
    up after a crash needs it again. Serve such a server by TLS only."""
    model_window_tokens: Count = 128_000
    """The model's window where its profile does not say."""
    reply_reserve_tokens: Count = 4_096
    """How much of the window is kept free for the reply."""
    model_timeout_seconds: Seconds = 60
    """How long one model request may take."""
    model_attempts: Count = 3
    """How often a model request is sent before it counts as failed."""

    prompt_layout: Literal["auto", "stable_prefix", "plain"] = "auto"
    """How a request keeps its beginning, so that a provider finds it in its cache. `stable_prefix` sends
    the tools of all modes, those of the mode allowed, and system messages where instructions of a mode begin;
    `plain` sends the tools of the modes that the conversation had, and one system message, which any server
    takes; `auto` is the former at OpenAI's own address, the latter elsewhere."""


class Requests:
    """Limits of requests and connections."""

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


class Runs:
    """Time, requests and programs of a run, and the agents."""

    run_timeout_seconds: Seconds = 180
    """How long one run may take, all its model requests and tools together."""
    tool_timeout_seconds: Seconds = 30
    """How long one tool call may take."""
    extensions: Annotated[tuple[str, ...], NoDecode] = ()
    """Modules that bring tools, agents, formats or models of your own, separated by commas; those of packages
    that name theirs as entry points are there without it."""
    agents_file: Path | None = None
    """A JSON or YAML file with the agents there are, in place of the five built-in ones: a list `agents` of
    `name`, `description`, and optionally `mode`, `tools`, `model` and `max_iterations`. One is named
    `assistant`."""
    mcp_servers_file: Path | None = None
    """A JSON file with an object `mcpServers`: other MCP servers, whose tools the assistant may use."""
    mcp_timeout_seconds: Seconds = 20
    """How long a tool of another MCP server may take, and a server to say which tools it has."""
    mcp_result_chars: Count = 20_000
    """The most of one result of such a tool that the model sees."""
    max_model_requests: Count = 10
    """Model requests in one run, of an agent that does not say."""
    max_handoffs: Count = 4
    """How often agents may hand the conversation on before the user says something again."""
    program_seconds: Seconds = 2
    """How long a program that the model wrote may compute."""
    program_memory_bytes: Annotated[int, Field(ge=1_048_576)] = 67_108_864
    """Memory of such a program."""
    program_recursion_depth: Count = 200
    """How deep its functions may call each other."""
    program_sleep_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.5
    """How long it may sleep altogether."""
    program_output_chars: Count = 10_000
    """Characters it may print, and characters of its result."""
    program_calls: Count = 200
    """How often it may ask for something outside itself."""
    program_processes: Count = 2
    """Processes that run such programs; they start with the first one."""


TenantName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]


class Serving:
    """Where the server listens, and on what it works."""

    host: str = "127.0.0.1"
    """Address to listen on. Any other than a loopback address needs `api_keys`."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    """Port to listen on; 0 takes a free one."""
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    """Processes that serve the port side by side, all on the same data; about one a processor core."""
    worker_silence_seconds: Seconds = 60
    """How long one of several workers may do nothing at all, its event loop stuck, before it is killed and
    replaced."""
    data_dir: Path = Path("data")
    """Where conversations and workflows are kept."""
    tenant: TenantName = "default"
    """The tenant, and its folder under `data_dir`, of clients whose key is in no entry of `tenants`."""
    samples: bool = False
    """Whether a new tenant starts with the sample workflows."""

    @property
    def is_loopback(self) -> bool:
        """Say whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False


class Approving:
    """Changes that wait for somebody's word, and events for other programs."""

    preview_kept_hours: Count = 168
    """How long a change that was shown and not made waits for a decision."""
    webhook_secret: SecretStr | None = None
    """The keys that sign events to other programs are made from it; without it none are sent."""
    webhook_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """The hosts that may be told of events, separated by commas; `*` for any, which lets whoever has a key of
    this server send requests into its network."""
    webhook_kept_hours: Count = 72
    """How long an event that its receiver does not take is sent again."""


class Hosts:
    """Several hosts on one database, in place of one machine's files."""

    database_url: SecretStr | None = None
    """A PostgreSQL database (15 or newer) that keeps conversations and workflows in place of files, such as
    `postgresql://user:password@host/name`; `embedded` starts one under `data_dir`, to try."""
    database_connections: Annotated[int, Field(ge=2, le=1_000)] = 10
    """Connections that one process makes to it at most."""
    database_statement_seconds: Seconds = 30
    """How long one statement may take."""
    database_lock_seconds: Seconds = 5
    """How long a statement waits for another that changes the same."""
    database_patience_seconds: Seconds = 10
    """How long a request waits for a database that does not answer; after that it is a 503."""
    host_lease_seconds: Seconds = 5
    """For how long a host counts as alive that gives no sign of life: then others go on with its runs."""
    redis_url: SecretStr | None = None
    """A Redis over which hosts pass on the streams of their runs, such as `redis://host:6379/0`. Without it,
    whoever follows a run of another host gets the reply when it is there."""


USD = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class TenantAccess(BaseModel):
    """Whose keys are a tenant's, and how much it may use."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    api_keys: tuple[SecretStr, ...] = ()
    api_key_users: dict[str, SecretStr] = Field(default_factory=dict)
    turns_per_minute: Count | None = None
    tokens_per_day: Count | None = None
    usd_per_day: USD | None = None
    runs_at_once: Count | None = None
    conversations_kept_days: Count | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose key a request was sent with."""

    tenant: str
    user: str | None
    """None where the key belongs to no single user."""


class Access:
    """Who is answered, and how much a tenant may use."""

    api_keys: Annotated[tuple[SecretStr, ...], NoDecode] = ()
    """Keys that clients send as `Authorization: Bearer …`, separated by commas; empty asks for none."""
    api_key_users: Annotated[dict[str, SecretStr], NoDecode, BeforeValidator(_from_json)] = Field(default_factory=dict)
    """Keys of single users, as JSON by the user: `{"anna": "…", "ben": "…"}`. What such a client says is that
    user's, and is remembered of that user."""
    tenants: Annotated[dict[TenantName, TenantAccess], NoDecode, BeforeValidator(_from_json)] = Field(
        default_factory=dict
    )
    """Further tenants of this server, as JSON by their names: each with keys of its own, and perhaps limits
    of its own in place of those below: `{"acme": {"api_keys": ["…"], "api_key_users": {"anna": "…"},
    "turns_per_minute": 60, "tokens_per_day": 2000000, "usd_per_day": 20, "conversations_kept_days": 365}}`."""
    tenant_turns_per_minute: Count | None = None
    """How many turns of a tenant may begin within any 60 seconds; further ones are answered 429."""
    tenant_tokens_per_day: Count | None = None
    """How many tokens, input and output, a tenant may use from midnight to midnight (UTC): once they are used, new
    turns are answered 429. Turns that run already go on to their end."""
    tenant_usd_per_day: USD | None = None
    """What a tenant's model calls may cost a day, in US dollars; calls whose price is not known cost nothing."""
    tenant_runs_at_once: Count | None = None
    """How many runs of a tenant may be under way; a further turn is answered 429. All hosts on a database are counted
    together; on a data directory each worker counts its own."""
    tenant_conversations_kept_days: Count | None = None
    """How many days after their last change conversations are deleted, with all that is in them; none are unless this
    or the tenant's own `conversations_kept_days` says so."""
    clients_name_users: bool = True
    """Whether clients without a key of their own may say in a request which user it is from (`user`). Switch
    it off unless they are front ends that know their users."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Values of the Host header that are answered, separated by commas, `*` for any. Empty means the loopback
    names on a loopback address, which keeps other sites' pages out, and any elsewhere."""


class Telemetry:
    """Logs and spans."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe log line that is written."""
    spans_with_content: bool = False
    """Whether spans carry prompts, replies, tool arguments and results. They go to the collector that
    OTEL_EXPORTER_OTLP_ENDPOINT names, so switch it on only where that may read all conversations."""


class Window:
    """Turns, artifacts and documents in the window, and beside it."""

    max_history_turns: Count = 50
    """Earlier turns that are considered for the window."""
    max_turns: Annotated[int, Field(ge=3)] = 15
    """Turns the window is meant for: the oldest are summed up before they are so many."""
    compaction_trigger_share: Annotated[float, Field(gt=0, le=1)] = 0.7
    """Of `max_turns`, or of the window's budget: from there on the oldest turns are summed up."""
    compaction_share: Annotated[float, Field(gt=0, le=1)] = 0.4
    """How much of the turns is summed up at a time, oldest first; the newest two never are."""
    compaction_kept_share: Annotated[float, Field(ge=0, le=1)] = 0.25
    """How much of the turns that were summed up may be shown in their place: what summary and facts leave of
    it, sentences of those turns fill word for word."""
    summarizer_timeout_seconds: Seconds = 60
    """How long a summary of turns may take before they are left out without one."""
    max_remembered_references: Count = 200
    """References to workflows that are remembered for a user across conversations; what matters least goes
    first."""
    inline_result_bytes: Count = 2_048
    """The largest tool result, as JSON, that stays in a conversation's file; others are kept beside it."""
    seal_above_bytes: Count = 262_144
    """The size of a conversation's file from which on compacted turns are moved into files beside it."""
    artifact_window_share: Share = 0.5
    """How much of the room beside the fixed parts and the message artifacts may take from the history."""
    planning_few_chars: Count = 5_000
    """Artifacts of fewer characters in all go in without a plan."""
    planning_large_chars: Count = 10_000
    """An artifact with more characters is worth a plan by a model."""
    planning_buffer: Share = 0.3
    """The share of the artifacts' budget that has to stay free for them to go in without a plan."""
    planning_expensive_usd_per_token: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1e-5
    """An input token of the model that answers that costs more makes a plan worth its price."""
    planning_timeout_seconds: Seconds = 20
    """How long planning or summarizing may take; after that it is done by rule."""
    max_attachment_bytes: Count = 5_000_000
    """The largest document that can be attached, as its bytes."""
    max_attachment_chars: Count = 1_000_000
    """The longest document that can be attached, as its text."""
    max_attachments: Count = 200
    """Documents of one conversation."""


_HEADER_TOKEN = re.compile(r"[\x21-\x7e]{1,512}")


# In this order, because pydantic lists the fields of the last base first. The parts are plain classes: it
# would build a reader of each at every start, and none is read alone.
class Settings(
    Telemetry, Approving, Client, Requests, InMemory, Window, Runs, Models, Access, Hosts, Serving, BaseSettings
):
    """Everything that can be set, with its default; see docs/settings.md."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
    )

    @field_validator("api_keys", "allowed_hosts", "webhook_hosts", "extensions", mode="before")
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("api_keys")
    @classmethod
    def _fit_for_a_header(cls, keys: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        _check_keys(keys)
        return keys

    @field_validator("api_key_users")
    @classmethod
    def _users_fit_for_a_header(cls, users: dict[str, SecretStr]) -> dict[str, SecretStr]:
        _check_keys(users.values())
        return users

    @field_validator("tenants")
    @classmethod
    def _keys_of_tenants_fit(cls, tenants: dict[str, TenantAccess]) -> dict[str, TenantAccess]:
        for one in tenants.values():
            _check_keys((*one.api_keys, *one.api_key_users.values()))
        return tenants

    @model_validator(mode="after")
    def _each_key_is_of_one_tenant(self) -> Self:
        owners: dict[str, str] = {}
        for key, caller in self._keys():
            if owners.setdefault(key, caller.tenant) != caller.tenant:
                raise ValueError(f"{owners[key]!r} and {caller.tenant!r} have the same key")
        return self

    def _keys(self) -> Iterator[tuple[str, Caller]]:
        own = TenantAccess(api_keys=self.api_keys, api_key_users=self.api_key_users)
        for tenant, access in ((self.tenant, own), *self.tenants.items()):
            yield from ((key.get_secret_value(), Caller(tenant, None)) for key in access.api_keys)
            yield from ((key.get_secret_value(), Caller(tenant, user)) for user, key in access.api_key_users.items())

    @property
    def callers(self) -> dict[str, Caller]:
        """Return whose each key is."""
        return dict(self._keys())

    @property
    def needs_key(self) -> bool:
        """Say whether clients have to send a key."""
        return bool(self.callers)

    @property
    def served_tenants(self) -> tuple[str, ...]:
        """Return the tenants that clients can work in, the one without an entry of its own first."""
        return tuple(dict.fromkeys((self.tenant, *self.tenants)))


def _check_keys(keys: Iterable[SecretStr]) -> None:
    if not all(_HEADER_TOKEN.fullmatch(key.get_secret_value()) for key in keys):
        raise ValueError("a key is visible ASCII without spaces; `openssl rand -hex 24` makes a good one")


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
            f"{_variable_of(item['loc'])}: {validation_message(dict(item))}"
            for item in error.errors(include_input=False, include_url=False)
        ]
        raise Misconfigured("These settings cannot be used:\n  " + "\n  ".join(problems)) from error


def _variable_of(place: tuple[int | str, ...]) -> str:
    """Return the variable that is wrong, and where in its JSON; what is about several is said of `TENANTS`."""
    name, *within = place or ("tenants",)
    return "".join([f"{ENV_PREFIX}{str(name).upper()}", *(f".{part}" for part in within)])


def refuse_open_binding(settings: Settings) -> None:
    """Refuse to serve a network without an API key.

    Raises:
        Misconfigured: Others could reach the server, and no key is set.
    """
    if settings.is_loopback or settings.needs_key:
        return
    raise Misconfigured(
        f"{settings.host!r} can be reached from other machines, and no API key is set: anyone could read and "
        f"change everything. Set {ENV_PREFIX}API_KEYS, or listen on 127.0.0.1."
    )


def without_effect(settings: Settings) -> list[str]:
    """Return a sentence for each variable of this process that does not do for a server what it seems to."""
    told = unknown_variables(os.environ)
    if settings.api_key is not None and not settings.needs_key:
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
        # Those of the tests, and of the shell's completion.
        and not name.startswith((f"{ENV_PREFIX}TEST_", f"{ENV_PREFIX}COMPLETE"))
    )
    return [_told(name, known) for name in unknown]


def _told(name: str, known: Iterable[str]) -> str:
    said = name.upper().removeprefix(ENV_PREFIX)
    meant = get_close_matches(said, sorted(known), n=1, cutoff=0.7)
    hint = f"; did you mean {ENV_PREFIX}{meant[0]}?" if meant else "."
    return f"{name} is no setting and has no effect{hint}"


def shown_value(settings: Settings, name: str) -> str:
    """Return a setting's value for people; secrets are only said to be set."""
    value = getattr(settings, name)
    if isinstance(value, SecretStr):
        return "(set)"
    if isinstance(value, tuple):
        parts = cast("tuple[object, ...]", value)
        return ",".join("(set)" if isinstance(one, SecretStr) else str(one) for one in parts)
    if isinstance(value, dict):
        return ",".join(cast("dict[str, object]", value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


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
            "Generated from `workflow_agent/settings.py` by `workflow-agent settings --markdown`.",
            "Set them in the environment; `serve` also takes the commonest as options.",
            "",
            "| variable | default | meaning |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
