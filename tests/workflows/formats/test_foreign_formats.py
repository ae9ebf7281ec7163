"""Formats of other packages; tests/main/test_extending.py installs one."""

from importlib.metadata import EntryPoint

import pytest

from workflow_agent.errors import Misconfigured
from workflow_agent.workflows.formats import LateFormats
from workflow_agent.workflows.formats.native import NativeYaml


def test_a_package_cannot_take_the_name_of_a_format_of_ours_and_a_broken_one_is_named() -> None:
    formats = LateFormats(
        {"json": "native.NativeJson"},
        [EntryPoint("json", "nowhere:Nothing", ""), EntryPoint("broken", "nowhere_at_all:Nothing", "")],
    )

    assert list(formats) == ["json", "broken"]
    assert formats["json"].name == "json"
    with pytest.raises(Misconfigured, match="'broken' cannot be loaded from 'nowhere_at_all:Nothing'"):
        formats["broken"]


def test_a_format_may_be_added_by_its_class() -> None:
    formats = LateFormats({"json": "native.NativeJson"})

    formats.add("yaml", NativeYaml)

    assert list(formats) == ["json", "yaml"]
    assert formats["yaml"].name == "yaml"
