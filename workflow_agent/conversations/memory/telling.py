"""What people tell of themselves: lasting preferences and their kinds; and secrets, which are not kept."""

import re
from typing import Literal

FactKind = Literal["preference", "instruction", "favourite", "note"]
_KINDS: tuple[tuple[FactKind, re.Pattern[str]], ...] = (
    ("favourite", re.compile(r"\bfavou?rites?\b", re.IGNORECASE)),
    ("preference", re.compile(r"\b(?:prefers?|preferably|rather|likes?|dislikes?|hates?|loves?)\b", re.IGNORECASE)),
    (
        "instruction",
        re.compile(
            r"^(?:please |do not |don't )"
            r"|\b(?:always|never|from now on|in future|whenever|call me|address me)\b",
            re.IGNORECASE,
        ),
    ),
)


def kind_of(text: str) -> FactKind:
    """Return what kind of thing a sentence tells."""
    for kind, pattern in _KINDS:
        if pattern.search(text):
            return kind
    return "note"


_VERBS = (
    "use|show|give|call|name|write|answer|reply|ask|keep|draw|list|explain|tell|make|address|start|add|mark|put|"
    "spell|format|translate|speak|say|include|leave|avoid|stop|begin|end|shorten|summari[sz]e"
)
_TELLS = re.compile(
    r"(?:(?:and|also|ok(?:ay)?|well|so|btw|by the way|please|note that|just so you know)[, ]+)*"
    r"(?:i(?: (?:really|always|usually|generally|much|strongly))?"
    r" (?:prefer|like (?:it when|my|your|to have|to see|to get)|love it when|hate|dislike)\b"
    r"|i(?:'d| would)(?: (?:much|always))? (?:rather|prefer)\b"
    r"|i (?:don't|do not) (?:like|want you to)\b|my favou?rite\b|call me\b"
    r"|(?:from now on|in (?:the )?future|going forward)[, ]+(?:please )?(?:(?:always|never|do not|don't) )?"
    rf"(?:{_VERBS})\b"
    r"|(?:always|never) (?:answer|reply|speak|address|call me|write to me|ask me|explain|show me|tell me)\b)",
    re.IGNORECASE,
)
_OF_NOW = re.compile(r"\b(?:this|that|these|those|it|here|now|today)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST_TOLD_CHARS = 300


def told_of_oneself(message: str) -> list[str]:
    """Return the sentences of a message that plainly tell a lasting preference of whoever says it.

    "I prefer short names" is one. "I prefer this version" is about what is at hand, and "from now on the lead
    approves" about the business: neither is.
    """
    told = (one.strip(" .!-*") for one in _SENTENCE.split(message[:8_000]) if not one.rstrip().endswith("?"))
    return [
        one
        for one in told
        if len(one) <= _LONGEST_TOLD_CHARS and _TELLS.match(one) and not _OF_NOW.search(one) and not secret_in(one)
    ]


_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|xox[abpors]|AKIA|ASIA|AIza|npm|hf|pat|key)[-_]?[A-Za-z0-9_-]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}|-----BEGIN [A-Z ]{0,40}KEY"
)
_NAMED = re.compile(
    r"\b(?:password|passwort|passphrase|passcode|api[ _-]?key|secret|access token|token|pin|cvv|cvc"
    r"|private key|social security(?: number)?|ssn)\b(?:\s+\w+){0,4}?\s*(?:is|=|:|are|\bto\b)\s*\S",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_RANDOM = re.compile(r"\b(?=[A-Za-z0-9_+/-]*\d)(?=[A-Za-z0-9_+/-]*[A-Za-z])[A-Za-z0-9_+/-]{24,}={0,2}")


def secret_in(text: str) -> str | None:
    """Return what kind of secret a text holds, in words, or None: keys, passwords, card and bank numbers."""
    if any(_is_card_number(match[0]) for match in _DIGITS.finditer(text)):
        return "a card number"
    if _IBAN.search(text):
        return "a bank account number"
    if _NAMED.search(text):
        return "a password or key"
    return "a key" if _KEY.search(text) or _RANDOM.search(text) else None


def _is_card_number(written: str) -> bool:
    """Say whether digits pass Luhn's check, which one number in ten does by chance and every card's does."""
    digits = [int(one) for one in written if one.isdigit()][::-1]
    doubled = (two - 9 if (two := one * 2) > 9 else two for one in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
