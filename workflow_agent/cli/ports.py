"""The ways commands get at workflows and conversations, wherever these are: the ports."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a run's stream."""

    id: str
    name: str
    data: Mapping[str, Any]


class Backend(Protocol):
    """The service as commands see it, so that each command is written once.

    Every method raises `CommandFailed` when the service refuses or nobody answers.
    """

    def get(self, path: str, /, **query: object) -> Any:
        """Return what is at a path below the API's prefix; a query of None is left out."""
        ...

    def post(self, path: str, /, body: object = None, **query: object) -> Any:
        """Return what comes of sending a body to a path below the API's prefix."""
        ...

    def change(self, method: str, path: str, /, body: object = None, *, version: int | None = None) -> Any:
        """Return what comes of PATCH or DELETE; refused where it is not this version, any unless given."""
        ...

    def root(self, path: str, /) -> Any:
        """Return what is at a path outside the API, such as `/health`."""
        ...

    def pages(self, path: str, limit: int | None = None, /, **query: object) -> Iterator[Mapping[str, Any]]:
        """Yield the items of a list, page by page, at most so many."""
        ...

    def turn(self, body: Mapping[str, object], /) -> Generator[Event]:
        """Yield the events of a turn as they come; one that breaks off is taken up where it stopped."""
        ...


Listed = Sequence[Mapping[str, Any]]


class Listing(Protocol):
    """Where workflows are listed and found."""

    def found(self, words: str, limit: int, *, tag: str | None = None, trigger: str | None = None) -> Listed:
        """Return the best matches first, as `GET /workflows` shows them; without words, what changed last."""
        ...
