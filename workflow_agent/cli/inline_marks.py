"""What the marks inside a line of Markdown mean: bold, emphasis and code, followed from word to word."""

import re
from dataclasses import dataclass

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
            before = word[at : match.start()]
            if before:
                pieces.append((before, self.style))
            literal = self._turned(match, opens=match.end() < len(word))
            if literal:
                pieces.append((literal, self.style))
            at = match.end()
        if word[at:]:
            pieces.append((word[at:], self.style))
        return pieces

    @property
    def style(self) -> str:
        """Return the style of what follows."""
        if self.code:
            return "cyan"
        names = [
            name
            for name, is_on in (
                ("bold", self.is_bold or self.is_heading),
                ("italic", self.is_emphasis),
            )
            if is_on
        ]
        return " ".join(names)

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
