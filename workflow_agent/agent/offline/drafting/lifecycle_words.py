"""The phrases that speak of states and of moving between them."""

import re
from typing import Final

from workflow_agent.agent.offline.drafting.words import word_set

LISTED: Final = re.compile(
    r"\b(?:states?|status(?:es)?|stages)\s*(?:are|is|:|=|will be|should be|include|can be)+\s*:?\s*"
    r"(?P<list>[^.;\n]{3,2000})",
    re.IGNORECASE,
)


CAN_BE_IN: Final = re.compile(
    r"\bcan (?:be|have) (?:in )?(?:one of )?(?:the |these |following )*(?:states?|status(?:es)?)\s*:?\s*"
    r"(?P<list>[^.;\n]{3,2000})",
    re.IGNORECASE,
)


CAN_BE_EACH: Final = re.compile(
    r"\b(?:an?|the|each|every|our) [\w-]+(?: [\w-]+)? (?:can be|is) (?:either )?"
    r"(?P<list>\w[\w -]{1,30}"
    r"(?:, [\w -]{2,30}){1,12},? or [\w-]+(?: [\w-]+)?)(?=[.;\n]|$)",
    re.IGNORECASE,
)


COLON_LIST: Final = re.compile(
    r"\b(?:life ?cycle|state machine)\b[^:.\n]{0,60}:\s*"
    r"(?P<list>[\w -]{2,30}(?:,[\w -]{2,30}){1,30})(?=[.;\n]|$)",
    re.IGNORECASE,
)
BECOMES: Final = re.compile(
    r"\b(?:from )?(?P<from>[\w-]+(?: [\w-]+){0,2}?) (?:goes|moves|changes|switches|becomes|turns|transitions)"
    r" (?:back )?(?:in)?(?:to )?(?P<to>[\w-]+(?: [\w-]+){0,2}?)"
    r"(?: (?:when|by|after|if|via|once) (?P<action>[^,.;:()\n→]{1,80}))?(?=\s*(?:[,.;\n]|$))",
    re.IGNORECASE,
)
SIDE_STATES: Final = word_set(
    "cancelled canceled rejected failed expired abandoned lost deleted aborted blocked declined"
)


PATH: Final = re.compile(
    r"\b(?:(?P<thing>(?:an?|the|each|every|our) [\w-]+(?: [\w-]+)?) )?(?:goes|moves|passes|transitions"
    r"|changes|progresses|go|move|can go|can move|evolves|travels) (?:through )?from "
    r"(?P<path>[^.;\n]{3,2000})",
    re.IGNORECASE,
)


STARTS_AS: Final = re.compile(
    r"(?:(?P<thing>(?:an?|the|each|every|our) [\w-]+(?: [\w-]+)?) )?\b(?:starts (?:out )?as|begins as"
    r"|starts in|is created as) (?P<path>[^.;\n]{3,2000})",
    re.IGNORECASE,
)


MOVE: Final = re.compile(
    r"\bfrom (?P<from>[\w' -]{1,60}?) (?:back )?to (?P<to>[\w' -]{1,60}?)(?: (?:by|via|with|through|on"
    r"|using|when) (?P<action>[^,.;:()\n→]{1,80})|\s*[:(]\s*(?P<label>[^,.;()\n]{1,80})\)?)?(?=\s*"
    r"(?:[,.;\n)]|$|\band\b|\bor\b))",
    re.IGNORECASE,
)


ARROW: Final = re.compile(
    r"(?P<from>[\w' -]{1,60}?)\s*→\s*(?P<to>[\w' -]{1,60}?)\s*(?:[:(,]\s*(?:by |on |via )?"
    r"(?P<action>[^,.;()\n→]{1,80})\)?|(?: (?:by|via|on) (?P<label>[^,.;()\n→]{1,80})))?\s*(?=[,.;\n]|$)",
    re.IGNORECASE,
)


CAN_BE: Final = re.compile(
    r"(?:\b(?P<before>[\w-]+)(?: [\w-]+)? )?\bcan (?:also |always |then |still |later )*be "
    r"(?P<verb>\w{3,30})(?: (?:again|later|at any time|any time|anytime|from any state|from "
    r"(?P<from>[\w, -]{1,80}?)))?(?=\s*(?:[,.;\n(]|$|\band\b|\bby\b|\bif\b|\bor\b|\bwhen\b))",
    re.IGNORECASE,
)


BACK: Final = re.compile(
    r"\bback (?:from (?P<from>[\w' -]{1,40}?) )?to (?P<to>[\w' -]{1,40}?)(?=\s*(?:[,.;\n]|$|\bif\b"
    r"|\bwhen\b|\bfrom (?P<late>[\w' -]{1,40})))",
    re.IGNORECASE,
)


SEPARATOR: Final = re.compile(
    r"\s*(?:,\s*(?:and|then|or|to)?\s*|→|\b(?:and then|then|and finally|finally|and|or|to|into|through"
    r"|via)\b)\s*",
    re.IGNORECASE,
)


ACTIONS: Final = {
    "in_progress": "start", "progress": "start", "done": "complete", "open": "open", "new": "create",
    "live": "publish",
    "in_review": "submit", "review": "submit", "under_review": "submit", "active": "activate",
    "won": "win", "lost": "lose",
    "waiting": "hold", "on_hold": "hold", "draft": "draft", "todo": "plan", "ready": "prepare",
    "in_testing": "test",
    "inactive": "deactivate", "offline": "retire", "blocked": "block", "pending": "submit",
    "completed": "complete",
}  # fmt: skip


LIFECYCLE_WORDS: Final = re.compile(r"\b(?:states?|status(?:es)?|life ?cycle|state machine)\b", re.IGNORECASE)


REOPENED: Final = word_set("reopened reactivated restarted restored resumed unblocked returned")
