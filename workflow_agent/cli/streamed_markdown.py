"""Markdown set on a terminal while it comes: word by word, and never drawn twice."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.markdown import Markdown
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

_MARK = re.compile(r"\\([\\`*_{}\[\]()#+.!|~>-])|`+|\*\*|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])")


@dataclass(slots=True)
class InlineMarks:
    """Which marks are open where a line has got to."""

    is_heading: bool = False
    is_bold: bool = False
    is_emphasis: bool = False
    code: str = ""
    """The backticks that opened code, which as many close."""

    def spans(self, word: str) -> list[tuple[str, str]]:
        """Return the next word without its marks, in pieces with their styles."""
        pieces: list[tuple[str, str]] = []
        at = 0
        for match in _MARK.finditer(word):
            pieces.append((word[at : match.start()], self.style))
            literal = self._turned(match, opens=match.end() < len(word))
            pieces.append((literal, self.style))
            at = match.end()
        pieces.append((word[at:], self.style))
        return [piece for piece in pieces if piece[0]]

    @property
    def style(self) -> str:
        """Return the style of what follows."""
        if self.code:
            return "cyan"
        styles = ("bold", self.is_bold or self.is_heading), ("italic", self.is_emphasis)
        return " ".join(name for name, is_on in styles if is_on)

    def _turned(self, match: re.Match[str], *, opens: bool) -> str:
        """Open or close what a mark stands for; return what is to be read of it."""
        mark = match[0]
        if self.code:
            if mark != self.code:
                return mark
            self.code = ""
        elif match[1]:
            return match[1]
        elif mark[0] == "`":
            self.code = mark
        elif mark == "**":
            self.is_bold = opens and not self.is_bold
        else:
            self.is_emphasis = not self.is_emphasis
        return ""


_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef"
# A word counts once something follows it; writing without spaces, and what never ends, goes on meanwhile.
_UNIT = re.compile(rf"\n|([^\S\n]*)(?:([{_WIDE}])|([^\s{_WIDE}]+)(?=[\s{_WIDE}])|(\S{{160}})|(?=\n))")
_NUMBER = re.compile(r"\d{1,9}[.)]")
_RULE = re.compile(r"([-*_])\1{2,}")
_MOST_INDENT = 12


class StreamedMarkdown:
    """Writes blocks as their words come; only a table waits until it is whole, for its columns' widths.

    Nothing is redrawn, so a reply may be longer than the screen, a window may be made narrower meanwhile,
    and what is scrolled back to is what was read.
    """

    def __init__(self, console: "Console") -> None:
        self._console = console
        self._rest = ""
        self._marks = InlineMarks()
        self._hanging = ""
        self._column = 0
        self._is_begun = False
        self._is_code = False
        self._table: list[str] = []
        self._has_gap = True
        self.has_said = False

    def feed(self, text: str) -> None:
        """Write what is whole by now."""
        self._rest += text
        while self._rest and self._take():
            pass

    def finish(self) -> None:
        """Write what is left and end the line."""
        if self._rest or self._is_begun:
            self.feed("\n")
        self._end_table()
        self._is_code = False

    def pause(self) -> None:
        """Write the word that has come last: nothing follows it for now."""
        if self._rest.strip() and not (self._is_code or self._table or self._rest.lstrip().startswith("|")):
            self.feed(" ")

    @property
    def is_in_line(self) -> bool:
        """Say whether a line is begun."""
        return self._is_begun or bool(self._rest.strip()) or bool(self._table)

    def _take(self) -> bool:
        if not self._is_begun and self._is_linewise():
            line, newline, rest = self._rest.partition("\n")
            if not newline:
                return False
            self._rest = rest
            self._take_line(line)
            return True
        match = _UNIT.match(self._rest)
        if match is None:
            return False
        self._rest = self._rest[match.end() :]
        if match[0] == "\n":
            self._end_line()
        elif word := match[2] or match[3] or match[4]:
            self._take_word(match[1], word, can_wrap=bool(match[1] or match[2]))
        return True

    def _is_linewise(self) -> bool:
        begun = self._rest.lstrip(" ")
        return self._is_code or begun.startswith(("```", "|")) or begun in ("`", "``")

    def _take_line(self, line: str) -> None:
        if line.lstrip().startswith("```"):
            self._end_table()
            self._is_code = not self._is_code
        elif self._is_code:
            self._print(line + "\n", "cyan")
        else:
            self._table.append(line)

    def _take_word(self, gap: str, word: str, *, can_wrap: bool) -> None:
        if self._is_begun:
            self._put(" " if gap and self._column > len(self._hanging) else "", word, can_wrap=can_wrap)
            return
        self._end_table()
        self._is_begun = True
        self._begin(gap[:_MOST_INDENT], word)

    def _begin(self, indent: str, word: str) -> None:
        """Begin a line with its first word, which says what kind of block it is."""
        self._hanging = ""
        if re.fullmatch("#{1,6}", word):
            self._marks.is_heading = True
        elif _RULE.fullmatch(word):
            self._print("─" * min(self._console.width, 40), "dim")
        elif word in ("-", "*", "+") or _NUMBER.fullmatch(word):
            mark = f"{indent}{word if word[0].isdigit() else '•'} "
            self._print(mark)
            self._hanging = " " * len(mark)
            self._column = len(mark)
        elif word == ">":
            self._hanging = f"{indent}│ "
            self._print(self._hanging, "dim")
            self._column = len(self._hanging)
        else:
            self._hanging = indent
            self._print(indent)
            self._column = len(indent)
            self._put("", word, can_wrap=False)

    def _put(self, gap: str, word: str, *, can_wrap: bool) -> None:
        shown = Text.assemble(*self._marks.spans(word))
        width = len(gap) + shown.cell_len
        if can_wrap and self._column + width > self._console.width and self._column > len(self._hanging):
            self._print("\n")
            self._print(self._hanging, "dim")
            gap, width, self._column = "", shown.cell_len, len(self._hanging)
        self._print(gap)
        self._console.print(shown, end="", soft_wrap=True)
        self._column += width
        self.has_said, self._has_gap = True, False

    def _end_line(self) -> None:
        if self._is_begun:
            self._print("\n")
        else:
            self._end_table()
            if not self._has_gap:
                self._print("\n")
                self._has_gap = True
        self._marks = InlineMarks()
        self._column, self._is_begun = 0, False

    def _end_table(self) -> None:
        if not self._table:
            return
        lines, self._table = self._table, []
        self._console.print(Markdown("\n".join(lines)))
        # A table brings an empty line of its own.
        self.has_said, self._has_gap = True, True

    def _print(self, text: str, style: str = "") -> None:
        if text:
            self._console.print(text, style=style or None, end="", soft_wrap=True)
            if text.strip():
                self.has_said, self._has_gap = True, False
