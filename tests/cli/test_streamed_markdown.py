"""Replies are set while they come, and nothing of them is drawn twice."""

import io
import re

import pytest
from rich.console import Console

from workflow_agent.cli.streamed_markdown import StreamedMarkdown

REPLY = """\
Done: I created **Expense approval** (`wf_expense_approval`), which is *really* rather short, with 6 steps.

1. **Submit expense** (`submit_expense`): employee → Approve or reject expense, and then something that wraps
2. Two
   - nested 2 * 3 a*b*c \\*no mark\\* `**code**`


## What is `left`

> quoted, and long enough to be wrapped at the edge of a screen that is sixty columns wide
---
| step | who |
|---|---|
| Pay | **finance** |

```json
{"a": "**no**",

  "b": 1}
```
漢字を書く人には空白がないので行の幅で折り返す必要がありますから、長い文も途中で切れてはいけません。
The end"""


def console(*, colour: bool = False, width: int = 60) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=colour, highlight=False, emoji=False, markup=False)


def written(text: str, *, size: int = 10_000, colour: bool = False) -> str:
    out = console(colour=colour)
    markdown = StreamedMarkdown(out)
    for at in range(0, len(text), size):
        markdown.feed(text[at : at + size])
    markdown.finish()
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_blocks_are_set_for_a_reader() -> None:
    shown = [line.rstrip() for line in written(REPLY).splitlines()]

    assert shown == [
        "Done: I created Expense approval (wf_expense_approval),",
        "which is really rather short, with 6 steps.",
        "",
        "1. Submit expense (submit_expense): employee → Approve or",
        "   reject expense, and then something that wraps",
        "2. Two",
        "   • nested 2 * 3 a*b*c *no mark* **code**",
        "",
        "What is left",
        "",
        "│ quoted, and long enough to be wrapped at the edge of a",
        "│ screen that is sixty columns wide",
        "────────────────────────────────────────",
        "",
        "",
        " step  who",
        " ─────────────",
        " Pay   finance",
        "",
        '{"a": "**no**",',
        "",
        '  "b": 1}',
        "漢字を書く人には空白がないので行の幅で折り返す必要があります",
        "から、長い文も途中で切れてはいけません。",
        "The end",
    ]


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_the_pieces_a_reply_comes_in_make_no_difference(size: int, colour: bool) -> None:
    assert written(REPLY, size=size, colour=colour) == written(REPLY, colour=colour)


def test_nothing_moves_the_cursor_back() -> None:
    steering = set(re.findall(r"\x1b\[[0-9;?]*([A-Za-z])|(\r)", written(REPLY, size=1, colour=True)))

    assert steering == {("m", "")}


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        pytest.param("**never closed\nnext", "\x1b[1mnever\x1b[0m \x1b[1mclosed\x1b[0m\nnext\n", id="bold"),
        pytest.param("closed** only", "closed only\n", id="a mark that closes nothing"),
        pytest.param("`a`b", "\x1b[36ma\x1b[0mb\n", id="code within a word"),
        pytest.param("``a ` b``", "\x1b[36ma\x1b[0m \x1b[36m`\x1b[0m \x1b[36mb\x1b[0m\n", id="two backticks"),
    ],
)
def test_marks_hold_to_the_end_of_their_line(marked: str, plain: str) -> None:
    assert written(marked, colour=True) == plain


def test_a_word_is_written_when_something_follows_it_or_nothing_does_for_now() -> None:
    out = console()
    markdown = StreamedMarkdown(out)
    assert isinstance(out.file, io.StringIO)

    markdown.feed("Let me loo")
    assert out.file.getvalue() == "Let me"
    markdown.feed("k.")
    markdown.pause()
    assert out.file.getvalue() == "Let me look."
    markdown.feed("\n\n" + "x" * 200)
    assert out.file.getvalue() == "Let me look.\n\n" + "x" * 160


def test_an_unfinished_table_and_unfinished_code_are_shown_at_the_end() -> None:
    assert "finance" in written("| who |\n|---|\n| finance |")
    assert written("```sh\nmake").endswith("make\n")
    assert written("") == ""
