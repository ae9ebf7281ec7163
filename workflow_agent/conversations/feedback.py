"""What somebody thought of a reply."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from workflow_agent.values.stored import Moment, Value

MOST_NOTE_CHARS = 2_000
Rating = Literal["up", "down"]


class Feedback(Value):
    """A rating of a reply, and why; the latest replaces what was said before."""

    turn: int
    run_id: str
    """The run that made the reply."""
    rating: Rating
    note: Annotated[str, StringConstraints(max_length=MOST_NOTE_CHARS)] = ""
    at: Moment

    def says(self, rating: Rating, note: str) -> bool:
        """Say whether it is this rating with this note."""
        return (self.rating, self.note) == (rating, note)
