"""Who does what, and what takes the place of what, as far as a sentence says it plainly."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from workflow_agent.assistant.compaction.statements import (
    clauses,
    says_little,
    statement_of,
    stem,
    word_set,
    words_within,
)

_VERBS: Final = word_set(
    "accept adjust answer appoint approve archive arrange assess assign attach audit authorise authorize award "
    "book build buy calculate call cancel charge check choose clean close collect compile complete confirm "
    "contact control coordinate count cover cut decide decline deliver deploy design dispatch distribute draft "
    "drive edit email escalate estimate evaluate examine execute explain fetch file fill forward gather grant "
    "greet hire import inform inspect install interview investigate invite issue judge launch load maintain "
    "manage measure monitor negotiate notify operate order organise organize own pack page pay phone pick "
    "prepare present print process produce propose publish purchase ratify receive recommend record refund "
    "refuse register reject release remind remove repair reply report request resolve respond return review "
    "run scan schedule screen select sell send settle ship sign skip sort stop store submit supervise supply "
    "teach test track train transfer translate triage trigger unpack update upload validate verify visit vote "
    "wake want wash watch weigh welcome write share move fix drop delete hold reject lead export enter own chair bear "
    "lend extend hand give bring take draw administer inject assign allocate rank score grade cook serve feed water "
    "harvest plant mix pour paint cast load unload tow pilot steer guard lock unlock open tag label weld mount drill "
    "cure dose diagnose prescribe operate rehearse perform play film record mow plough insure appraise survey "
    "fire read sing conduct announce host guide treat mend clear empty block sweep polish saw mill press seal "
    "stamp photograph copy taste watch observe follow escort carry lift pull push hang raise lower close knit sew "
    "bake brew roast dig sow prune milk shear groom brief coach referee tune adjust calibrate weld solder paint varnish"
)
_VERB_STEMS: Final = frozenset(map(stem, _VERBS))
_IRREGULAR: Final = {
    "paid": "pay", "sent": "send", "sold": "sell", "held": "hold", "bought": "buy", "built": "build", "chose": "choose",
    "chosen": "choose", "taught": "teach", "wrote": "write", "written": "write", "woke": "wake", "woken": "wake",
    "ran": "run", "gave": "give", "given": "give", "brought": "bring", "took": "take", "taken": "take", "drew": "draw",
    "fed": "feed", "drove": "drive", "driven": "drive", "led": "lead", "drawn": "draw",
}  # fmt: skip
_TOKEN: Final = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*|\d[\w.,:-]*")
_NO_VERB_AFTER: Final = word_set(
    "a an the this that these those my our your his her its their no any some of for in on at by with from "
    "into per each every"
)
_MODALS: Final = word_set(
    "must can may will would should shall could might to and then also always never usually only now first not "
    "has have had do does did is are was were be been being gets get"
)
_AUXILIARIES: Final = word_set("must can may will would should shall could might are were have")
_PASSIVE: Final = word_set("is are was were be been being gets get got")
_NOBODY: Final = word_set(
    "it they he she we i you this that these those who which one ones everyone everybody nobody anyone anybody "
    "someone somebody people user users assistant there please what how when if let both all others other "
    "workflow process step"
)
_BREAKS: Final = word_set("if when whenever unless because while that who which whether before after until once as")
_WHO: Final = re.compile(r"^(?:who|which)\b", re.IGNORECASE)
_APPOSITION: Final = re.compile(
    r"(?<![\w'-])([A-Z][\w'-]++(?: [A-Z][\w'-]++){0,2}), ((?:the|our|their|a|an) [\w' -]{2,40}), "
    r"|(?<![\w'-])((?:[\w'-]++ )?[\w'-]++), ([A-Z][\w'-]++(?: [A-Z][\w'-]++){0,2}), "
)
"""Somebody and who that is, before what they do: "Tobias Falk, the stage manager, accepts each piece"."""
_MOST_SUBJECT_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class Act:
    """That somebody does something."""

    verb: str
    subject: frozenset[str]
    """Stems; empty where it is not said, or by a pronoun."""
    rest: frozenset[str]
    """Stems of the other telling words of the clause."""


def _verb_of(token: str) -> tuple[str, bool] | None:
    """Return a verb in its plain form, and whether the token can be nothing but a verb."""
    word = token.casefold()
    if word in _IRREGULAR:
        return _IRREGULAR[word], True
    if word in _VERBS:
        return word, False
    for ending, is_plain in (("s", False), ("es", False), ("ed", True), ("d", True)):
        root = word.removesuffix(ending)
        if root != word:
            for base in (root, root[:-1] + "y" if root.endswith("i") else root, root[:-1]):
                if base in _VERBS and (base == root or ending in ("ed", "es")):
                    return base, is_plain
    return None


@lru_cache(maxsize=2_048)
def acts_in(text: str) -> tuple[Act, ...]:
    """Return who does what in a text, clause by clause."""
    found: list[Act] = []
    before = ""
    for clause in clauses(_APPOSITION.sub(r"\1\3 \2\4 ", text)):
        # "The operator calls Dagmar, who decides" says that Dagmar does.
        found += _acts(_WHO.sub(f"{' '.join(before.split()[-2:])} ", clause) if before else clause)
        before = clause
    return tuple(found)


def _acts(clause: str) -> Iterator[Act]:
    tokens = _TOKEN.findall(clause)
    low = [one.casefold() for one in tokens]
    for at, token in enumerate(tokens):
        verb = _verb_of(token)
        if verb is None or not _is_verb(low, at, is_plain=verb[1]):
            continue
        subject, spoken = _subject(tokens, at)
        words = set(statement_of(clause).words) - {stem(verb[0]), stem(low[at]), stem("whether")}
        yield Act(verb[0], subject, frozenset(words - spoken - subject))
        return


def is_verb(word: str) -> bool:
    """Say whether a word is a form of one of the verbs that are known."""
    return _verb_of(word) is not None or word in _VERB_STEMS


def _is_verb(low: list[str], at: int, *, is_plain: bool) -> bool:
    if at and low[at - 1] in _NO_VERB_AFTER:
        return False
    if low[at].endswith("s") and at + 1 < len(low) and low[at + 1] in _AUXILIARIES:
        # "Grants must be reviewed."
        return False
    if is_plain:
        return True
    before = low[at - 1] if at else ""
    if low[at].endswith("s") and not low[at].endswith("ss"):
        return at > 0 and before not in _MODALS
    # "Manager review" is a step, "managers review" is what they do.
    return before in _MODALS - _PASSIVE or before in _NOBODY or (before.endswith("s") and not before.endswith("ss"))


def _subject(tokens: list[str], at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of who does it, and of all that stands in that place."""
    low = [one.casefold() for one in tokens]
    if any(word in _PASSIVE for word in low[max(at - 2, 0) : at]) and not low[at].endswith("ing"):
        by = next((place for place in range(at + 1, len(low)) if low[place] == "by"), len(low))
        told = tokens[by + 1 : by + 1 + _MOST_SUBJECT_WORDS]
    else:
        begins = max((place + 1 for place in range(at) if low[place] in _BREAKS), default=0)
        told = tokens[begins:at]
        if len(told) > _MOST_SUBJECT_WORDS + 2 or any(word.casefold() in _NOBODY for word in told):
            told = []
    words = frozenset(words_within(" ".join(told)))
    return frozenset(word for word in words if not word[0].isdigit() and not says_little(word)), words


