"""Building what compacts conversations."""

from collections.abc import Callable

from workflow_agent.adapters.json_conversations import JsonConversationStore
from workflow_agent.agent.models import Models
from workflow_agent.agent.prompts import read_prompt
from workflow_agent.agent.summarizer import build_summarizer
from workflow_agent.agent.token_counting import TokenCounters
from workflow_agent.chat.compacting import Compactor
from workflow_agent.domain.compacting import CompactionRule
from workflow_agent.main.clock import now
from workflow_agent.main.planning import model_config_of
from workflow_agent.main.resources import resources
from workflow_agent.settings import Settings
from workflow_agent.telemetry import Telemetry


def compactor_of(
    settings: Settings,
    store: JsonConversationStore,
    models: Models,
    telemetry: Telemetry,
    counters: TokenCounters,
    new_id: Callable[[str], str],
) -> Compactor:
    """Return what compacts the conversations of a store.

    Raises:
        Misconfigured: The summariser's prompt is missing.
    """
    name = model_config_of(settings, models.default).summarizer
    summarizer = build_summarizer(
        models.aside.get(name) or models.named(None),
        read_prompt(resources("prompts"), "summary"),
        timeout_seconds=settings.summarizer_timeout_seconds,
        window_tokens=models.window_tokens,
        instrumentation=telemetry.instrumentation,
    )
    rule = CompactionRule(settings.max_turns, settings.compaction_trigger_share, settings.compaction_share)
    return Compactor(
        store, summarizer, rule, telemetry, now, new_id, store.compacting,
        count=lambda: counters.of(models.named(None)).count,
    )  # fmt: skip
