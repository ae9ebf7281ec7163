"""Mending the commonest slips in the words that a request turns on; everything else stays as it was typed."""

import re
from collections.abc import Iterator
from typing import Final

_SLIPS: Final = {
    "create": "creat craete cretae",
    "build": "bulid biuld buid",
    "design": "desing desgin",
    "workflow": "worflow workfow workflo worklow wrokflow workflwo",
    "workflows": "worflows workfows worklows wrokflows",
    "process": "proces procces prosess proccess",
    "approval": "aproval approvel aprroval",
    "approve": "aprove",
    "approves": "aproves",
    "invoice": "invoce invioce invoise",
    "invoices": "invoces invioces invoises",
    "expense": "expence",
    "expenses": "expences",
    "onboarding": "onbording onboading",
    "employee": "employe emplyee",
    "vacation": "vaction vacaton",
    "request": "reqest requst",
    "receives": "recieves",
    "review": "reveiw",
    "the": "teh hte",
    "receipts": "reciepts receits recepits",
    "and": "adn nad",
    "step": "setp stpe",
    "before": "b4",
    "with": "wiht",
    "for": "fro",
    "don't": "dont",
    "doesn't": "doesnt",
    "isn't": "isnt",
    "shouldn't": "shouldnt",
}
_TURNED_ON: Final = (
    "before", "after", "between", "remove", "delete", "rename", "insert", "assign", "change", "approval",
    "approve", "approved", "deadline", "timeout", "escalate", "parallel", "replace", "schedule", "should",
    "manager", "finance", "payment", "department", "responsible", "instead", "submitted", "customer",
    "contract", "notification",
)  # fmt: skip
"""Words that an order turns on, also read with one letter left out, doubled or changed for the next."""
_WORDS: Final = frozenset(["inert", "inset", "manage", "manger", "fiance", "contact"])
"""What looks like a slip of those and is a word of its own."""


def _slips_of(word: str) -> Iterator[str]:
    """Yield how a word comes out when one letter behind the first is left out, doubled or swapped."""
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


_MENDED: Final = {
    slip: word
    for word in _TURNED_ON
    if len(word) > 4
    for slip in _slips_of(word)
    if slip not in _WORDS and slip not in _TURNED_ON and slip.removesuffix("s") not in _TURNED_ON
} | {slip: word for word, slips in _SLIPS.items() for slip in slips.split()}
_AD: Final = re.compile(r"^((?:please |pls |and )?)ad(?= )", re.IGNORECASE)
_SLIP: Final = re.compile(rf"(?<![\w\"'`_])(?:{'|'.join(_MENDED)})(?![\w\"'`_])", re.IGNORECASE)


def mended(text: str) -> str:
    """Return a text with its commonest slips set right, and their first letters as large as they were."""

    def word(match: re.Match[str]) -> str:
        right = _MENDED[match[0].lower()]
        return right.capitalize() if match[0][0].isupper() else right

    return _SLIP.sub(word, _AD.sub(r"\1add", text))
