"""Which models are asked, and how."""

from typing import Literal

from pydantic import SecretStr

from workflow_agent.settings.parts import Count, Seconds


class Models:
    """Which models are asked, and how."""

    model: str = "offline"
    """A Pydantic AI model such as `openai:gpt-5.2`, or `offline`, which needs no provider."""
    fallback_model: str | None = None
    """The model to ask when `model` fails."""
    embedding_model: str | None = None
    """A Pydantic AI embedding model such as `openai:text-embedding-3-small`, for search by meaning beside
    search by words, of workflows and of passages. Names, descriptions and steps of workflows, documents, tool
    results and the questions about them are sent to its provider."""
    context_planner_model: str | None = None
    """The model that plans which artifacts go into the window; without it `openai:gpt-4o-mini` where the
    model that answers is one of OpenAI's own, otherwise the model that answers."""
    summarizer_model: str | None = None
    """The model that summarizes artifacts and earlier turns; chosen as `context_planner_model` is."""
    model_base_url: str | None = None
    """Base URL of an OpenAI-compatible server, for models named `openai:…`."""
    model_api_key: SecretStr | None = None
    """Key for `model_base_url`, to which OPENAI_API_KEY is not sent; providers read their own variables."""
    model_window_tokens: Count = 128_000
    """The model's window where its profile does not say."""
    reply_reserve_tokens: Count = 4_096
    """How much of the window is kept free for the reply."""
    model_timeout_seconds: Seconds = 60
    """How long one model request may take."""
    model_attempts: Count = 3
    """How often a model request is sent before it counts as failed."""

    prompt_layout: Literal["auto", "stable_prefix", "plain"] = "auto"
    """Where instructions stand in a request. `stable_prefix` puts them behind the history and sends all tool
    definitions, those of the mode allowed, so that a provider finds the beginning in its cache; `plain` puts
    them first, which any server takes; `auto` is the former at OpenAI's own address, the latter elsewhere."""
