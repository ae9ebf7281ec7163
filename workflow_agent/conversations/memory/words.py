"""The words by which people say which workflow they mean, and how alike two words are."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from rapidfuzz.distance import OSA

from workflow_agent.workflows.model.terms import NUMBERS

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
CAPITALS = re.compile(r"\b[A-Z]{2,6}\b")
"""IT is a department, not a pronoun."""
_ENDINGS = frozenset(
    ["", "s", "es", "e", "d", "ed", "ing", "al", "als", "ment", "ments", "ion", "ions", "ation", "ations",
     "y", "ies", "ied", "ication", "ications", "ance", "ence"]
)  # fmt: skip
_STEM_CHARS = 4
_PREFIX_CHARS = 3
_TYPO_CHARS = 4
_LONG_CHARS = 8
"""Of words this long two letters may be wrong, of shorter ones one."""

SHORTENINGS = {
    "management": "mgmt", "manager": "mgr", "department": "dept", "account": "acct", "appointment": "appt",
    "payment": "pmt", "message": "msg", "document": "doc", "information": "info", "quality": "qa",
    "international": "intl", "application": "app", "administration": "admin", "development": "dev",
    "reimbursement": "reimb", "request": "req", "requisition": "req", "authorization": "auth",
}  # fmt: skip
_LONG_FORMS = {short: {word for word, other in SHORTENINGS.items() if other == short} for short in SHORTENINGS.values()}
_DIGITS = {word: str(number) for number, word in enumerate(NUMBERS)}
_RELATED = (
    "vacation holiday leave absence pto", "expense reimbursement spending", "invoice bill billing",
    "purchase procurement buying", "hiring recruitment recruiting candidate", "contract agreement",
    "onboarding joiner starter newcomer", "offboarding leaver exit", "incident outage",
    "customer client buyer", "employee staff", "supplier vendor", "payroll salary wages", "support helpdesk",
    "release deployment rollout", "refund repayment", "quote quotation offer", "shipping delivery dispatch",
    "travel trip journey", "booking reservation", "exam test", "discount promo promotion",
    "approval signoff", "stock inventory warehouse", "complaint grievance", "rollback revert",
    "student pupil", "ticket case issue", "meeting appointment", "warranty guarantee", "lead prospect",
)  # fmt: skip
_GROUP_OF = {word: at for at, line in enumerate(_RELATED) for word in line.split()}

_SMALL_WORDS_TEXT = (
    "a an the of to in on at by for from with and or is are was were be been it its this that these those my "
    "our your their his her we i you us me they who which what where when how please can could would will "
    "do did does done have has had s t as into about again some any there here just so up back also"
)
SMALL_WORDS = frozenset(_SMALL_WORDS_TEXT.split())
"""Words that a name or a phrase can do without."""

_GENERIC_NOUNS_TEXT = (
    "wf workflow workflows process processes flow flows pipeline pipelines procedure procedures thing things "
    "thingy one ones stuff lifecycle"
)
GENERIC_NOUNS = frozenset(_GENERIC_NOUNS_TEXT.split())
"""Words that stand for any workflow."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a phrase's words fit a name."""

    found: float
    """The share of the phrase's words that the name has."""
    used: float
    """The share of the name's words that the phrase has."""
    sureness: float
    """How alike the least alike of the found words is: 1.0 the same, less for a typo or a related word."""

    @property
    def score(self) -> float:
        """Return one number to rank by, from 0 to 1."""
        return self.found * self.sureness * (0.8 + 0.2 * self.used)


NO_FIT = Fit(0.0, 0.0, 0.0)


def words_of(text: str) -> list[str]:
    """Return the words of a text without case, accents and possessive endings."""
    plain = _POSSESSIVE.sub("", text)
    if not plain.isascii():
        plain = "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    return _WORD.findall(plain.casefold().replace("'", "").replace("\u2019", ""))


def telling_words(text: str) -> list[str]:
    """Return the words of a name that tell it from others; all its words when none does."""
    words = words_of(text)
    capitals = {word.casefold() for word in CAPITALS.findall(text)}
    telling = (word in capitals or word not in (SMALL_WORDS | GENERIC_NOUNS) for word in words)
    return [word for word, tells in zip(words, telling, strict=True) if tells] or words


