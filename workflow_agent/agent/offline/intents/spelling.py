"""Mending the commonest slips in the words that a request turns on; everything else stays as it was typed."""

import re
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
}
_MENDED: Final = {slip: word for word, slips in _SLIPS.items() for slip in slips.split()}
_SLIP: Final = re.compile(rf"(?<![\w\"'`_])(?:{'|'.join(_MENDED)})(?![\w\"'`_])", re.IGNORECASE)


def mended(text: str) -> str:
    """Return a text with its commonest slips set right, and their first letters as large as they were."""

    def word(match: re.Match[str]) -> str:
        right = _MENDED[match[0].lower()]
        return right.capitalize() if match[0][0].isupper() else right

    return _SLIP.sub(word, text)
