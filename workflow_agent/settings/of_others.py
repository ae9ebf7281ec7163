"""Variables that others define and read, as far as they matter here."""

from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class ProviderKeys(BaseSettings):
    """Whether a provider can be used; its library reads the key itself."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore", frozen=True)

    openai_api_key: SecretStr | None = None


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