def is_generic(word: str) -> bool:
    """Say whether a word stands for any workflow, rightly spelt or nearly."""
    return word in GENERIC_NOUNS or any(len(noun) > _TYPO_CHARS + 1 and _is_typo(word, noun) for noun in GENERIC_NOUNS)


def initials(words: Sequence[str]) -> str:
    """Return the first letters of words."""
    return "".join(word[0] for word in words)


def likeness(said: str, word: str) -> float:
    """Return how surely what somebody said is a word of a name, from 0 to 1."""
    if _DIGITS.get(said, said) == _DIGITS.get(word, word):
        return 1.0
    if any(char.isdigit() for char in said + word):
        return 0.0
    if _same_stem(said, word):
        return 0.97
    if word in _LONG_FORMS.get(said, ()):
        return 0.95
    if len(said) >= _PREFIX_CHARS and word.startswith(said):
        return 0.85
    if _is_typo(said, word):
        return 0.8
    return 0.65 if _related(said, word) else 0.0


def _same_stem(said: str, word: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(said, word, strict=False)))
    return any(
        said[at:] in _ENDINGS and word[at:] in _ENDINGS for at in range(shared, max(_STEM_CHARS, shared - 2) - 1, -1)
    )


def _is_typo(said: str, word: str) -> bool:
    shorter = min(len(said), len(word))
    if shorter < _TYPO_CHARS or said[0] != word[0]:
        return False
    allowed = 2 if shorter >= _LONG_CHARS else 1
    return OSA.distance(said, word, score_cutoff=allowed) <= allowed


def _related(said: str, word: str) -> bool:
    group = _GROUP_OF.get(_singular(said))
    return group is not None and group == _GROUP_OF.get(_singular(word))


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def fit(said: Sequence[str], name: str) -> Fit:
    """Return how well words fit a name; initials of neighbouring words count as those words."""
    whole = words_of(name)
    words = whole if (GENERIC_NOUNS | SMALL_WORDS).intersection(said, whole) else telling_words(name)
    if list(said) == [initials(whole)] and len(whole) > 1:
        return Fit(1.0, 1.0, 0.75)
    best = [0.0] * len(words)
    found: list[float] = []
    for one in said:
        alike = [likeness(one, word) for word in words]
        run = _run_of_initials(one, words) if max(alike, default=0.0) < 0.75 else None
        if run is not None:
            alike = [0.75 if at in run else 0.0 for at in range(len(words))]
        found.append(max(alike, default=0.0))
        best = [max(pair) for pair in zip(best, alike, strict=True)]
    matched = [value for value in found if value > 0]
    if not matched or not words:
        return NO_FIT
    return Fit(len(matched) / len(found), sum(value > 0 for value in best) / len(words), min(matched))


def _run_of_initials(said: str, words: Sequence[str]) -> range | None:
    size = len(said)
    if size < 2:
        return None
    starts = range(len(words) - size + 1)
    return next((range(at, at + size) for at in starts if initials(words[at : at + size]) == said), None)


COMMON_WORDS = frozenset({
    "the", "and", "for", "with", "from", "that", "this", "what", "when", "where", "which", "who", "how",
    "why", "does", "did", "are", "was", "were", "has", "have", "had", "can", "could", "would", "should",
    "will", "about", "into", "than", "then", "there", "their", "them", "they", "you", "your", "our",
    "not", "any", "all", "it", "its", "is", "in", "of", "to", "on", "at", "by", "or", "as", "an", "be",
    "do", "if", "me", "my", "we", "us", "say", "says", "said", "tell", "show", "give", "please",
})  # fmt: skip
"""Words that two texts may share without being about the same."""


Choice = Literal[
    "focus",
    "last",
    "first",
    "some_first",
    "some_last",
    "nth",
    "middle",
    "not_focus",
    "before",
    "other",
    "both",
    "former",
    "latter",
    "group",
    "all",
    "older",
    "newer",
    "earlier",
]