def does_another(said: Act, told: Act, same: frozenset[frozenset[str]]) -> bool | None:
    """Say whether a told act is the same as one that is said but for who does it; None where that is not clear.

    `same` holds pairs of words that name the same one, such as a role and who has it.
    """
    if said.verb != told.verb or not said.subject:
        return None
    if told.rest and len(said.rest & told.rest) <= min(len(said.rest), len(told.rest)) / 2:
        return None
    if not told.subject:
        return False if told.rest & said.rest else None
    if said.subject & told.subject:
        return False
    return not any(frozenset((one, other)) in same for one in said.subject for other in told.subject)


# A name begins at a word and gives no part of one back, so that a text of one long word is read in linear time.
_NP: Final = r"[\"'“]?(?<![\w-])([\w-]++(?:[ '][\w-]++){0,3})[\"'”]?"
_NAME: Final = r"[\"'“]([^\"'“”]{1,40})[\"'”]"
_UNTIL: Final = rf"(?:from|with|by|used|had|was) {_NP}(?: until [^,;]{{1,30}})?[,;] (?:and |but )?now "
_USED_NOW: Final = rf"\b(?:use|have|take) {_NP} now,? (?:and |but |we )*"
_BEFORE_NAME: Final = r"(?:from |with |by )?(?-i:(?=[A-Z\"'“]))"
_REPLACED: Final = tuple(
    (needed, re.compile(pattern, re.IGNORECASE), is_old_first)
    for needed, pattern, is_old_first in (
        (("from ",), rf"\bfrom {_NP} (?:on )?to {_NP}", True),
        (
            ("renam", "chang", "turn", "convert"),
            rf"\b(?:renam|chang|turn|convert)\w* (?:the step |the workflow |it )?{_NP} (?:to|into) {_NP}",
            True,
        ),
        (
            ("renam", "chang", "turn", "convert"),
            rf"{_NP} (?:was|were|is|are|has been|have been|got) (?:renamed|changed|turned|converted) (?:in)?to {_NP}",
            True,
        ),
        (
            ("instead of", "rather than", "in place of", "in lieu of"),
            rf"{_NP},? (?:instead of|rather than|in place of|in lieu of) {_NP}",
            False,
        ),
        (
            ("drop", "abandon", "ditch", "leav", "left", "replac", "swap"),
            rf"\b(?:dropp?|abandon|ditch|leav|left|replac|swapp?)\w* {_NP} (?:in favou?r of|for|by|with) {_NP}",
            True,
        ),
        (
            ("replace", "supersede", " over from"),
            rf"{_NP} (?:replace[sd]?|has replaced|superseded?s?|takes? over from|took over from) (?!by |with ){_NP}",
            False,
        ),
        (
            ("replaced", "superseded"),
            rf"{_NP} (?:(?:was|were|is|are|has been|have been|got|gets) )(?:replaced|superseded) (?:by|with) {_NP}",
            True,
        ),
        ((" now ",), rf"{_NP} (?:is|are) now (?:called |named |known as |{_BEFORE_NAME}){_NP}", True),
        ((" now",), rf"{_USED_NOW}(?:quit|left|dropped|stopped|gave up) (?:using )?{_NP}", False),
        ((" now ",), rf"{_UNTIL}(?:it is |it's |its |we (?:use|have) )?(?:from |with )?{_NP}", True),
        ((" is out", " is gone"), rf"{_NAME} is (?:out|gone),? (?:and |so )?(?:use|take|we use) {_NAME}", True),
        ((" no longer ", " not "), rf"{_NP},? (?:and|but) (?:no longer|not) (?:from|with|by|at|to) {_NP}", False),
        (
            ("don't", "do not", "no longer"),
            rf"\b(?:don't|do not|no longer) (?:use|have|take|need) {_NP},? (?:but|it's(?: all)?|we use|only) {_NP}",
            True,
        ),
    )
)
"""With what a text has to have, one of it, for the pattern to be tried; and which is named first."""


