"""Clauses at positions of one run of tokens: subject, verb and voice. Each look ahead is bounded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from workflow_agent.assistant.offline.drafting.phrases import is_plural, is_role, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at

Voice = Literal["active", "passive", "state"]

_LONGEST_SUBJECT: Final = 14
_NOMINATIVE: Final = word_set("set.nominative")
_POINTING: Final = word_set("set.pointing")
_BEFORE_VERB: Final = word_set("set.mid_adverbs") | {"both", "all", "each", "either"}
_UNTIL_NOUN: Final = frozenset({"until", "till", "unless"})


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: what is done, by whom, to what."""

    subject: tuple[Token, ...]
    """Who or what the verb speaks of; empty for an imperative, and where it is the clause's before."""
    verb: str
    """The base form of the main verb; empty where a form of "be" is all there is."""
    voice: Voice
    form: str
    """How a clause that goes on with the same subject bends its verb: s, base or ed."""
    rest: tuple[Token, ...]
    """What follows the verb."""
    tokens: tuple[Token, ...]
    verbs: tuple[str, ...] = ()
    """The verbs of "approves or rejects", two or more."""
    is_negated: bool = False
    is_past: bool = False
    is_relative: bool = False
    is_sure: bool = True
    """False where the verb may as well be a noun: "team interviews"."""
    timeout: str | None = None
    """Of "has two days to answer"."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where a subject ends and its verb stands."""

    end: int
    verb: int
    form: str
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class _Group:
    """The words of a verb, auxiliaries included."""

    verb: str
    voice: Voice
    form: str
    end: int
    is_negated: bool = False
    is_past: bool = False
    timeout: str | None = None