ORDINALS = {
    "1st": 1, "second": 2, "2nd": 2, "sec": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "fifth": 5, "5th": 5, "sixth": 6, "6th": 6,
}  # fmt: skip
COUNTS = {"one": 1, "1": 1, "two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_OF_THE_TWO = r" (?:one )?of (?:(?:the|these|those) )?(?:two|both|pair)(?: of them)?"
_OF_TWO = rf"(?:{_OF_THE_TWO}| (?:one )?of them)?"
_SEVERAL = "two|three|four|five|[2-5]"
CHOICES: Mapping[str, Choice] = {
    rf"former{_OF_TWO}": "former",
    rf"latter{_OF_TWO}": "latter",
    rf"older{_OF_TWO}|old{_OF_THE_TWO}": "older",
    rf"(?:newer|more recent|later|younger){_OF_TWO}|new{_OF_THE_TWO}": "newer",
    rf"first{_OF_THE_TWO}": "older",
    rf"(?:second|last){_OF_THE_TWO}": "newer",
    rf"others?{_OF_THE_TWO}": "other",
    r"(?:one |ones )?(?:right |just |directly )?before (?:that|it|this|the last)(?: one)?": "before",
    r"(?:the )?one (?:right |just )?before$|previous to (?:that|this)|second to last|second last|"
    r"last (?:one )?but one|next to last|penultimate|previous|preceding|prior": "before",
    r"(?:started|began|begun|start) (?:with|out with|off with)": "first",
    rf"(?:first|oldest|earliest) (?P<heads>{_SEVERAL})(?: ones)?": "some_first",
    rf"(?:last|latest|newest|(?:most )?recent|previous) (?P<tails>{_SEVERAL})(?: ones)?": "some_last",
    r"(?:the )?(?:one )?in the middle|(?:the )?middle(?: one)?": "middle",
    r"(?:not|isnt|wasnt|arent) (?:currently )?(?:open|opened|the (?:open|current))(?: one)?": "not_focus",
    r"all(?: (?:of )?(?:them|these|those|the))?(?: (?P<all>two|three|four|five|[2-5]))?|"
    r"(?:the )?(?P<every>three|four|five|[3-5])(?: of them)|every(?: one| single one)?|everything": "all",
    r"both(?: of)?(?: (?:them|these|those|the))?|"
    r"^(?:two|2)(?= (?:i|we|you|ones|from|with|that|of)\b)|(?:the|these|those|them) (?:two|2)\b(?: of them)?|"
    r"(?:the )?two of them|the pair": "both",
    r"(?:the )?others?|another|the remaining": "other",
    rf"(?P<nth>{'|'.join(ORDINALS)})|(?:number|no|nr|num) (?P<count>\d{{1,2}}|{'|'.join(COUNTS)})": "nth",
    r"old": "older",
    r"new": "newer",
    r"earlier|from before|beforehand|some time ago|(?:a )?while ago": "earlier",
    r"(?:very )?first|oldest|earliest|initial|original": "first",
    r"(?:very )?(?:last|latest|newest)|most recent(?:ly)?|just now|just|newly|recently|a (?:moment|second|"
    r"minute) ago": "last",
    r"currently|current|open|opened now|in front of (?:me|us)|(?:am|are|were|im|was) (?:working on|editing)|"
    r"at hand": "focus",
    r"^(?:them|they|these|those)$|^(?:these|those) (?:ones|workflows|processes|flows|things)$": "group",
}
"""Which of several, tried in this order on what the earlier ones left."""
_COMMANDS = (
    "show open get find give go look see return switch change edit use take want need tell explain analyse "
    "analyze check draw compare rename call me mean meant think let lets ok okay yes no hmm well "
    "merge combine join link copy duplicate clone print export put"
)
_TALK = (
    "pls plz plss please thx thanks thank ty hey hi hello hm hmm hmmm uh um er ah oh so actually maybe "
    "perhaps sth something whatever whats its thats im ive id lets kindly quick quickly really exactly wanna "
    "want would like love remember recall pick choose load bring pull continue keep working display again "
    "once thing i he she they as well both sorry kind right place handles handling deals covers about bit "
    "little few called named ago while ever time same only more no nope wait too now you"
)
FILLERS = SMALL_WORDS | GENERIC_NOUNS | frozenset(f"{_COMMANDS} {_TALK}".split())
