"""What the words of a step say: its verb, on what it works, and the step's name in the imperative."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from workflow_agent.assistant.offline.lexicon import entry_of, inflected, verb_of, word_set
from workflow_agent.assistant.offline.phrases import acts, bare, capitalized, cased, is_pronoun, text_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.workflows.model.parser import slug

_BE: Final = frozenset({"is", "are", "was", "were", "be", "been", "being", "gets", "get", "got", "getting"})
_BIDDING: Final = frozenset({"tell", "ask", "instruct", "request", "remind", "call"})
_IT: Final = frozenset({"it", "them", "this", "that", "these", "those"})
_PARTICLES: Final = word_set("set.particles")
_LONGEST_NAME: Final = 8
_FARTHEST: Final = 5
"""Words between "is" and its participle."""


@dataclass(frozen=True, slots=True)
class Deed:
    """The words of a step, parted."""

    verb: str
    """Its base form; empty where a noun phrase tells the step: "x-ray"."""
    voice: Literal["active", "passive", "noun"]
    subject: Tokens
    """Of a passive, or of a clause that says itself who or what acts: "the oysters go back"."""
    rest: Tokens
    """What follows the verb."""
    is_finite: bool = False
    """Whether the verb's form tells of somebody: "prints" rather than "print" and "printed"."""


def read_deed(tokens: Tokens, *, is_told_who: bool) -> Deed:
    """Return what the words of a step say.

    Args:
        tokens: The words, without who does it where that stands apart.
        is_told_who: Whether it stands in front of them, so that "measured" is a past tense and no participle.
    """
    said = _without_lead(tokens)
    be = next((at for at in range(len(said)) if _is_passive_at(said, at)), None)
    if be is not None:
        end = next(at for at in range(be + 1, len(said)) if _is_participle(said[at]))
        subject = said[:be]
        while subject and subject[-1].lower in word_set("naming.modal"):
            subject = subject[:-1]
        between = tuple(token for token in said[be + 1 : end] if token.has("neg"))
        return Deed(base_of(said[end]), "passive", subject, (*between, *said[end + 1 :]))
    at = 0
    while at + 1 < len(said) and said[at].lower in word_set("naming.modal") and said[at + 1].has("verb", "adv", "aux"):
        at += 1
    first = said[at] if said else None
    if first is not None and at and said[at - 1].lower in ("be", "is", "are") and _is_participle(first):
        rest = said[at + 1 :]
        if is_told_who and base_of(first) in _BIDDING and len(rest) > 1 and rest[0].lower == "to":
            # "IT is told to order the equipment."
            return read_deed(rest[1:], is_told_who=True)
        return Deed(base_of(first), "passive", (), rest)
    if not is_told_who and (reduced := _reduced(said)) is not None:
        return Deed(base_of(said[reduced]), "passive", said[:reduced], said[reduced + 1 :])
    # "Training" in a list of nouns.
    is_listed = first is not None and len(said) == 1 and first.entry.form == "ing" and not is_told_who
    if first is None or is_listed or not (_may_open(said[at:]) or (is_told_who and _names_verb(first))):
        return Deed("", "noun", (), said)
    if is_told_who and base_of(first) in _BIDDING and [token.lower for token in said[at + 1 : at + 2]] == ["to"]:
        return read_deed(said[at + 2 :], is_told_who=True)
    form = first.entry.form.split()
    passive = form == ["ed"] and not is_told_who
    return Deed(base_of(first), "passive" if passive else "active", (), said[at + 1 :], bool({"s", "ed"} & set(form)))


def step_name(deed: Deed, thing: str) -> str:
    """Return a step's name in the imperative, its object kept; `thing` stands for "it" and for what is left out."""
    if deed.voice == "noun":
        return capitalized(cased(bare(deed.rest) or deed.rest))
    rest = deed.rest
    if deed.voice == "passive":
        particle = ""
        if len(rest) > 0 and rest[0].lower in _PARTICLES and (len(rest) < 2 or rest[1].has("prep", "part", "adv")):
            particle, rest = rest[0].lower, rest[1:]
        own = deed.subject and not is_pronoun(deed.subject)
        it = thing or ("it" if deed.subject else "")
        parts = [deed.verb, particle, cased(deed.subject) if own else it, _told(rest, deed)]
    else:
        parts = [deed.verb, _with_thing(rest, thing, deed)]
    return capitalized(" ".join(part for part in parts if part))