class Grammar:
    """Reads clauses of one run of tokens and remembers the subjects it found."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self._found: dict[int, Found | None] = {}
        self.looks = 0
        """How many tokens were looked at, for the promise of linear work."""

    def token(self, at: int) -> Token | None:
        """Return the token at a position, or None past the ends."""
        return self.tokens[at] if 0 <= at < len(self.tokens) else None

    def low(self, at: int) -> str:
        """Return the word at a position in small letters, empty past the ends."""
        return self.tokens[at].lower if 0 <= at < len(self.tokens) else ""

    def has(self, at: int, *classes: str) -> bool:
        """Say whether the word at a position may be of a class; "IT" is a noun alone."""
        token = self.token(at)
        return token is not None and token.text != "IT" and token.has(*classes)

    def forms(self, at: int) -> list[str]:
        """Return the forms in which a token may be a full verb."""
        token = self.token(at)
        if token is None or token.kind != "word" or token.text == "IT" or token.possessive:
            return []
        if token.has("aux", "det", "prep", "conj", "wh", "pron") or token.lower in word_set("set.money"):
            return []
        if token.has("verb"):
            return token.entry.form.split()
        low = token.lower
        if token.entry.known or token.text != low or len(low) < 5 or not self.has(at + 1, "det", "pron"):
            return []
        return ["s"] if low.endswith("s") and not low.endswith("ss") else ["ed"] if low.endswith("ed") else []

    def is_noun(self, at: int) -> bool:
        """Say whether the token at a position may be a noun."""
        token = self.token(at)
        if token is None:
            return False
        return (
            token.kind in ("quoted", "number")
            or token.text == "IT"
            or token.has("noun", "name", "num")
            or (token.kind == "word" and (is_role(token) or not token.entry.known))
            or (token.has("verb") and token.entry.form == "ing")
        )

    def is_article(self, at: int) -> bool:
        """Say whether a noun must follow the token at a position."""
        token = self.token(at)
        is_det = self.has(at, "det") and self.low(at) not in _BEFORE_VERB
        return token is not None and (token.possessive or is_det)

    def follows_a_verb(self, at: int) -> bool:
        """Say whether a token rather follows a verb than a noun; so does the end."""
        token = self.token(at)
        if token is None or token.kind != "word":
            return True
        return token.text != "IT" and (
            token.has("det", "pron", "prep", "conj", "wh", "part", "neg")
            or token.possessive
            or token.lower in word_set("set.accusative")
            or token.value is not None
            or (token.has("adv") and not token.has("noun", "verb"))
        )

    def is_role(self, at: int) -> bool:
        """Say whether the token at a position names somebody who works."""
        token = self.token(at)
        return token is not None and is_role(token)

    # ---- subjects

    def subject(self, at: int) -> Found | None:
        """Return the subject that begins at a position and its finite verb, or None."""
        if at not in self._found:
            token = self.token(at)
            self._found[at] = (
                self._read_subject(at, token)
                if token is not None and token.kind in ("word", "quoted", "number")
                else None
            )
        return self._found[at]

    def _read_subject(self, at: int, token: Token) -> Found | None:
        low = token.lower
        some = low in ("someone", "somebody", "anyone", "one") and self.has(at + 1, "prep")
        alone = low in _POINTING and (not self.is_noun(at + 1) or self.forms(at + 1) in (["base"], ["s"]))
        if token.text != "IT" and not some and (low in _NOMINATIVE or alone):
            behind = at + 2 if self.low(at + 1) == "else" else at + 1
            verb = self.past_adverbs(behind)
            forms = ["aux"] if self.has(verb, "aux") else [one for one in self.forms(verb) if one != "ing"]
            if forms:
                return Found(behind, verb, forms[0])
            if low in _NOMINATIVE:
                return None
        return self._noun_subject(at)

    def past_adverbs(self, at: int) -> int:
        """Return the position past adverbs and fillers in front of a verb."""
        for _ in range(4):
            token = self.token(at)
            if token is None or token.kind != "word" or token.text == "IT":
                break
            plain = token.has("adv", "part", "filler", "neg") and not token.has("verb", "aux")
            if not (token.lower in _BEFORE_VERB or (plain and token.lower != "to")):
                break
            at += 1
        return at

    def _noun_subject(self, start: int) -> Found | None:
        unsure: Found | None = None
        head, has_joined, awaits = -1, False, False
        head_stays = False
        at = start
        orders = self.forms(start) == ["base"] and not self.is_noun(start) and not self.has(start, "adj")
        if orders and self.low(start + 1) not in ("ones", "one"):
            return None
        while at < min(start + _LONGEST_SUBJECT, len(self.tokens)):
            self.looks += 1
            token = self.tokens[at]
            if token.kind == "punct":
                skipped = self._past_aside(at) if head >= 0 else at + 1 if token.text in "-/&#'" else None
                if skipped is None:
                    break
                at = skipped
                continue
            if token.kind not in ("word", "quoted", "number"):
                break
            if self.has(at, "aux"):
                return Found(self._before_adverbs(start, at), at, "aux") if head >= 0 and at > start else None
            if token.lower in _BEFORE_VERB and head >= 0 and not self.is_article(at - 1):
                at += 1
                continue
            if self.has(at, "conj", "wh", "neg"):
                joins = token.lower in ("and", "or") and head >= 0 and unsure is None
                if not joins or not (self.is_noun(at + 1) or self.is_article(at + 1)):
                    break
                has_joined, head, head_stays = True, -1, False
            elif self.has(at, "pron") and not token.has("noun"):
                anybody = at == start and token.lower in ("someone", "somebody", "anyone", "one")
                if not anybody and (at == start or token.lower not in ("one", "ones")):
                    break
                head = at
            elif self.has(at, "prep"):
                if head < 0 or token.lower in _UNTIL_NOUN:
                    break
                head_stays = awaits = True
            elif self.has(at, "det"):
                if (
                    at > start
                    and not awaits
                    and not (has_joined and head < 0)
                    and not (self.is_article(at - 1) or self.low(at - 1) in _BEFORE_VERB)
                ):
                    break
            else:
                if head >= 0 and not awaits and not self.is_article(at - 1):
                    seen = self._verb_here(start, at, head, has_joined)
                    if seen is not None and seen.is_sure:
                        return replace(seen, end=self._before_adverbs(start, at))
                    unsure = unsure or seen
                if self.is_noun(at):
                    awaits = False
                    head = head if head_stays else at
                elif not token.has("adj", "adv", "verb", "num", "part", "filler") and token.entry.known:
                    break
            at += 1
        return unsure

    def _past_aside(self, at: int) -> int | None:
        """Return the position past "(…)" and ", who …," behind a noun; None where neither stands there."""
        text = self.tokens[at].text
        if text == "(":
            return next((end + 1 for end in range(at, min(at + 12, len(self.tokens))) if self.low(end) == ")"), None)
        if text == "," and self.low(at + 1) in ("who", "which"):
            ends = range(at + 2, min(at + 12, len(self.tokens)))
            end = next((end for end in ends if self.low(end) == ","), None)
            clause = end is not None and not self.has(end + 1, "conj", "wh") and self.forms(end + 1)
            return end + 1 if end is not None and (clause or self.has(end + 1, "aux")) else None
        return at + 1 if text in "-/&#'" else None

    def _before_adverbs(self, start: int, end: int) -> int:
        while end > start + 1 and (
            self.low(end - 1) in _BEFORE_VERB or phrase_at("skipped", self.tokens[end - 1 : end], 0)
        ):
            end -= 1
        return end

    def _verb_here(self, start: int, at: int, head: int, has_joined: bool) -> Found | None:
        """Return the verb at a position, unsure where the word may as well be a noun."""
        forms = self.forms(at)
        if not forms:
            return None
        token, noun = self.tokens[at], self.tokens[head]
        if (self.tokens[at - 1].kind == "number" and at - 1 == start) or token.lower == "times":
            return None
        pure = not self.is_noun(at) and not self.has(at, "adj")
        role = is_role(noun) or noun.lower in ("ones", "others")
        plural = has_joined or is_plural(noun)
        after = self.token(at + 1)
        parted = after is None or after.kind == "punct" or self.has(at + 1, "conj")
        object_follows = not parted and self.follows_a_verb(at + 1)
        prep_follows = self.has(at + 1, "prep")
        if "s" in forms:
            if plural and not pure and not (role and object_follows and not has_joined):
                return None
            likely = token.entry.verb in word_set("verb.event") | word_set("verb.state")
            sure = pure or likely or (object_follows and not prep_follows)
            sure = sure or (role and not plural and not self._is_verb_next(at + 1))
            return Found(at, at, "s", sure)
        if "base" in forms and (plural or role):
            definite = self.has(at + 1, "det", "pron") or self.is_article(at + 1)
            if not plural and not (pure or definite):
                return None
            pure = pure or noun.lower in ("ones", "others")
            return Found(at, at, "base", pure or (object_follows and not prep_follows) or (role and definite))
        past = "ed" in forms and object_follows and not self.has(at + 1, "aux")
        return Found(at, at, "ed", not prep_follows) if past and self.low(at + 1) not in ("of", "by") else None

    def _is_verb_next(self, at: int) -> bool:
        return ("s" in self.forms(at) and self.follows_a_verb(at + 1)) or self.has(at, "aux")

    # ---- clauses

    def starts_clause(self, at: int) -> bool:
        """Say whether a subject with its verb begins at a position."""
        return self.subject(at) is not None

    def is_imperative(self, at: int) -> bool:
        """Say whether a verb without a subject may begin at a position."""
        return "base" in self.forms(at) and self.subject(at) is None

    def clause(self, at: int, end: int, *, form: str = "", is_bare: bool = False) -> Clause | None:
        """Return the clause between two positions, or None.

        Args:
            at: Where it begins.
            end: Where it ends.
            form: The form in which a verb goes on without a subject of its own; empty for none.
            is_bare: Whether an imperative may stand there.
        """
        own = tuple(self.tokens[at:end])
        found = self.subject(at)
        ordered = (
            is_bare
            and found is not None
            and not found.is_sure
            and "base" in self.forms(at)
            and not is_role(self.tokens[at])
        )
        if found is not None and found.verb < end and not ordered:
            group = self._group(found.verb, end, found.form)
            clause = self._clause(self._noun(at, found.end), group, end, own)
            return clause if found.is_sure else replace(clause, is_sure=False)
        if is_bare and (caused := self._caused(at, end, own)) is not None:
            return caused
        start = self.past_adverbs(at)
        if form and start < end:
            forms = self.forms(start)
            if form == "passive" and "ed" in forms:
                verb = self._base(start)
                return self._clause((), _Group(verb, "passive", "passive", start + 1), end, own)
            if self.has(start, "aux"):
                return self._clause((), self._group(start, end, "aux"), end, own)
            if form in forms or (form == "s" and "base" in forms):
                return self._clause((), self._group(start, end, form), end, own)
        orders = start == at or self.low(at) not in word_set("grammar.is_part_of_noun.next")
        if is_bare and orders and start < end and "base" in self.forms(start):
            return self._clause((), self._group(start, end, "base"), end, own)
        return None

    def _caused(self, at: int, end: int, own: tuple[Token, ...]) -> Clause | None:
        """Read "have the intern collect the quotes", "get the boss to sign it"."""
        if self.low(at) not in ("have", "let", "get") or not (self.is_article(at + 1) or self.is_role(at + 1)):
            return None
        for verb in range(at + 2, min(at + 8, end)):
            before = self.tokens[verb - 1]
            start = verb + 1 if self.low(verb) == "to" else verb
            if is_role(before) and "base" in self.forms(start):
                return self._clause(self._noun(at + 1, verb), self._group(start, end, "base"), end, own)
        return None

    def _noun(self, at: int, end: int) -> tuple[Token, ...]:
        """Return a subject without what stands between commas in it, and without "both"."""
        comma = next((one for one in range(at, end) if self.low(one) == ","), end)
        own = self.tokens[at:comma]
        return tuple(own[1:] if len(own) > 1 and own[0].lower == "both" else own)

    def _clause(self, subject: tuple[Token, ...], group: _Group, end: int, own: tuple[Token, ...]) -> Clause:
        verbs, at = [group.verb], group.end
        while (
            group.voice != "state"
            and self.low(at) in ("or", "and", "/", ",")
            and at + 1 < end
            and (more := self._alternative(at, end, group)) is not None
        ):
            verbs.append(self._base(more))
            at = more + 1
        several = "or" in {token.lower for token in self.tokens[group.end : at]}
        at = at if several else group.end
        return Clause(
            subject,
            group.verb,
            group.voice,
            group.form,
            tuple(self.tokens[at:end]),
            own,
            tuple(verbs) if several else (),
            group.is_negated,
            group.is_past,
            timeout=group.timeout,
        )

    def _alternative(self, at: int, end: int, group: _Group) -> int | None:
        """Return the position of the next verb of "approves, declines or returns it", or None."""
        at += 1
        if self.low(at) in ("or", "either"):
            at += 1
        wanted = {"passive": "ed"}.get(group.form, group.form)
        return at if at < end and wanted in self.forms(at) else None

    def _base(self, at: int) -> str:
        token = self.tokens[at]
        if token.entry.verb:
            return token.entry.verb
        low = token.lower
        return low.removesuffix("ed") if low.endswith("ed") else low.removesuffix("s")

    def _group(self, at: int, end: int, form: str) -> _Group:
        """Return the verb that begins at a position with its auxiliaries and adverbs."""
        if form != "aux":
            verb = self._base(at)
            if verb in ("get", "become") and "ed" in self.forms(self.past_adverbs(at + 1)):
                at = self.past_adverbs(at + 1)
                if verb == "get" and at < end:
                    return _Group(self._base(at), "passive", "passive", at + 1)
            if verb in ("need", "want", "try", "wish") and self.low(at + 1) == "to" and verb in ("need", "want"):
                return self._after_to(at + 2, end)
            is_past = form == "ed" and self.tokens[at].entry.form == "ed"
            return _Group(verb, "active", form, min(at + 1, end), is_past=is_past)
        return self._auxiliaries(at, end)

    def _auxiliaries(self, at: int, end: int) -> _Group:
        first = at
        is_negated = is_past = is_modal = False
        be = have = False
        while at < end:
            low = self.low(at)
            if low in ("not", "never", "n't"):
                is_negated = True
            elif low in word_set("set.modals") or (low in ("do", "does", "did") and self.has(at, "aux")):
                is_modal = True
            elif self.tokens[at].lemma == "be" and self.has(at, "aux"):
                be = True
                is_past = is_past or low in ("was", "were")
            elif low in ("have", "has", "had") and not be:
                have = True
            elif low == "to" and at > first:
                is_modal, have = True, have and be
                at = self.past_adverbs(at + 1)
                if not self.has(at, "aux"):
                    break
                be = False
                continue
            elif (
                low not in ("either", "only", "first", "then", "both", "also", "now")
                and not (self.has(at, "adv", "part") and not self.forms(at))
            ) or (self.has(at, "adj") and be and at + 1 >= end):
                break
            at += 1
        return self._main(first, at, end, is_negated, is_past, (is_modal, have, be))

    def _main(
        self, first: int, at: int, end: int, is_negated: bool, is_past: bool, said: tuple[bool, bool, bool]
    ) -> _Group:
        is_modal, have, be = said
        forms = self.forms(at) if at < end else []
        base = self._base(at) if forms else ""
        form = "base" if is_modal else "s"
        if be and "ed" in forms and not (at + 1 == end and self.has(at, "adj") and not self._is_done(at)):
            return _Group(base, "passive", "passive", at + 1, is_negated, is_past)
        if be and ("ing" in forms or ("base" in forms and not self.has(at, "adj", "noun"))):
            return _Group(base, "active", form, at + 1, is_negated, is_past)
        if be:
            return _Group("", "state", "s", at, is_negated, is_past)
        if have and is_modal is False:
            length = duration_at(self.tokens, at)
            if length is not None and self.low(length.end) == "to" and length.end + 1 < end:
                inner = self._after_to(length.end + 1, end)
                return replace(inner, timeout=length.value)
            if "ed" in forms and not self.has(at, "det"):
                return _Group(base, "active", "s", at + 1, is_negated, is_past)
            return _Group("have", "active", "s", at, is_negated)
        if is_modal and "base" in forms:
            return _Group(base, "active", form, at + 1, is_negated)
        return _Group("", "state", form, max(at, first + 1), is_negated, is_past)

    def _is_done(self, at: int) -> bool:
        """Say whether a word that may be an adjective tells work: "is checked", not "is broken"."""
        return self.low(at) not in word_set("good") | word_set("bad")

    def _after_to(self, at: int, end: int) -> _Group:
        if self.has(at, "aux") and self.tokens[at].lemma == "be":
            return self._auxiliaries(at, end)
        if at < end and "base" in self.forms(at):
            return _Group(self._base(at), "active", "base", at + 1)
        return _Group("", "state", "base", min(at, end))
