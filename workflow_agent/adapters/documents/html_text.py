"""The text a page shows: no scripts, no styles, no markup."""

import re
from html.parser import HTMLParser

_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object", "head"})
_BLOCKS = frozenset({
    "p", "div", "section", "article", "header", "footer", "main", "aside", "nav", "h1", "h2", "h3", "h4",
    "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "br", "hr", "pre", "blockquote",
    "form", "fieldset", "figure", "title",
})  # fmt: skip
_SPACES = re.compile(r"[ \t\r\f\v\u00a0]+")
_GAPS = re.compile(r"\n\s*\n\s*")


class _Shown(HTMLParser):
    """Collects what is shown; what is left open at the end does not hide the rest."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in _UNSEEN:
            self._hidden.append(tag)
        elif tag == "body":
            self._hidden.clear()
        if tag in _BLOCKS:
            self.pieces.append("\n\n" if tag not in ("br", "li", "tr") else "\n")
        elif tag in ("td", "th"):
            self.pieces.append(" | ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag in _BLOCKS:
            self.pieces.append("\n\n" if tag not in ("li", "tr") else "\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)


def html_as_text(page: str) -> str:
    """Return what a page shows, paragraph by paragraph."""
    shown = _Shown()
    shown.feed(page)
    shown.close()
    lines = (_SPACES.sub(" ", line).strip() for line in "".join(shown.pieces).split("\n"))
    return _GAPS.sub("\n\n", "\n".join(lines)).strip()