def object_of(deed: Deed) -> Tokens:
    """Return the thing a step works on: what follows its verb, or the subject of a passive."""
    if deed.voice == "passive":
        return () if is_pronoun(deed.subject) else deed.subject
    if deed.voice == "noun":
        return deed.rest
    rest = deed.rest
    start = 1 if rest and rest[0].lower in _PARTICLES else 0
    end = start
    while end < len(rest):
        token = rest[end]
        stops = token.has("prep", "conj", "pron", "wh") and token.text != "IT"
        late = end > start and token.has("det", "adv", "part") and not token.has("noun")
        if stops or late or token.kind == "punct":
            break
        end += 1
    found = rest[start:end]
    return found if any(token.has("noun", "name", "verb") or not token.entry.known for token in found) else ()


def base_of(token: Token) -> str:
    """Return the base form of a verb, as it is written where the dictionary has none."""
    head, sign, last = token.lower.rpartition("-")
    if token.entry.verb or not sign:
        return token.entry.verb or verb_of(token.lower) or token.lower
    # "re-registers", "test-drives".
    return f"{head}-{entry_of(last).verb or last}"


def verb_in(tokens: Sequence[Token]) -> int | None:
    """Return where the verb of a clause with a subject of its own stands, "a guest | calls", or None."""
    for at, token in enumerate(tokens):
        if at and (token.has("aux") or (token.has("verb") and {"s", "ed"} & set(token.entry.form.split()))):
            noun_before = tokens[at - 1].has("noun", "name", "pron", "adv") or not tokens[at - 1].entry.known
            if noun_before and not (token.has("noun") and at + 1 < len(tokens) and tokens[at + 1].has("aux", "verb")):
                return at
    # "The orders arrive": a plural has the base form.
    plain = (
        at
        for at, token in enumerate(tokens)
        if at
        and token.has("verb")
        and token.entry.form != "ing"
        and not tokens[at - 1].has("det", "prep", "adj")
        and not token.has("noun", "prep")
    )
    return next(plain, None)


def _without_lead(tokens: Tokens) -> Tokens:
    at = 0
    while at + 1 < len(tokens) and (tokens[at].lower in word_set("naming.leads") or tokens[at].kind == "punct"):
        at += 1
    return tokens[at:]


def _is_participle(token: Token) -> bool:
    return token.has("verb") and "ed" in token.entry.form.split()


def _is_passive_at(tokens: Tokens, at: int) -> bool:
    """Say whether a passive stands here with its subject in front: "the form | is checked"."""
    if tokens[at].lower not in _BE or any(
        one.has("wh") or one.lower in ("if", "that", "whether") for one in tokens[:at]
    ):
        return False
    if at and not _is_noun_phrase(tokens[:at]):
        return False
    for token in tokens[at + 1 : at + _FARTHEST]:
        if _is_participle(token):
            return not (token.has("adj") and tokens[at].lower in ("get", "gets") and not at)
        if not token.has("adv", "neg", "aux") and token.lower not in word_set("naming.leads"):
            return False
    return False


def _reduced(tokens: Tokens) -> int | None:
    """Return where the participle of "carpet hoovered" stands, behind a noun phrase and before nothing but a place."""
    for at, token in enumerate(tokens[1:], 1):
        if token.has("aux", "wh", "conj") or token.kind == "punct":
            return None
        if _is_participle(token) and not token.has("noun", "adj") and "base" not in token.entry.form:
            behind = tokens[at + 1] if at + 1 < len(tokens) else None
            names = not tokens[at - 1].has("prep", "det") and not (
                tokens[0].has("verb") and tokens[1].has("det", "pron")
            )
            return at if names and (behind is None or behind.has("prep", "adv", "part")) else None
    return None