_FROM_TO: Final = re.compile(
    r"\b(?:went|goes|go|rose|rises?|raised?|increased?|fell|falls?|dropped|lowered|reduced|cut|changed?|moved?)\b[^;.]{0,40}?"
    r" from ([^;]{1,30}?) to ([^;]{1,30})",
    re.IGNORECASE,
)
_WAS_AND_IS: Final = re.compile(
    r"\b(?:was|were|used to be|had been)\b ([^;,]{1,60})[;,] (?:but |and )?"
    r"((?:now|this (?:year|month|season|time)|as of|since|from|today)\b[^;]{1,60})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Replacement:
    """That one thing takes the place of another; stems."""

    old: frozenset[str]
    new: frozenset[str]

    def is_as(self, other: "Replacement") -> bool:
        """Say whether another one is of the same things, the same way round."""
        return bool(self.old & other.old and self.new & other.new)

    def is_reverse_of(self, other: "Replacement") -> bool:
        """Say whether another one is of the same things, the other way round."""
        return bool(self.old & other.new and self.new & other.old) and not self.is_as(other)


@lru_cache(maxsize=2_048)
def replacements_in(text: str) -> tuple[Replacement, ...]:
    """Return what a text says to have taken the place of what."""
    found: list[Replacement] = []
    folded = text.casefold()
    tried = [one for one in _REPLACED if any(word in folded for word in one[0])]
    for _, pattern, is_old_first in tried:
        for match in pattern.finditer(text):
            first, second = (frozenset(words_within(match[at])) for at in (1, 2))
            if not first and is_old_first:
                # "We tried A and dropped it for B."
                first = frozenset(statement_of(text[: match.start()]).values)
            old, new = (first, second) if is_old_first else (second, first)
            if old - new and new - old:
                found.append(Replacement(old - new, new - old))
    return tuple(found)


def figures_replaced_in(text: str) -> list[Replacement]:
    """Return which figures of a text held once, and which hold now: "it went from 90 to 110", "it was 90, now 110"."""
    match = _FROM_TO.search(text) or _WAS_AND_IS.search(text)
    if match is None:
        return []
    old, new = _figures(match[1]), _figures(match[2])
    return [Replacement(old - new, new - old)] if old - new and new - old else []


def _figures(text: str) -> frozenset[str]:
    return frozenset(one for one in statement_of(f"x {text}").values if one[0].isdigit())
