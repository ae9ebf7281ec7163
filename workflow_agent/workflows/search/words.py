"""From text to the words a search compares: folded, split at camel case, endings off."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from workflow_agent.values import grouped

_CHUNK = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Japanese, Chinese and Korean, written without spaces between words: taken in pairs of characters."""
LONGEST_WORD_CHARS = 40
_VOWEL = re.compile(r"[aeiouy]")
_DERIVED = (
    ("ifications", "ifi"), ("ification", "ifi"), ("izations", "iz"), ("ization", "iz"), ("isations", "iz"),
    ("isation", "iz"), ("ations", ""), ("ation", ""), ("ators", ""), ("ator", ""), ("ating", ""),
    ("ated", ""), ("ates", ""), ("ate", ""), ("ising", "iz"), ("ised", "iz"), ("ise", "iz"),
    ("ments", ""), ("ment", ""),
    ("ions", ""), ("ion", ""), ("ings", ""), ("ing", ""), ("ances", ""), ("ance", ""), ("ables", ""),
    ("able", ""), ("als", ""), ("al", ""), ("ers", ""), ("er", ""), ("ors", ""), ("or", ""), ("ed", ""),
)  # fmt: skip
"""Endings and what stands for them, the longer of two first."""
_IRREGULAR = {
    "paid": "pay", "sent": "send", "bought": "buy", "built": "build", "written": "write", "wrote": "write",
    "told": "tell", "made": "make", "people": "person", "children": "child", "ran": "run",
    "began": "begin",
    "chosen": "choose", "chose": "choose", "taken": "take", "took": "take", "given": "give", "left": "leave",
    "kept": "keep", "sold": "sell", "found": "find", "analyses": "analysis", "analyze": "analysis",
    "analyse": "analysis", "analyzes": "analysis", "analyzed": "analysis", "analysed": "analysis",
    "analyzing": "analysis", "analysing": "analysis", "indices": "index", "news": "news",
    "submission": "submit", "submissions": "submit", "signature": "sign", "signatures": "sign",
    "signed": "sign", "decision": "decide", "decisions": "decide",
}  # fmt: skip
_STOP_WORDS = (
    "a an the this that these those it its itself they them their there here he she his her we us our "
    "you your i me my is are was were be been being am do does did done has have had having will would "
    "shall should can could may might must of to in on at by for from with without into onto over under "
    "about as than then so too very just also and or but not no nor if when while where which who whom "
    "whose what why how because until after before during between through against each every any all "
    "some both few more most other such only own same up down out off again further once s t don d ll "
    "re ve m via per etc"
)
_SMALL_TALK = (
    "find search show look looking list give get tell need want please one ones thing something "
    "anything everything everybody called named like run runs running happen happens handle handles handling "
    "deal deals dealing concerning involving regarding related responsible workflow workflows process "
    "processes flow flows use used using"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that say nothing about a topic."""
SMALL_TALK = frozenset(_SMALL_TALK.split())
"""What people say around a topic when they ask for a workflow; dropped where a topic remains."""


def fold(text: str) -> str:
    """Return a text without case, accents and surplus space, so that equal names are equal."""
    return " ".join(_without_accents(text).casefold().split())


def squashed(text: str) -> str:
    """Return the letters and digits of a text alone, for comparing spellings across spaces."""
    return "".join(_CHUNK.findall(fold(text)))


def words(text: str) -> list[str]:
    """Return the stems of a text in order; a camel-case word gives its parts and then itself."""
    return [stem(word) for chunk in chunks(text) for word in spread(chunk)]


def chunks(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, with their case."""
    return _CHUNK.findall(_POSSESSIVE.sub("", _without_accents(text)))


def spread(chunk: str) -> Iterator[str]:
    """Yield the words of one run in lower case: its camel-case parts, if it has any, and the whole."""
    if not chunk.isascii() and _UNSPACED.fullmatch(chunk):
        yield from (chunk[at : at + 2] for at in range(max(len(chunk) - 1, 1)))
        return
    parts = [] if chunk.islower() or chunk.isupper() else _CAMEL.split(chunk)
    if len(parts) > 1:
        yield from (part.casefold()[:LONGEST_WORD_CHARS] for part in parts)
    yield chunk.casefold()[:LONGEST_WORD_CHARS]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a lower-case word without its ending: approve, approved and approval are one."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known if known == word else stem(known)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _plain_end(_without_derivation(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_derivation(word: str) -> str:
    for ending, instead in _DERIVED:
        base = word[: -len(ending)]
        if len(base) >= 3 and word.endswith(ending) and _VOWEL.search(base):
            is_doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz"
            return (base[:-1] if is_doubled else base) + instead
    return word


def _plain_end(word: str) -> str:
    """Write the last letters as what remains of a longer form of the word: notifi, cancel, approv."""
    if len(word) < 4:
        return word
    if word.endswith("e") or (word.endswith("ll") and len(word) > 5):
        return word[:-1]
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", plain)


GROUPS: tuple[tuple[str, ...], ...] = (
    ("expense", "reimbursement", "travel cost", "out of pocket"),
    ("invoice", "bill", "accounts payable"),
    ("refund", "money back", "chargeback"),
    ("payment", "payout", "disbursement", "settlement", "remittance"),
    ("purchase", "procurement", "requisition", "buy"),
    ("supplier", "vendor"),
    ("customer", "client", "buyer"),
    ("quote", "quotation", "estimate", "proposal"),
    ("budget", "spending plan"),
    ("payroll", "salary", "wage", "compensation"),
    ("onboarding", "new hire", "new employee", "new joiner", "new colleague", "new starter"),
    ("offboarding", "leaver", "exit process", "termination"),
    ("recruiting", "recruitment", "hiring", "talent acquisition"),
    ("candidate", "applicant"),
    ("employee", "staff", "worker", "colleague", "personnel"),
    ("manager", "supervisor", "boss", "team lead"),
    ("leave", "vacation", "holiday", "time off", "days off", "pto", "absence"),
    ("sick", "illness", "sickness"),
    ("hr", "human resources", "people team"),
    ("performance review", "appraisal"),
    ("training", "course", "learning"),
    ("ticket", "case", "support request"),
    ("issue", "bug", "defect"),
    ("incident", "outage", "disruption", "emergency"),
    ("support", "helpdesk", "help desk", "service desk"),
    ("complaint", "grievance"),
    ("approval", "sign off", "authorization", "consent", "permission", "green light"),
    ("reject", "decline", "deny", "refuse", "turn down"),
    ("review", "check", "inspection", "examination", "vetting"),
    ("verify", "validate", "confirm"),
    ("audit", "compliance check"),
    ("sign", "signature", "countersign", "execute"),
    ("contract", "agreement"),
    ("legal", "lawyer", "counsel", "attorney"),
    ("privacy", "gdpr", "data protection"),
    ("deploy", "release", "rollout", "roll out", "go live", "ship"),
    ("rollback", "roll back", "revert"),
    ("build", "compile"),
    ("test", "qa", "quality assurance"),
    ("ci", "continuous integration"),
    ("cd", "continuous delivery", "continuous deployment"),
    ("pull request", "merge request", "pr", "mr"),
    ("repository", "repo"),
    ("vulnerability", "security flaw", "security hole", "weakness"),
    ("scan", "analysis", "analyse"),
    ("database", "db"),
    ("etl", "data load", "data pipeline", "ingestion", "extract transform load"),
    ("warehouse load", "data sync"),
    ("backup", "snapshot"),
    ("restore", "recover"),
    ("schedule", "cron", "timer", "recurring", "periodic"),
    ("daily", "every day"),
    ("nightly", "every night", "overnight"),
    ("weekly", "every week"),
    ("monthly", "every month"),
    ("notify", "alert", "inform", "message", "announce", "tell"),
    ("email", "e mail", "mail"),
    ("reminder", "nudge", "chase"),
    ("escalate", "raise"),
    ("assign", "allocate", "delegate"),
    ("request", "application", "ask"),
    ("submit", "file", "hand in"),
    ("form", "questionnaire", "survey"),
    ("report", "summary", "digest"),
    ("document", "file", "paper"),
    ("publish", "post", "put online"),
    ("article", "blog", "post", "content"),
    ("lead", "prospect", "opportunity"),
    ("marketing campaign", "campaign"),
    ("order", "purchase"),
    ("fulfilment", "fulfillment", "shipping", "delivery", "dispatch"),
    ("return", "send back"),
    ("warehouse", "inventory", "stock"),
    ("account", "login", "user"),
    ("access", "permission", "entitlement", "rights"),
    ("password reset", "forgotten password", "credential reset"),
    ("delete", "remove", "erase"),
    ("create", "make", "add", "new"),
    ("update", "change", "modify", "edit"),
    ("cancel", "abort", "call off"),
    ("retry", "try again", "repeat"),
    ("parallel", "concurrent", "simultaneous"),
    ("loop", "iterate", "repeat"),
    ("condition", "branch", "decision"),
    ("meeting", "appointment", "calendar event"),
    ("meeting room", "conference room"),
    ("laptop", "computer", "hardware", "equipment", "device"),
    ("it", "information technology"),
    ("ai", "artificial intelligence", "llm", "language model"),
    ("chatbot", "bot", "assistant"),
    ("kubernetes", "k8s"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("spreadsheet", "excel", "sheet"),
    ("website", "site", "web page"),
    ("maintenance", "upkeep", "servicing"),
    ("renewal", "extension"),
    ("claim", "case"),
    ("loan", "credit"),
    ("fraud", "scam"),
    ("kyc", "know your customer", "identity check", "identity verification"),
)
"""Each group means one thing; a word may be in several."""
Phrase = tuple[str, ...]
"""The stems of one or more words in a row."""


def _by_phrase() -> dict[Phrase, tuple[Phrase, ...]]:
    groups = [[tuple(words(phrase)) for phrase in group] for group in GROUPS]
    related = grouped((phrase, other) for group in groups for phrase in group for other in group if other != phrase)
    return {phrase: tuple(dict.fromkeys(others)) for phrase, others in related.items()}


_RELATED = _by_phrase()
_LONGEST = max(len(phrase) for phrase in _RELATED)


def synonyms(stems: Sequence[str]) -> list[tuple[range, tuple[Phrase, ...]]]:
    """Return where a query has a word or phrase with synonyms, and those, longest phrases first."""
    sizes = range(_LONGEST, 0, -1)
    runs = (range(start, start + size) for size in sizes for start in range(len(stems) - size + 1))
    return [(run, others) for run in runs if (others := _RELATED.get(tuple(stems[run.start : run.stop])))]
