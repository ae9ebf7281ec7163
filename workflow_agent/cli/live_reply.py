"""A reply on a terminal, as it comes."""

from typing import Self

from workflow_agent.cli.backend import Event
from workflow_agent.cli.printing import console, harmless, print_note
from workflow_agent.cli.streamed_markdown import StreamedMarkdown


class LiveReply:
    """Shows a reply while it is made: its words as they come, before them what is done meanwhile."""

    def __init__(self) -> None:
        self._console = console()
        self._text = StreamedMarkdown(self._console)
        self._is_waiting = False

    def __enter__(self) -> Self:
        self._wait("…")
        return self

    def __exit__(self, *_: object) -> None:
        self._end_text()

    def take(self, event: Event) -> None:
        """Show what an event tells."""
        match event.name:
            case "delta":
                self._stop_waiting()
                self._text.feed(harmless(str(event.data["text"])))
            case "tool_call":
                self._text.pause()
                self._wait(f"… {event.data['name']}")
            case "start" if self._text.has_said:
                self._end_text()
                self._console.print(f"{event.data['agent']}:\n", style="bold")
            case _:
                pass

    def note(self, text: str) -> None:
        """Tell what is no part of the reply, on a line of its own."""
        self._end_text()
        print_note(text)

    def _end_text(self) -> None:
        self._stop_waiting()
        self._text.finish()
        if self._text.has_said:
            self._console.print()
        self._text = StreamedMarkdown(self._console)

    def _wait(self, text: str) -> None:
        """Show, on a line that goes again, what is being done; a terminal that cannot erase shows nothing."""
        if self._text.is_in_line or self._console.is_dumb_terminal:
            return
        from rich.text import Text  # noqa: PLC0415 - help texts need not wait for it

        self._stop_waiting()
        shown = Text(harmless(text), style="dim")
        shown.truncate(self._console.width - 1)
        self._console.print(shown, end="", soft_wrap=True)
        self._is_waiting = True

    def _stop_waiting(self) -> None:
        if not self._is_waiting:
            return
        from rich.control import Control  # noqa: PLC0415 - help texts need not wait for it
        from rich.segment import ControlType  # noqa: PLC0415 - help texts need not wait for it

        self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
        self._is_waiting = False
