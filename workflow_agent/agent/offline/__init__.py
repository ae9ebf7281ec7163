"""The rules model that answers without a provider: no network, deterministic, acts only through tools."""