def _is_noun_phrase(tokens: Tokens) -> bool:
    """Say whether words can be a subject: no article in the midst of it, which would be an object's."""
    return not any(
        token.has("det") and not before.has("prep", "conj", "det", "adv", "pron") and before.kind != "punct"
        for before, token in pairwise(tokens)
    )


def _may_open(tokens: Tokens) -> bool:
    """Say whether words begin with the verb that tells what is done."""
    first = tokens[0]
    if first.has("det", "prep", "pron", "conj") or first.kind != "word" or not _names_verb(first):
        return False
    if len(tokens) == 1 or not first.has("noun"):
        return True
    # "Order form is ready": a noun with its verb behind it; "order the form" has an object.
    behind = verb_in(tokens)
    return behind is None or behind > 1 or (tokens[1].has("noun") and "base" in first.entry.form.split())


def _names_verb(token: Token) -> bool:
    return bool(
        token.entry.verb
        or verb_of(token.lower)
        or ("-" in token.text and entry_of(token.lower.rpartition("-")[2]).verb)
    )


def _told(rest: Tokens, deed: Deed, thing: str = "") -> str:
    """Return what follows a verb, further verbs of the same form in the imperative: "opens and reads the mail"."""
    said = list(rest)
    for at, token in enumerate(said[:-1]):
        follows = said[at + 1]
        # "Reads the terms and conditions."
        things = at + 2 == len(said) and at > 0 and follows.has("noun") and said[at - 1].text.endswith("s")
        verb = deed.is_finite and follows.entry.verb and follows.entry.form == "s"
        if token.lower in ("and", "or") and verb and not things:
            parts = (cased(rest[: at + 1]), base_of(follows), _with_thing(rest[at + 2 :], thing, deed))
            return " ".join(part for part in parts if part)
    return cased(rest)


def _with_thing(rest: Tokens, thing: str, deed: Deed) -> str:
    """Return what follows a verb, "it" replaced: "the contract to the client"."""
    at = 1 if rest and rest[0].lower in _PARTICLES else 0
    if not thing or at >= len(rest) or rest[at].lower not in _IT or rest[at].text == "IT":
        return _told(rest, deed, thing)
    if (rest[at].lower in ("them", "these", "those")) != names_several(thing):
        return _told(rest, deed, thing)
    return " ".join(part for part in (cased(rest[:at]), thing, _told(rest[at + 1 :], deed)) if part)


def names_several(thing: str) -> bool:
    """Say whether a phrase stands for several things."""
    return thing.endswith("s") and not thing.endswith(("ss", "is", "us"))


def event_of(tokens: Tokens) -> str:
    """Return the event that words tell: "order.received"; empty where they say nothing."""
    said = bare(tokens)
    at = verb_in(said)
    if at is None:
        return slug(text_of(said), fallback="", max_chars=60)
    subject, verb = said[:at], said[at:]
    aux = 0
    while aux + 1 < len(verb) and verb[aux].has("aux"):
        aux += 1
    deed = read_deed(verb, is_told_who=True)
    thing = bare(object_of(deed)) if deed.voice == "active" and acts(subject) else ()
    noun = "_".join(token.lemma for token in (thing or subject)[-2:] if token.kind == "word")
    base = base_of(verb[aux])
    told = "received" if base in ("come", "arrive") and not acts(subject) else inflected(base, "VBN")
    if verb[0].lower in ("is", "are", "was") and aux and not verb[aux].has("verb"):
        told = "_".join(token.lower for token in verb[1:4])
    return f"{slug(noun, fallback='')}.{slug(told, fallback='')}".strip("._")[:100]


def name_of(tokens: Tokens) -> str | None:
    """Return a workflow's name of a noun phrase, or None where it is no good one."""
    said = bare(tokens)
    content = [token for token in said if token.is_content or token.has("pron")]
    says_nothing = all(token.lower in word_set("lead.name.something") for token in content)
    if not said or len(said) > _LONGEST_NAME or says_nothing:
        return None
    if len(said) == 1 and said[0].kind == "quoted":
        return said[0].text
    return capitalized(cased(said))[:100]
