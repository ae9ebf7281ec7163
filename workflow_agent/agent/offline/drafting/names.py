"""What a workflow is called: as it was told, or after what it is about."""

import re
from dataclasses import dataclass
from typing import Final

from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.tokens import tokens_of
from workflow_agent.agent.offline.drafting.words import word_set

_KIND: Final = r"(?:work ?flow|process|procedure|automation|pipeline|life ?cycle|state machine|flow|routine)"
_CALLED: Final = re.compile(
    r"[,.;:]?\s*(?:and\s+|please\s+)*(?:(?:call|name|title)\s+(?:it|this|that|the (?:workflow|process"
    r"|flow))\s*:?|(?:which is |that is |it is )?"
    r"(?:called|named|titled|entitled|with the name|with name))\s+"
    r"(?!(?:by|in|to|if|when|and|or|for|again|back|before|after|on|at|from|with|off|out|up|first|once|until)\b)"
    r"(?:\"(?P<quoted>[^\"\n]{1,120})\"|'(?P<single>[^'\n]{1,120})'|(?P<plain>[^\n.,:;!?\"]{1,80}?)"
    r"(?=\s*(?:[.,:;!?\n]|$| where\b| in which\b| when\b| that\b| which\b| with\b)))"
    r"[.,:;]?",
    re.IGNORECASE,
)
_ALIAS: Final = re.compile(
    r"[,.;(]?\s*(?:\(?(?:also known as|aka|a\.k\.a\.|alias|short:|we also call it|also called))\s+\"?"
    r"([^\"\n.,;:()]{1,60})\"?\)?",
    re.IGNORECASE,
)
_ASK: Final = re.compile(
    r"^\s*(?:(?:hi|hello|hey|ok|okay|so|well|please|now|great|thanks|alright|right|good (?:morning"
    r"|afternoon))\b[,!.: ]*)*"
    r"(?:(?:can|could|would|will) you (?:please |kindly |maybe )?(?:help (?:me|us) (?:to )?)?|(?:i|we)"
    r"(?: would like|'d like| would love|'d love| want| need| have)(?: you)?(?: to)? ?|let us |let's "
    r"|help me (?:to )?|please "
    r"|i am looking for |we are looking for |let me |how about )*"
    r"(?P<verb>(?:create|build|make|design|set ?up|draft|model|define|generate|write|add|produce|prepare"
    r"|draw|sketch|describe|start|have|get|do|put together|implement|automate|want|need)\b)?"
    r"(?:\s*(?:me|us|for me|for us|up|out))*\s*(?:please\s+)?",
    re.IGNORECASE,
)
_NOUN: Final = re.compile(
    r"^(?:(?:a|an|the|another|one|some|our|my|this|that|new|simple|small|basic|quick|short|little"
    r"|complete|standard|following|custom|automated|proper)\s+)*"
    r"(?P<topic>(?:[\w&'/-]+\s+){0,5}?)" + _KIND + r"s?\b",
    re.IGNORECASE,
)
_FOR: Final = re.compile(
    r"^\s*(?:for|to handle|to manage|to cover|about|of|on|around|that handles|which handles|that manages"
    r"|describing|covering)\s+"
    r"(?P<topic>[^.,:;!?\n(→]{2,80}?)(?=\s*(?:[.,:;!?\n(→]|$|\bwhere\b|\bin which\b|\bwhen\b|\bthat\b"
    r"|\bwhich\b|\bwith\b|\bif\b|\bevery\b|\bso that\b))",
    re.IGNORECASE,
)
_LINK: Final = re.compile(
    r"^\s*(?:(?:please|like this|as follows|it works like this|it should work like this|works like this"
    r"|goes like this)\b|(?:where|in which|such that|so that|that|which|with (?:the )?"
    r"(?:following )?steps|with|consisting of|from|for when|this way)\b|[:,.;-])\s*",
    re.IGNORECASE,
)
_SOMETHING: Final = re.compile(
    r"^(?:something|anything|a way|some way|a solution)\s+(?=for|to|where|that|which|in which)", re.IGNORECASE
)
_HEADING: Final = re.compile(
    r"^\s*#*\s*(?!\(?\d|[-*+] |[a-z][.)] )\"?([^\n.!?;→,\"]{3,60}?)\"?\s*(?::\s*|\n+(?=\s*(?:\d+[.)]"
    r"|[-*+]\s)))"
)
_LEAD: Final = re.compile(r"\s*(?P<order>[^:.!?\n]{3,160})[:.!?\n]\s*(?P<told>.+)", re.DOTALL)
_WISH: Final = re.compile(
    r"\s*(?:i|we) (?:want|need|would like|have) to (?!know\b|see\b|ask\b)[^:\n]{3,60}:", re.IGNORECASE
)
_TITLED_LINES: Final = re.compile(r"\A[^\n:→]{2,50}: +\S[^\n]*\n[^\n:→]{2,50}: +\S")
_STEPS_HEADING: Final = word_set(
    "steps the steps process the process workflow states statuses here are the steps flow it "
    "transitions stages"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A description taken apart: how the workflow is called, and what is left to read."""

    body: str
    name: str | None = None
    aliases: tuple[str, ...] = ()
    topic: str = ""
    """What it is for, where it says so."""
    is_request: bool = False
    """It asks for a workflow in so many words."""


def read_request(text: str) -> Request:
    """Return the name, aliases and topic that cleaned text gives, and the rest of it."""
    name, text = _called(text)
    aliases = tuple(dict.fromkeys(found.strip() for found in _ALIAS.findall(text)))[:5]
    text = _ALIAS.sub("", text)
    body, topic, is_request = _without_asking(text)
    is_request = is_request or _WISH.match(text) is not None
    if not topic and (not is_request or _WISH.match(text)):
        topic, body = _heading(body)
    return Request(body, name, tuple(alias for alias in aliases if alias), topic, is_request)


def without_order(text: str) -> str:
    """Return cleaned text without the order it begins with: "Create a workflow called Refund: …"."""
    found = _LEAD.match(text)
    if found is None:
        return text
    asked = read_request(found["order"])
    is_order = asked.is_request and not asked.body.strip(" .,:;")
    told = found["told"].strip()
    return told[:1].upper() + told[1:] if is_order and told else text


def _called(text: str) -> tuple[str | None, str]:
    found = _CALLED.search(text)
    if found is None:
        return None, text
    name = (found["quoted"] or found["single"] or found["plain"]).strip()
    if not any(char.isalnum() for char in name):
        return None, text
    glue = " : " if found.start() and found.end() < len(text) else " "
    return name[:1].upper() + name[1:], text[: found.start()] + glue + text[found.end() :]


def _without_asking(text: str) -> tuple[str, str, bool]:
    asked = _ASK.match(text)
    rest = text[asked.end() :] if asked else text
    if not asked or asked.end() == 0:
        return _bare_noun(text)
    something = _SOMETHING.match(rest)
    noun = _NOUN.match(rest)
    if noun is None and something is None:
        return _topic_only(text, rest, asked["verb"])
    topic = noun["topic"].strip() if noun else ""
    rest = rest[noun.end() :] if noun else rest[something.end() :] if something else rest
    purpose = _FOR.match(rest)
    if purpose is not None:
        topic = purpose["topic"].strip() or topic
        rest = rest[purpose.end() :]
    return _unlinked(rest), topic, True


def _bare_noun(text: str) -> tuple[str, str, bool]:
    """Read "expense workflow: ...", "a process for refunds where ..."."""
    noun = _NOUN.match(text.lstrip())
    if noun is None or (
        read_head(tokens_of(noun["topic"] or "x")) is not None and len(noun["topic"].split()) > 3
    ):
        return text, "", False
    rest = text.lstrip()[noun.end() :]
    purpose = _FOR.match(rest)
    if purpose is not None:
        return _unlinked(rest[purpose.end() :]), purpose["topic"].strip(), True
    if rest[:1] in (":", "\n") or re.match(r"\s*(?:where|in which|that|which|:)", rest):
        return _unlinked(rest), noun["topic"].strip(), True
    return text, "", False


def _topic_only(text: str, rest: str, verb: str | None) -> tuple[str, str, bool]:
    """Read "build me an expense approval: ..." and "we need onboarding for suppliers"."""
    if verb is None:
        return text, "", False
    found = re.match(
        r"(?:an?|the|our|my|new|some)\s+(?P<topic>[^.,:;!?\n→]{3,60}?)(?=\s*(?:[:.!?\n]|$|\bwhere\b"
        r"|\bin which\b))",
        rest,
        re.IGNORECASE,
    )
    if found is None or verb.lower() in ("start", "have", "do", "add", "want", "write", "prepare", "get"):
        return text, "", False
    return _unlinked(rest[found.end() :]), found["topic"].strip(), True


def _unlinked(rest: str) -> str:
    for _ in range(4):
        found = _LINK.match(rest)
        if found is None:
            return rest.strip()
        is_subject = found[0].strip().lower() in ("that", "which")
        rest = ("the system " if is_subject else "") + rest[found.end() :]
        if is_subject:
            return rest.strip()
    return rest.strip()


def _heading(text: str) -> tuple[str, str]:
    """Return a heading (`Invoice approval:`) and the text under it."""
    found = _HEADING.match(text)
    if found is None or _TITLED_LINES.search(text):
        return "", text
    words = found[1].lower().split()
    head = read_head(tokens_of(found[1]))
    is_clause = head is not None and (head.subject or head.voice != "imperative") and words[0] != "order"
    each = re.match(r"for (?:each|every) (?P<what>.+)", found[1], re.IGNORECASE)
    if each is not None:
        return each["what"], text[found.end() :]
    wish = re.match(r"(?:i|we) (?:want|need|would like|have) to (?P<what>.+)", found[1], re.IGNORECASE)
    if wish is not None and "this" not in words and "it" not in words:
        return wish["what"], text[found.end() :]
    starts_clause = words[0] in (
        "if",
        "when",
        "once",
        "then",
        "first",
        "after",
        "step",
        "every",
        "each",
        "states",
        "in",
        "at",
    )
    if is_clause or starts_clause or len(words) > 8:
        return "", text
    if set(words) <= _STEPS_HEADING:
        return "", text[found.end() :]
    topic = re.sub(rf"\s*\b{_KIND}\b\s*$", "", found[1], flags=re.IGNORECASE)
    return topic.strip() or found[1], text[found.end() :]
