"""What people say and which mode it points to.

A line is a weight and a phrase. 3 decides by itself, 2 is typical, 1 only tips the balance; a negative weight speaks
against the mode. Phrases of one mode add up with diminishing returns, so synonyms do not need to exclude each other.
"""

from collections.abc import Mapping
from typing import Final

from workflow_agent.assistant.modes.phrases import analysis, creation, general, modification, search

ALWAYS: Final[Mapping[str, str]] = {
    "general": general.ALWAYS,
    "creation": creation.ALWAYS,
    "search": search.ALWAYS,
    "modification": modification.ALWAYS,
    "analysis": analysis.ALWAYS,
}
"""Phrases that count whatever the message is about."""

ON_TOPIC: Final[Mapping[str, str]] = {"analysis": analysis.ON_TOPIC}
OFF_TOPIC: Final[Mapping[str, str]] = {"general": general.OFF_TOPIC}
