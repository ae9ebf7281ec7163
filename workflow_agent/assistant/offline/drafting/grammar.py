"""Clauses in one run of tokens: who does what. Each look ahead takes a bounded number of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from workflow_agent.assistant.offline.drafting.conditions import comparison_end, label_end
from workflow_agent.assistant.offline.drafting.words import phrase_at
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.tokens import Token

Voice = Literal["active", "passive", "state"]

_LONGEST_SUBJECT: Final = 14
_NOMINATIVE: Final = word_set("set.nominative")
_POINTING: Final = word_set("set.pointing")
_ACCUSATIVE: Final = word_set("set.accusative")
_MODALS: Final = word_set("set.modals")
_DO: Final = {"do": "base", "does": "s", "did": "ed"}
"""The forms of "do", which is a verb of work before an object: "does a background check"."""
_MID_ADVERBS: Final = word_set("set.mid_adverbs")
_SEPARATORS: Final = word_set("grammar.separators")
_BREAKS: Final = word_set("set.breaks")
_PARTICLES: Final = word_set("set.particles")
_AGENT_ENDINGS: Final = (
    "er",
    "or",
    "ist",
    "ant",
    "ian",
    "man",
    "woman",
    "ee",
    "eer",
    "men",
    "ers",
    "ors",
    "ists",
    "ants",
    "ians",
    "ees",
    "keeper",
    "people",
)
_MONEY: Final = word_set("set.money")
_NO_AGENTS: Final = word_set("set.no_agents")


@dataclass(slots=True)
class Clause:
    """One clause: what is done, by whom, to what."""

    start: int
    end: int
    subject: tuple[Token, ...]
    """Who or what the verb speaks of; empty for an imperative, and where it is the clause's before."""
    verb: str
    """The base form of the main verb."""
    voice: Voice
    form: str
    """How the verb is bent: s, base, ed, aux, ing."""
    rest: tuple[Token, ...]
    """What follows the verb."""
    verbs: tuple[Token, ...] = ()
    """The verbs joined by "or" or "and" that share what follows, the main one included."""
    negated: bool = False
    modal: str = ""
    inherits: bool = False
    """Whether the subject is that of the clause before."""
    relative: bool = False
    tokens: tuple[Token, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Found:
    """Where a subject ends and its verb stands."""

    start: int
    end: int
    verb: int
    form: str
    weak: bool = False


class Grammar:
    """Reads clauses at positions of one run of tokens and remembers what it found."""

    def __init__(self, tokens: Sequence[Token], *, commas_part: bool = False) -> None:
        self.tokens = tokens
        self._commas_part = commas_part
        self._found: dict[int, Found | None] = {}
        self.looks = 0
        """How many tokens were looked at, for the promise of linear work."""

    def token(self, at: int) -> Token | None:
        """Return the token at a position, or None past the ends."""
        return self.tokens[at] if 0 <= at < len(self.tokens) else None

    def low(self, at: int) -> str:
        """Return the word at a position in small letters, empty past the ends."""
        return self.tokens[at].lower if 0 <= at < len(self.tokens) else ""

    def kind_is(self, at: int, *classes: str) -> bool:
        """Say whether the word at a position may be of a class."""
        token = self.token(at)
        return token is not None and token.has(*classes)

    def is_break(self, at: int) -> bool:
        """Say whether a sentence or an item ends at a position."""
        token = self.token(at)
        return (
            token is None
            or token.kind in ("break", "bullet")
            or (token.kind == "punct" and token.text in _BREAKS)
        )

    def forms(self, at: int) -> str:
        """Return the forms in which a token may be a full verb."""
        token = self.token(at)
        if token is None or token.kind != "word" or token.has("aux", "det", "prep", "conj", "wh", "pron"):
            return ""
        if token.lower in _MONEY:
            return ""
        if not token.has("verb"):
            return self._guessed_form(at)
        return token.entry.form if token.text != "IT" else ""

    def _guessed_form(self, at: int) -> str:
        """Return the form of a word in no dictionary that is bent like a verb: "retests it"."""
        token = self.tokens[at]
        low = token.lower
        if token.entry.known or token.text != low or len(low) < 5 or not self.follows_a_verb(at + 1):
            return ""
        return "s" if low.endswith("s") and not low.endswith("ss") else "ed" if low.endswith("ed") else ""

    def is_noun(self, at: int) -> bool:
        """Say whether the token at a position may be a noun."""
        token = self.token(at)
        if token is None:
            return False
        if token.kind in ("quoted", "number") or token.text == "IT":
            return True
        return token.kind == "word" and (
            token.has("noun", "name", "num")
            or is_role(token)
            or (token.has("verb") and token.entry.form == "ing")
            or not token.entry.known
        )

    def _is_article(self, at: int) -> bool:
        token = self.token(at)
        return token is not None and (token.possessive or token.has("det")) and token.text != "IT"

    def follows_a_verb(self, at: int) -> bool:
        """Say whether a token rather follows a verb than a noun."""
        token = self.token(at)
        if token is None or token.kind != "word":
            return True
        low = token.lower
        return (
            token.has("det", "pron", "prep", "conj", "wh", "part", "neg")
            or token.possessive
            or low in _ACCUSATIVE
            or token.value is not None
            or (token.has("adv") and not token.has("noun", "verb"))
        )

    def subject_and_verb(self, at: int) -> Found | None:
        """Return the subject that begins at a position and its finite verb, or None."""
        if at not in self._found:
            self._found[at] = self._subject_and_verb(at)
        return self._found[at]

    def _subject_and_verb(self, at: int) -> Found | None:
        token = self.token(at)
        if token is None or token.kind not in ("word", "quoted", "number"):
            return None
        low = token.lower
        points = low in _POINTING and (
            not self.is_noun(at + 1)
            or (low in ("both", "all", "these", "those") and "base" in self.forms(at + 1))
            or (low in ("this", "that") and self.forms(at + 1) == "s")
        )
        some = low in ("someone", "somebody", "anyone", "one") and self.kind_is(at + 1, "prep")
        if (token.text != "IT" and low in _NOMINATIVE and not some) or points:
            verb = self._past_adverbs(at + 1)
            if low in word_set("grammar.subject_and_verb.both") and self.low(verb) == "of":
                return self._noun_subject(at)
            form = "aux" if self.kind_is(verb, "aux") else self.forms(verb)
            if form and "ing" not in form:
                return Found(at, at + 1, verb, form.split()[0])
            return None if low in _NOMINATIVE else self._noun_subject(at)
        return self._noun_subject(at)

    def _past_adverbs(self, at: int) -> int:
        for _ in range(4):
            token = self.token(at)
            if (
                token is None
                or token.kind != "word"
                or not (
                    token.lower in _MID_ADVERBS
                    or (
                        token.has("adv", "part", "filler", "neg")
                        and not token.has("verb", "aux")
                        and token.lower != "to"
                    )
                    or phrase_at("skipped", [token], 0)
                )
            ):
                break
            at += 1
        return at

    def _noun_subject(self, start: int) -> Found | None:
        weak: Found | None = None
        head = -1
        joined = after_preposition = awaits_noun = False
        at = start
        while at < min(start + _LONGEST_SUBJECT, len(self.tokens)):
            self.looks += 1
            token = self.tokens[at]
            if token.kind == "punct" and token.text in word_set("grammar.noun_subject.marks"):
                if token.text == "(":
                    at = self._closing(at)
                at += 1
                continue
            if token.kind not in ("word", "quoted", "number") or (at > start and self.marks(at)):
                break
            if at > start and token.has("aux"):
                return Found(start, self._without_adverbs(start, at), at, "aux") if head >= 0 else None
            if (
                head >= 0
                and token.lower in _MID_ADVERBS
                and (
                    "s" in self.forms(at + 1).split()
                    or self.kind_is(at + 1, "aux")
                    or "base" in self.forms(at + 1).split()
                )
            ):
                at += 1
                continue
            if token.has("conj", "wh", "neg") and token.text != "IT":
                if token.lower not in ("and", "or") or head < 0 or weak:
                    break
                if not (self.is_noun(at + 1) or self._is_article(at + 1)):
                    break
                joined, head = True, -1
            elif token.has("pron") and token.text != "IT":
                if (at == start and token.lower not in ("someone", "somebody", "anyone", "one")) or (
                    at > start and token.lower not in ("one", "ones")
                ):
                    break
                head = at
            elif token.has("prep") and token.text != "IT":
                if head < 0 or token.lower in ("until", "till", "unless"):
                    break
                after_preposition = awaits_noun = True
            elif token.has("det") and token.text != "IT":
                if (
                    at > start
                    and not awaits_noun
                    and not (joined and head < 0)
                    and not self._is_article(at - 1)
                ):
                    break
            else:
                if head >= 0 and not self._is_article(at - 1):
                    seen = self._verb_here(start, at, head, joined)
                    if seen is not None and not seen.weak:
                        return replace(seen, end=self._without_adverbs(start, at))
                    weak = weak or seen
                if (token.has("part", "filler") and not self.is_noun(at)) or (
                    head >= 0 and token.lower in _MID_ADVERBS
                ):
                    at += 1
                    continue
                if token.has("adv") and not token.has("noun", "verb", "adj") and token.entry.known:
                    at += 1
                    continue
                if self.is_noun(at):
                    awaits_noun = False
                    if not after_preposition:
                        head = at
                elif not token.has("adj", "verb", "num") and token.entry.known:
                    break
            at += 1
        return weak

    def _without_adverbs(self, start: int, end: int) -> int:
        while end > start + 1 and (
            self.low(end - 1) in _MID_ADVERBS or phrase_at("skipped", self.tokens[end - 1 : end], 0)
        ):
            end -= 1
        return end

    def marks(self, at: int) -> bool:
        """Say whether a word that joins clauses stands at a position."""
        found = phrase_at("mark", self.tokens, at)
        if found is None or self.low(found[1]) == "of":
            return False
        if found[0] == "repeat" and self.low(found[1]) not in ("until", "till", "as", "while", ",", ""):
            return False
        if (
            self.low(at) in _MID_ADVERBS
            and self.is_noun(at - 1)
            and not self.is_break(at - 1)
            and ("s" in self.forms(at + 1).split() or self.kind_is(at + 1, "aux"))
        ):
            return False
        return not (found[0] in ("seq", "first", "last") and self._is_part_of_noun(at, found[1]))

    def _closing(self, at: int) -> int:
        for end in range(at, min(at + 12, len(self.tokens))):
            if self.tokens[end].text == ")":
                return end
        return at

    def _verb_here(self, start: int, at: int, head: int, joined: bool) -> Found | None:
        """Return the verb at a position, weak where the word may as well be a noun."""
        forms = self.forms(at)
        if not forms or (self.kind_is(at - 1, "prep", "conj") and self.tokens[at - 1].text != "IT"):
            return None
        token, pure = self.tokens[at], not self.is_noun(at) and not self.kind_is(at, "adj")
        plural = joined or is_plural(self.tokens[head])
        role = is_role(self.tokens[head])
        strong = self.follows_a_verb(at + 1) or (
            token.entry.verb == "get" and "ed" in self.forms(at + 1).split()
        )
        if "s" in forms.split():
            if plural and not pure and not (role and strong and not is_plural(self.tokens[head])):
                return None
            likely = token.entry.verb in word_set("verb.event") or token.entry.verb in word_set("verb.state")
            solid = (
                pure
                or likely
                or (strong and not self.kind_is(at + 1, "prep"))
                or (role and not plural and not self._later_verb(at))
            )
            return Found(start, at, at, "s", weak=not solid)
        if "base" in forms.split() and (plural or role or (pure and start == head)):
            if not plural and not (pure and (strong or role)):
                return None
            if not plural and role and pure:
                return Found(start, at, at, "base")
            return Found(
                start,
                at,
                at,
                "base",
                weak=not (strong and (pure or role or self.low(at + 1) not in ("of", "for"))),
            )
        if "ed" in forms.split() and not self.kind_is(at + 1, "aux"):
            after = self.token(at + 1)
            if strong and (after is None or after.lower != "of"):
                return Found(start, at, at, "ed")
        _ = token
        return None

    def _starts_of(self, at: int) -> bool:
        return self.low(at) == "of"

    def _later_verb(self, at: int) -> bool:
        """Say whether the next token is a surer verb than this one."""
        forms = self.forms(at + 1)
        return "s" in forms.split() and self.follows_a_verb(at + 2)

    def starts_clause(self, at: int) -> bool:
        """Say whether a subject with its verb begins at a position."""
        at = self.past_openers(at)
        found = self.subject_and_verb(at)
        return found is not None and not (
            found.form == "ed" and found.verb + 1 < len(self.tokens) and self.kind_is(found.verb + 1, "noun")
        )

    def past_openers(self, at: int) -> int:
        """Return the position past words in front of a clause that say nothing of the work."""
        while (found := phrase_at("skipped", self.tokens, at)) is not None or self.low(at) in ("and", ","):
            at = found[1] if found else at + 1
        return at

    def continues(self, at: int, form: str, voice: Voice, has_object: bool) -> bool:
        """Say whether a further verb of the clause before begins at a position."""
        at = self._past_adverbs(at)
        token = self.token(at)
        if token is None:
            return False
        if token.has("aux") and token.text != "IT":
            return True
        forms, next_is_object = self.forms(at).split(), self.follows_a_verb(at + 1)
        if voice == "passive":
            return "ed" in forms and (
                next_is_object or self._is_end(at + 1) or self.kind_is(at + 1, "noun") is False
            )
        wanted = {"aux": "base", "ing": "ing"}.get(form, form)
        if wanted not in forms and not (wanted == "base" and form == "aux" and "base" in forms):
            return False
        pure = not self.is_noun(at) and not self.kind_is(at, "adj")
        if pure or not has_object:
            return True
        if self._is_end(at + 1) or self.low(at + 1) in ("and", "or", ","):
            # "alerts the data team and stops": one thing and several bare ones are seldom named together.
            return (
                wanted == "s" and not is_plural(self.tokens[at - 2]) and self.low(at - 1) in ("and", "then")
            )
        return (next_is_object and not self._starts_of(at + 1)) or (
            wanted == "base" and self.is_noun(at + 1) and not is_role(token)
        )

    def _is_end(self, at: int) -> bool:
        token = self.token(at)
        return token is None or token.kind in ("break", "bullet", "punct")

    def is_imperative(self, at: int) -> bool:
        """Say whether an order begins at a position: a verb in its base form that is no role."""
        forms = self.forms(at).split()
        if "base" not in forms:
            return False
        token = self.tokens[at]
        if is_role(token) and not (self.follows_a_verb(at + 1) and not self._is_end(at + 1)):
            return False
        return not self.starts_clause(at) or not self._reads_as_subject(at)

    def _reads_as_subject(self, at: int) -> bool:
        """Say whether a base form that could be a noun is the subject of the verb found after it."""
        found = self.subject_and_verb(at)
        if found is None:
            return False
        return found.form == "aux" or (
            not found.weak
            and (
                not self.is_noun(found.verb)
                or self.low(found.end - 1) in ("one", "ones")
                or is_role(self.tokens[found.end - 1])
                or self.kind_is(found.verb + 1, "det", "pron")
            )
        )

    def clause_at(self, at: int, *, before: Clause | None = None, told_if: bool = False) -> Clause | None:
        """Return the clause that begins at a position, or None.

        Args:
            at: The position of its first word.
            before: The clause before it in the sentence, whose subject it may share.
            told_if: Whether it is a condition, which ends where another subject with its verb begins.
        """
        token = self.token(at)
        if token is None:
            return None
        if token.lower in ("who", "which", "where") and before is not None:
            return self._after_verb(at, at + 1, self._past_adverbs(at + 1), told_if, relative=True)
        if self.is_imperative(at) and not told_if:
            shares = (
                before is not None
                and before.form in ("base", "aux")
                and bool(before.subject or before.inherits or before.relative)
            )
            return self._after_verb(at, at, at, told_if, inherits=shares, before=before if shares else None)
        found = self.subject_and_verb(at)
        if found is not None:
            return self._after_verb(at, found.end, found.verb, told_if)
        if before is not None or not told_if:
            verb = self._past_adverbs(at)
            if (
                self.kind_is(verb, "aux")
                or self.forms(verb).split()[:1] in (["s"], ["ed"])
                or (
                    before is not None
                    and before.form in ("base", "aux")
                    and "base" in self.forms(verb).split()
                    and not (verb > at and self.is_noun(verb))
                )
            ):
                return self._after_verb(at, at, verb, told_if, inherits=True, before=before)
        return None

    def _after_verb(
        self,
        start: int,
        subject_end: int,
        verb: int,
        told_if: bool,
        *,
        relative: bool = False,
        inherits: bool = False,
        before: Clause | None = None,
    ) -> Clause | None:
        subject = tuple(self.tokens[start:subject_end])
        group = self._verb_group(verb)
        if group is None:
            return None
        main, voice, form, negated, modal = group
        if inherits and before is not None and form == "ed" and before.voice == "passive":
            voice = "passive"
        if form == "ed" and voice == "active" and not self._takes_object(main) and not inherits:
            # "label printed", "goods inspected by QA": told in short.
            voice = "passive" if self._is_end(main + 1) or self.low(main + 1) == "by" else voice
        token = self.tokens[main]
        name = verb_of(token)
        verbs, after = self._joined_verbs(main, voice)
        end = self._end_of(after, form, voice, told_if)
        return Clause(
            start,
            end,
            subject,
            "be" if voice == "state" else name,
            voice,
            form,
            tuple(self.tokens[after:end]),
            verbs,
            negated,
            modal,
            inherits,
            relative,
            tuple(self.tokens[start:end]),
        )

    def _is_work(self, do: int) -> bool:
        """Say whether "do" has an object and helps no verb: "does two checks", and not "does not check"."""
        after = self.token(do + 1)
        if after is None or after.has("neg") or "base" in self.forms(do + 1).split():
            return False
        return after.kind == "number" or after.value is not None or after.has("det") or self.is_noun(do + 1)

    def _takes_object(self, main: int) -> bool:
        return self.kind_is(main + 1, "det", "pron") or self.is_noun(main + 1)

    def _verb_group(self, at: int) -> tuple[int, Voice, str, bool, str] | None:
        """Return the main verb, voice, form, negation and modal of a verb group."""
        negated, modal, seen_be, seen_have = False, "", False, False
        first = self.low(at)
        form = "aux" if self.kind_is(at, "aux") else (self.forms(at).split() or [""])[0]
        for _ in range(10):
            token = self.token(at)
            if token is None:
                break
            low = token.lower
            if token.has("neg"):
                negated = True
            elif low in _DO and self._is_work(at):
                return at, "active", "aux" if modal else _DO[low], negated, modal
            elif low in _MODALS or low in _DO:
                modal = modal or low
            elif token.has("aux") and (token.lemma == "be" or low == "am"):
                seen_be = True
            elif token.lemma == "have" and token.has("aux"):
                if not self._have_helps(at):
                    form = {"has": "s", "had": "ed"}.get(low, "base")
                    return at, "active", form, negated, modal
                seen_have, seen_be = True, False
            elif low == "to" and modal:
                pass
            elif low in word_set("grammar.verb_group.to") and (seen_be or seen_have):
                modal, seen_be = (
                    modal or low,
                    seen_be and low in ("supposed", "going", "about", "allowed", "able", "required"),
                )
                if low == "to":
                    seen_be = seen_have = False
            elif token.entry.verb in ("need", "needs") and self.low(at + 1) == "to":
                modal, form = "must", "aux"
                at += 1
            elif (
                token.entry.verb == "get"
                and "ed" in self.forms(at + 1).split()
                and not self._takes_object(at + 1)
            ):
                seen_be = True
            elif (forms := self.forms(at).split()) and not self._adverbial(at):
                if seen_be:
                    if "ed" in forms and not (
                        token.has("adj") and token.lower in ("done", "ready", "missing")
                    ):
                        return at, "passive", form, negated, modal
                    if "ing" in forms and not token.has("adj"):
                        return at, "active", form, negated, modal
                    if "base" in forms and not token.has("adj") and self._takes_object(at):
                        return at, "active", "s", negated, modal
                    return at - 1, "state", form, negated, modal
                if "ed" in forms and seen_have:
                    return at, "active", "ed", negated, modal
                return at, "active", form if not modal else "aux", negated, modal
            elif not self._adverbial(at):
                break
            at += 1
        if seen_be or (seen_have and first):
            return at - 1, "state", "aux", negated, modal
        if self.tokens[min(at, len(self.tokens)) - 1].has("aux"):
            return at - 1, "state", "aux", negated, modal
        return None

    def _adverbial(self, at: int) -> bool:
        token = self.tokens[at]
        return (token.has("adv", "part", "filler") and not token.has("verb")) or phrase_at(
            "skipped", [token], 0
        ) is not None

    def _have_helps(self, at: int) -> bool:
        after = self._past_adverbs(at + 1)
        if self.low(after) == "not":
            after += 1
        return self.low(after) in ("to", "been") or (
            "ed" in self.forms(after).split() and not self.is_noun(after + 1)
        )

    def _joined_verbs(self, main: int, voice: Voice) -> tuple[tuple[Token, ...], int]:
        """Return verbs joined by "or" that share their object ("approves or rejects"), and where they end."""
        verbs, after = [self.tokens[main]], main + 1
        if voice == "state":
            return (), after
        wanted = set(self.forms(main).split())
        while self.low(after) in ("or", "and", "/", ","):
            at = after + 1 + (self.low(after + 1) in ("or", "and"))
            if not wanted & set(self.forms(at).split()) or (
                self.low(after) != "or" and not self._then_or(at)
            ):
                break
            verbs.append(self.tokens[at])
            after = at + 1
        return tuple(verbs), after

    def _then_or(self, at: int) -> bool:
        return self.low(at + 1) in ("or", "/") or self.low(at - 1) == "or" or self.low(at - 1) == "/"

    def _end_of(self, at: int, form: str, voice: Voice, told_if: bool) -> int:
        """Return where the clause ends whose tail begins at a position."""
        begin, has_object = at, False
        while not self.is_break(at):
            self.looks += 1
            token = self.tokens[at]
            if (
                told_if
                and (amount := comparison_end(self.tokens, at)) is not None
                and amount <= len(self.tokens)
            ):
                at, has_object = amount, True
                continue
            if told_if and token.lower == "back" and self.low(at + 1) == "to":
                return at
            if token.kind == "punct" and token.text == "(":
                at = self._closing(at) + 1
                continue
            if self._commas_part and token.lower in (",", "and"):
                return at
            if token.lower in _SEPARATORS and token.text != "IT":
                after = at + 1
                while self.low(after) in _SEPARATORS:
                    after += 1
                if self._begins_something(after, form, voice, has_object or at > begin, token.lower, told_if):
                    return at
            elif at > begin or token.text == "IT" or told_if:
                if self._joins_on(at, told_if):
                    return at
            elif self.marks(at) or self._subordinate(at):
                return at
            has_object = has_object or (self.is_noun(at) and not self.kind_is(at - 1, "prep"))
            at += 1
        return at

    def _subordinate(self, at: int) -> bool:
        """Say whether a subordinating word begins a clause, a condition or a time at a position."""
        found = phrase_at("sub", self.tokens, at)
        if found is None or self.tokens[at].text == "IT":
            return False
        if found[0] in ("if", "unless", "until", "foreach"):
            return True
        if self.low(at) in word_set("grammar.subordinate.as"):
            return (self.starts_clause(found[1]) and found[1] - at > 1) or (
                self.low(at) == "while" and self.starts_clause(found[1])
            )
        return (
            found[1] - at > 1
            or self.starts_clause(found[1])
            or self.low(at) in ("when", "whenever")
            or (
                self.low(at) in ("once", "before", "after")
                and ("ing" in self.forms(found[1]) or "ed" in self.forms(found[1]))
            )
        )

    def _joins_on(self, at: int, told_if: bool) -> bool:
        """Say whether something else begins here without a comma before it."""
        token = self.tokens[at]
        if self.marks(at):
            return True
        if self._subordinate(at):
            return True
        if token.lower in ("who", "whom") or (token.lower == "where" and self.starts_clause(at + 1)):
            return True
        if token.lower in ("he", "she", "they", "we", "i") and self.starts_clause(at):
            return True
        if token.lower in ("because", "since", "although", "though", "whereas"):
            return True
        particle = self.low(at - 1) in _PARTICLES and self.forms(at - 2) != ""
        if (
            not told_if
            or self._is_article(at - 1)
            or (self.kind_is(at - 1, "prep") and not particle)
            or self.low(at - 1) in ("no", "not", "more")
        ):
            return False
        if (
            self.is_imperative(at)
            and self.follows_a_verb(at + 1)
            and not self._is_end(at + 1)
            and not self.kind_is(at - 1, "adj", "aux")
        ):
            return True
        if (
            "s" in self.forms(at).split()
            and self.follows_a_verb(at + 1)
            and not self._is_end(at + 1)
            and is_plural_or_amount(self.token(at - 1))
        ):
            return True
        found = (
            self.subject_and_verb(at)
            if self._is_article(at) or self.is_noun(at) or token.has("pron")
            else None
        )
        return (
            found is not None
            and not found.weak
            and found.form in ("aux", "s")
            and (found.form == "s" or found.end > at)
        )

    def _is_part_of_noun(self, at: int, end: int) -> bool:
        """Say whether a word like "next" or "second" stands before its noun."""
        return self._is_article(at - 1) or (
            self.low(at) in word_set("grammar.is_part_of_noun.next")
            and not self.is_break(end)
            and self.low(end) != ","
            and not self.starts_clause(end)
            and not self.is_imperative(end)
        )

    def _begins_something(
        self, at: int, form: str, voice: Voice, has_object: bool, separator: str, told_if: bool
    ) -> bool:
        if self.is_break(at) or self.marks(at) or self._subordinate(at):
            return True
        if label_end(self.tokens, at) is not None:
            return True
        if (
            (end := comparison_end(self.tokens, at)) is not None
            and end < len(self.tokens)
            and not self.is_break(end)
        ):
            return separator == "," and (
                self.starts_clause(end) or self.low(end) == "by" or is_role(self.tokens[end])
            )
        if self.starts_clause(at) or self.continues(at, form, voice, has_object):
            return separator != "or" or self.starts_clause(at)
        if self.low(at) in word_set("grammar.begins_something.who") and separator == ",":
            return True
        if (
            separator == ","
            and self.kind_is(at, "prep")
            and any(
                self.starts_clause(end) and not self.kind_is(end - 1, "det", "prep", "adj")
                for end in range(at + 2, at + 5)
            )
        ):
            return True
        if told_if and separator == "," and self.is_imperative(at):
            return True
        imperative = form in ("base", "aux") and self.is_imperative(at) and (has_object or separator == ",")
        return imperative and self.follows_a_verb(at + 1) and not self._is_end(at + 1)


def verb_of(token: Token) -> str:
    """Return the base form of a verb, guessed for one in no dictionary."""
    if token.entry.verb or token.entry.known:
        return token.entry.verb or token.lemma
    low = token.lower
    for prefix in ("re", "un", "pre", "co", "over", "de", "cross", "auto"):
        verb = entry_of(low.removeprefix(prefix)).verb if low.startswith(prefix) else None
        if verb:
            return prefix + verb
    return low.removesuffix("ed") if low.endswith("ed") else low.removesuffix("s")


def is_plural_or_amount(token: Token | None) -> bool:
    """Say whether a token ends an amount or stands for several: "above 30 degrees"."""
    return token is not None and (token.kind == "number" or (is_plural(token) and token.has("noun")))


def is_plural(token: Token) -> bool:
    """Say whether a noun stands for several."""
    low = token.lower
    if low in word_set("role.plural") or token.possessive:
        return False
    if low in ("people", "men", "women", "children", "both", "staff"):
        return True
    return (
        low.endswith("s")
        and not low.endswith("ss")
        and token.entry.noun != low
        and token.text.upper() != token.text
    )


def is_role(token: Token) -> bool:
    """Say whether a word names somebody who works, or a part of an organisation, or a system."""
    if token.kind != "word":
        return False
    low = token.lower
    if token.text == "IT":
        return True
    if low == "it":
        return False
    noun = token.entry.noun or low
    if low in word_set("role") or noun in word_set("role"):
        return True
    named = noun.endswith(_AGENT_ENDINGS) and noun not in _NO_AGENTS and token.has("noun")
    # "gather", "offer" and "register" are work, not workers.
    return len(low) > 4 and named and entry_of(noun).verb != noun
