"""Building what plans the context."""

from workflow_agent.adapters.memory_cache import InMemoryCache
from workflow_agent.adapters.passages import ranked_by_bm25
from workflow_agent.agent.model_config import ModelConfig
from workflow_agent.agent.models import Models
from workflow_agent.agent.planner import PlanningParts, RankByMeaning
from workflow_agent.agent.prompts import read_prompt
from workflow_agent.agent.results_kept import KeptResults
from workflow_agent.agent.summary_cache import SummaryCache
from workflow_agent.chat.blobs import Blobs
from workflow_agent.chat.gathering import Gathering, GatheringLimits
from workflow_agent.domain.artifacts import PlanningThresholds
from workflow_agent.main.embedding import embedder_of
from workflow_agent.main.resources import resources
from workflow_agent.ports import ConversationStore
from workflow_agent.settings import ProviderKeys, Settings


def model_config_of(settings: Settings, request_model: str) -> ModelConfig:
    """Return which model does what, for a request that a model answers."""
    return ModelConfig.from_request(
        request_model,
        context_planner=settings.context_planner_model,
        summarizer=settings.summarizer_model,
        # Nobody's text goes to a provider that was not named, because a key for it happens to be there; and a
        # server of one's own that speaks OpenAI's protocol need not have OpenAI's models.
        has_openai_key=request_model.startswith("openai")
        and settings.model_base_url is None
        and ProviderKeys().openai_api_key is not None,
    )


def _by_meaning(settings: Settings) -> RankByMeaning | None:
    embedder = embedder_of(settings)
    if embedder is None:
        return None
    # Here, because most servers do without, and it takes a while.
    from workflow_agent.adapters.passage_meaning import PassagesByMeaning  # noqa: PLC0415 - see above

    return PassagesByMeaning(embedder)


def gathering_of(settings: Settings, store: ConversationStore, models: Models) -> Gathering:
    """Return what gathers and plans artifacts.

    Raises:
        Misconfigured: A prompt is missing, or the embedding model cannot be used.
    """
    kept = settings.cache_max_entries if settings.caches_enabled else 0
    configs = {name: model_config_of(settings, name) for name in models.by_name}
    return Gathering(
        Blobs(store),
        PlanningParts(
            plan_prompt=read_prompt(resources("prompts"), "plan"),
            summary_prompt=read_prompt(resources("prompts"), "artifact_summary"),
            rank=ranked_by_bm25,
            summaries=SummaryCache(InMemoryCache(kept), settings.cache_ttl_seconds if kept else 0.0),
            rank_by_meaning=_by_meaning(settings),
            timeout_seconds=settings.planning_timeout_seconds,
            plans=KeptResults(kept),
            extracts=KeptResults(kept),
        ),
        config_of=lambda name: configs.get(name) or model_config_of(settings, name),
        models=models.aside,
        thresholds=PlanningThresholds(
            few_chars=settings.planning_few_chars,
            large_chars=settings.planning_large_chars,
            buffer=settings.planning_buffer,
            expensive_usd_per_token=settings.planning_expensive_usd_per_token,
        ),
        limits=GatheringLimits(share=settings.artifact_window_share),
    )
