"""What a person types: one message at a time, of several lines where wanted, remembered across sessions."""

import contextlib
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

PROMPT = "you> "
_MORE = "...> "
_FENCE = '"""'
_MOST_REMEMBERED = 1_000
Read = Callable[[str], str]


def read_message(read: Read) -> str:
    r'''Return the next message, its lines joined.

    A line that ends in `\` goes on in the next one; `"""` begins a text that `"""` ends.

    Args:
        read: Shows a prompt and returns a line; raises EOFError at the end of the input.
    '''
    line = read(PROMPT)
    if line.lstrip().startswith(_FENCE):
        return _fenced(line.lstrip().removeprefix(_FENCE), read)
    lines = [line]
    while lines[-1].endswith("\\"):
        lines[-1] = lines[-1][:-1]
        lines.append(read(_MORE))
    return "\n".join(lines).strip()


def _fenced(first: str, read: Read) -> str:
    lines = [first]
    while _FENCE not in lines[-1]:
        lines.append(read(_MORE))
    lines[-1] = lines[-1].partition(_FENCE)[0]
    return "\n".join(lines).strip()


def typed_line(prompt: str) -> str:
    """Return a line of standard input; the prompt is for people only."""
    return input(prompt if sys.stdin.isatty() else "")


@contextlib.contextmanager
def remembered(history: Path, words: Sequence[str]) -> Generator[None]:
    """Let earlier lines come back with the arrow keys, and Tab complete some words; a file keeps the lines.

    Where Python was built without readline, or the file cannot be written, lines are typed all the same.
    """
    try:
        import readline  # noqa: PLC0415 - not every Python has it
    except ImportError:
        yield
        return
    readline.set_history_length(_MOST_REMEMBERED)
    readline.set_completer(_completer(words))
    readline.set_completer_delims(" \n")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    with contextlib.suppress(OSError):
        readline.read_history_file(history)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            history.touch(mode=0o600)
            readline.write_history_file(history)


def _completer(words: Sequence[str]) -> Callable[[str, int], str | None]:
    def complete(begun: str, number: int) -> str | None:
        fitting = [word for word in words if begun and word.startswith(begun)]
        return fitting[number] + " " if number < len(fitting) else None

    return complete
