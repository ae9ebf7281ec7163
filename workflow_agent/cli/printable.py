"""Text from anywhere as a terminal may show it."""

import re

from rich.text import Text

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def clean(text: str, style: str = "") -> Text:
    """Return text in which whatever would move the cursor or change colours is marked."""
    return Text(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\t", "    ")), style=style)
