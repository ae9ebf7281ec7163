"""Sections of the report that reach into the service measure it as it is."""

import pytest

from benchmarks.measured import contexts


@pytest.mark.slow
def test_the_context_is_built_again_and_again_without_asking_a_model() -> None:
    section = contexts.measure((40, 80))

    assert {
        figure.name: figure.value >= contexts.ARTIFACTS for figure in section.figures if "artifacts" in figure.name
    } == {"artifacts at turn 40": True, "artifacts at turn 80": True}
