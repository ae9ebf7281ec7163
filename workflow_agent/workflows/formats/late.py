"""Formats that are known by name before they are imported."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from typing_extensions import override

from workflow_agent.workflows.formats.base import Format


class LateFormats(Mapping[str, Format]):
    """Formats by name, each imported when it is first asked for: most servers meet one or two in a day.

    Args:
        places: The module of each in this package, and its class there.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._made: dict[str, Format] = {}

    @override
    def __getitem__(self, name: str) -> Format:
        if name not in self._made:
            module, class_name = self._places[name].split(".")
            made = cast("type[Format]", getattr(import_module(f"{__package__}.{module}"), class_name))
            # Two threads may both make it; a format keeps nothing, so either will do.
            self._made[name] = made()
        return self._made[name]

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._places

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    @override
    def __len__(self) -> int:
        return len(self._places)
