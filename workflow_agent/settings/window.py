"""What goes into the model's window, and what is kept for it."""

from typing import Annotated

from pydantic import Field

from workflow_agent.settings.parts import Count, Seconds, Share


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
