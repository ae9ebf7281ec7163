"""Formats that are known by name before they are imported."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint
from typing import cast

from typing_extensions import override

from workflow_agent.errors import Misconfigured
from workflow_agent.workflows.formats.base import Format


class LateFormats(Mapping[str, Format]):
    """Formats by name, each imported when it is first asked for: most servers meet one or two in a day.

    Args:
        places: The module of each in this package, and its class there.
        others: Those of other packages; one that has a name of ours is left out.
    """

    def __init__(self, places: Mapping[str, str], others: Iterable[EntryPoint] = ()) -> None:
        own = (EntryPoint(name, f"{__package__}.{place.replace('.', ':')}", "") for name, place in places.items())
        foreign = {one.name: one for one in others if one.name not in places}
        self._places = {one.name: one for one in own} | foreign
        self._made: dict[str, Format] = {}

    @override
    def __getitem__(self, name: str) -> Format:
        if name not in self._made:
            made = cast("type[Format]", self._load(self._places[name]))
            # Two threads may both make it; a format keeps nothing, so either will do.
            self._made[name] = made()
        return self._made[name]

    def _load(self, place: EntryPoint) -> object:
        try:
            return place.load()
        except (ImportError, AttributeError) as error:
            raise Misconfigured(
                f"The format {place.name!r} cannot be loaded from {place.value!r}: {error}. "
                "Mend the package that names it, or remove it."
            ) from error

    def add(self, name: str, kind: type[Format]) -> None:
        """Add a format of another package; one that has a name of ours is left out."""
        if name not in self._places:
            self._places[name] = EntryPoint(name, f"{kind.__module__}:{kind.__qualname__}", "")

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._places

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    @override
    def __len__(self) -> int:
        return len(self._places)
