"""Documents that come from files or standard input, and go to files or standard output."""

import sys
from pathlib import Path

from workflow_agent.cli.exits import EXIT_USAGE, CommandFailed
from workflow_agent.cli.output import print_note, print_text

STDIN = Path("-")


def read_text(file: Path) -> str:
    """Return what a file holds, or standard input where it is `-`.

    Raises:
        CommandFailed: It cannot be read.
    """
    try:
        return sys.stdin.read() if file == STDIN else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CommandFailed(f"{str(file)!r} cannot be read: {reason}.", EXIT_USAGE) from error


def write_or_print(text: str, output: Path | None) -> None:
    """Put text into a file, or print it where no file is named.

    Raises:
        CommandFailed: It cannot be written.
    """
    if output is None:
        print_text(text.rstrip("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandFailed(f"{str(output)!r} cannot be written: {error.strerror}.") from error
    print_note(f"Written to {output}.")
