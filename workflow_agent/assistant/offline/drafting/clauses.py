"""Clauses with typed parts: connectives, who acts, verbs, object, times; read from the tags of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from workflow_agent.assistant.offline.drafting.phrases import acts, is_role, phrase_at
from workflow_agent.assistant.offline.drafting.spans import spans_of
from workflow_agent.assistant.offline.drafting.tags import FINITE, Tagged, tag
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.tokens import Token

Tokens = tuple[Token, ...]
_TIMES: Final = frozenset({"within", "length", "times", "schedule", "together", "again"})
_CAUSING: Final = frozenset({"have", "get", "let", "make", "ask"})
_MODAL: Final = word_set("set.modals")
_RARE: Final = 2.4
_PASSING: Final = frozenset({"get", "become"})
_SEMI: Final = word_set("clauses.semi")
"""Verbs in front of another one that does the work: "needs to sign", "starts to pack"."""


@dataclass(slots=True)
class Clause:
    """One clause of a sentence."""

    kind: str = "main"
    """main, phrase (without a verb), or what its subordinator says: if, unless, until, while, when, before, foreach."""
    word: str = ""
    """The subordinator, as written."""
    joint: str = ""
    """The sign or conjunction in front of it."""
    marks: set[str] = field(default_factory=set[str])
    tokens: Tokens = ()
    """All of it, without connectives."""
    lead: Tokens = ()
    """The connectives, marks and times that were taken out."""
    front: Tokens = ()
    """What stands in front of the subject: "in our school", "above 500", "to close the month"."""
    subject: Tokens = ()
    verb: str = ""
    """Base form of the main verb, empty where a form of "be" is all there is."""
    verbs: list[str] = field(default_factory=list[str])
    """Of "approves or rejects", all of them."""
    group: Tokens = ()
    """The verb with its auxiliaries and adverbs."""
    voice: str = ""
    """active, passive or state; empty without a verb."""
    form: str = ""
    """The tag of the verb as it stands: Z, B, E, A, V, G."""
    is_negated: bool = False
    is_relative: bool = False
    is_aside: bool = False
    """Whether its subject is told more of: "the curator, who knows"."""
    is_strange: bool = False
    """Whether a sentence rarely has such a clause: the reading is a guess."""
    is_past: bool = False
    may: str = ""
    """The modal in front of the verb."""
    rest: Tokens = ()
    rest_tags: str = ""
    agent: Tokens = ()
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    """By kind of span: within, length, times, schedule, together, again, amount, note (in brackets)."""

    @property
    def is_sub(self) -> bool:
        """Whether it is subordinate."""
        return self.kind not in ("main", "phrase")

    @property
    def lows(self) -> set[str]:
        """Its words in small letters, and their base forms."""
        return {word for token in self.tokens for word in (token.lower, token.lemma)}


def read_clauses(tokens: Sequence[Token], *, is_item: bool = False) -> list[Clause]:
    """Return the clauses of a sentence, in its order."""
    while tokens and tokens[-1].kind == "punct" and tokens[-1].text != ")":
        tokens = tokens[:-1]
    tokens = _with_comma(tokens)
    tagged = tag(spans_of(tokens), is_item=is_item)
    clauses = [_clause(part, joint, is_item=is_item) for joint, part in _parts(tagged)]
    found = [one for one in clauses if one.tokens or one.marks or one.lead or one.is_sub]
    _share_objects(found)
    _join_outcomes(found)
    return _without_asides(found)


def _with_comma(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return "if accepted the mechanic repairs it" with the comma that parts a verdict from what is done then."""
    found = list(tokens)
    for at in range(len(found) - 3, -1, -1):
        if not found[at].is_("if", "when", "once", "unless") or found[at].kind != "word":
            continue
        verdict = at + 1 + found[at + 1].is_("not")
        behind = found[verdict + 1 :]
        who = 1 if behind and behind[0].has("det") else 0
        verb = who + 1 + any(t.has("adv", "part") and not t.has("verb") for t in behind[who + 1 : who + 2])
        if (
            found[verdict].lower in word_set("good") | word_set("bad")
            and found[verdict].entry.form == "ed"
            and len(behind) > verb
            and is_role(behind[who])
            and "s" in behind[verb].entry.form.split()
            and behind[verb].has("verb")
        ):
            end = found[verdict].end
            found.insert(verdict + 1, Token(",", "punct", end, end, entry_of(",")))
    return found


def _without_asides(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses with "the curator, who knows the artist, selects" made one: what the aside says is not told."""
    found = list(clauses)
    for at in range(len(found) - 2, -1, -1):
        head, rest = found[at], found[at + 1]
        goes_on = rest.joint == "," and rest.voice and not (rest.subject or rest.marks or rest.is_sub)
        if head.is_aside and goes_on and head.subject:
            rest.subject, rest.marks, rest.lead = head.subject, head.marks, (*head.lead, *rest.lead)
            rest.joint, rest.kind, rest.word = head.joint, head.kind, head.word
            del found[at]
        elif at + 2 < len(found) and head.kind == "phrase" and rest.is_relative and acts(head.tokens):
            behind = found[at + 2]
            if behind.joint == "," and behind.voice and not (behind.subject or behind.marks or behind.is_sub):
                behind.subject, behind.marks, behind.joint = head.tokens, head.marks, head.joint
                del found[at : at + 2]
    return found


def _parts(tagged: Sequence[Tagged]) -> list[tuple[str, list[Tagged]]]:
    """Return the stretches of the sentence that are one clause each, with what joins them."""
    parts: list[tuple[str, list[Tagged]]] = [("", [])]
    for at, one in enumerate(tagged):
        own = parts[-1][1]
        if one.tag in "cx" and not one.sub:
            joint = one.low
            if not own and parts[-1][0]:
                parts[-1] = (joint if joint != "," else parts[-1][0], own)
            else:
                parts.append((joint, []))
        elif (
            (one.tag in "SF" and own and not (own[-1].tag in "SF" or all(each.tag in "KR" for each in own)))
            or one.opens
            or (one.tag == "K" and _parts_at(tagged, at, own))
        ):
            parts.append(("", [one]))
        else:
            own.append(one)
    return parts


def _parts_at(tagged: Sequence[Tagged], at: int, own: Sequence[Tagged]) -> bool:
    """Say whether a mark inside a sentence begins a clause: what stands before has its verb, and one follows."""
    if not any(one.tag in FINITE or one.tag in "VG" for one in own) or own[-1].tag in "AH":
        return all(one.tag == "K" for one in own) is False and bool(own) and own[0].tag in "SF"
    behind = tagged[at + 1 : at + 2]
    return bool(behind) and behind[0].tag not in "cx"


def _clause(part: Sequence[Tagged], joint: str, *, is_item: bool) -> Clause:
    clause = Clause(joint=joint)
    left: list[Tagged] = []
    lead: list[Token] = []
    for one in part:
        kind, span = _kind(one), one.span
        if one.tag in "SF" and not clause.is_sub and (not left or _only_adverbs(left)):
            clause.kind, clause.word = kind, " ".join(token.lower for token in span.tokens)
            lead += span.tokens
        elif one.tag == "K" and kind == "first" and left:
            clause.values["before"] = True
            lead += span.tokens
        elif one.tag == "K" or kind == "repeat":
            clause.marks.add(kind)
            lead += span.tokens
        elif span.kind in _TIMES and not (clause.is_sub and span.kind != "times"):
            clause.values.setdefault(span.kind, span.value if span.value is not None else True)
            clause.values.setdefault(f"{span.kind} said", span.tokens)
            lead += span.tokens
        elif span.kind == "note":
            clause.values.setdefault("note", span.tokens[1:-1])
            lead += span.tokens
        elif (
            not clause.is_sub and (span.kind == "skipped" or (one.tag == "R" and phrase_at("skipped", span.tokens, 0)))
        ) or (one.tag == "R" and span.tokens[0].kind == "punct"):
            lead += span.tokens
        else:
            left.append(one)
    clause.lead = tuple(lead)
    while left and left[-1].tag in "CXcx":
        clause.lead += left.pop().span.tokens
    while left and left[0].tag in "CXcx" and left[0].span.kind != "amount":
        clause.lead += left.pop(0).span.tokens
    clause.tokens = tuple(token for one in left for token in one.span.tokens)
    if any(one.span.kind == "amount" for one in left):
        clause.values["amount"] = next(one.span.tokens for one in left if one.span.kind == "amount")
    _read_verb(clause, left)
    if clause.kind == "main" and not clause.voice:
        clause.kind = "phrase"
    del is_item
    return clause


def _only_adverbs(left: Sequence[Tagged]) -> bool:
    return all(one.tag == "R" for one in left)


def _kind(one: Tagged) -> str:
    """Return which mark or subordinator a span is."""
    if one.span.kind != "word":
        return one.span.kind
    group = "sub" if one.tag in "SF" else "mark"
    found = phrase_at(group, one.span.tokens, 0)
    return found[0] if found is not None else "when" if one.tag in "SF" else "seq"


def _read_verb(clause: Clause, left: list[Tagged]) -> None:
    """Read subject, verb group and rest of a clause's spans."""
    at = _verb_at(clause, left)
    if at is None:
        clause.rest = clause.tokens
        return
    inner = {one.span.tokens for one, behind in pairwise(left[:at]) if one.tag == "R" and behind.tag in "NMJIX"}
    subject = [one for one in left[:at] if one.tag != "R" or one.span.tokens in inner]
    dropped = _tokens([one for one in left[:at] if one not in subject])
    clause.lead += tuple(token for token in dropped if token.value is None)
    if subject and subject[0].tag == "W":
        clause.is_relative, subject = True, subject[1:]
    cut = next((n for n, one in enumerate(subject) if n and one.tag == "W"), None)
    if cut is not None:
        clause.is_aside, subject = True, [one for one in subject[:cut] if one.tag not in "Xx"]
    end = _verb_group(clause, left, at)
    front = _fronted(subject)
    clause.front, clause.subject = (
        _tokens(subject[:front]),
        _tokens([one for one in subject[front:] if one.tag != "X" or one is not subject[front]]),
    )
    clause.group, clause.rest = _tokens(left[at:end]), _tokens(left[end:])
    inner = [*subject[front + 1 :], *left[at:]]
    clause.is_strange = any(one.price > _RARE and not one.opens for one in inner)
    clause.rest_tags = "".join(one.tag for one in left[end:])
    _read_cause(clause, left, end)
    if clause.voice == "passive" or not clause.subject:
        _read_agent(clause, left[end:])


def _fronted(subject: Sequence[Tagged]) -> int:
    """Return where the subject itself begins, behind a phrase that says when, where, or for what."""
    if not subject or (subject[0].tag not in "ITL" and subject[0].span.kind != "amount"):
        return 0
    comma = next(
        (at for at in range(len(subject) - 1, 0, -1) if subject[at].tag == "X" and subject[at].low == ","), None
    )
    if comma is not None:
        return comma + 1
    if subject[0].tag == "L":
        return 1
    places = range(2, len(subject))
    heads = (at for at in places if subject[at].tag in "DPpO" and subject[at - 1].tag not in "IDJCT")
    roles = (at for at in places if is_role(subject[at].span.tokens[0]) and subject[at - 1].tag in "NML")
    return next(heads, next(roles, len(subject) if subject[0].tag in "IT" else 0))


def _verb_at(clause: Clause, left: Sequence[Tagged]) -> int | None:
    """Return where the verb stands: the first finite one, else a participle that tells a clause."""
    depth = 0
    if [one.low for one in left[:2]] == ["back", "to"]:
        return None
    for at, one in enumerate(left):
        if one.tag == "W" and at:
            depth += 1
        elif one.tag in FINITE:
            if depth and any(each.tag in FINITE for each in left[at + 1 :]):
                depth -= 1
                continue
            return at
    for at, one in enumerate(left):
        if one.tag == "V" and (at == 0 or (clause.is_sub and at < 4) or _only_adverbs(left[:at])):
            return at
        if one.tag == "G" and (at == 0 or _only_adverbs(left[:at])) and (clause.is_sub or clause.joint):
            return at
        if one.tag == "U" and _only_adverbs([each for each in left[:at] if each.tag != "T"]):
            return at
    if clause.is_sub and left and left[0].tag in "JR":
        return 0
    return None


def _verb_group(clause: Clause, left: Sequence[Tagged], at: int) -> int:
    """Read the verb with its auxiliaries and adverbs; return where what follows it begins."""
    clause.form = left[at].tag
    clause.is_past = clause.form == "E" or left[at].low in ("was", "were", "had", "did")
    clause.voice = "active"
    end, verb, be = at, "", False
    while end < len(left):
        one, token = left[end], left[end].span.tokens[0]
        low = token.lower
        if one.tag in "AH" or (one.tag in "UV" and token.lemma == "be"):
            be = token.lemma == "be" or (be and token.lemma not in ("have", "do"))
            clause.may = low if low in _MODAL else clause.may
            verb = ""
        elif one.tag == "R" and (low in ("not", "never") or token.has("neg")):
            clause.is_negated = True
        elif one.tag == "R" and end + 1 < len(left) and left[end + 1].tag in "VGUAR" and not verb:
            pass
        elif one.tag == "T" and (be or verb in _SEMI or not verb) and end + 1 < len(left) and left[end + 1].tag in "UA":
            be, verb = False, ""
        elif (one.tag == "V" and not verb and (be or end == at)) or (
            one.tag in "VE" and end > at and verb in _PASSING and not _tokens(left[end - 1 : end])[0].has("det")
        ):
            clause.voice, verb = "passive", _base(token)
        elif one.tag in "ZBEUVG" and not verb:
            verb = _base(token)
        else:
            break
        end += 1
        if verb and verb not in _PASSING and not (verb in _SEMI and end < len(left) and left[end].tag == "T"):
            break
    if be and not verb and end < len(left) and _is_participle(left, end):
        # "The donor is sent home."
        verb, clause.voice, end = _base(left[end].span.tokens[0]), "passive", end + 1
    if not verb:
        clause.voice = "state"
        if left[at].tag == "A" and left[end - 1].span.tokens[0].lemma in ("have", "do"):
            clause.voice, verb = "active", left[end - 1].span.tokens[0].lemma
        elif left[at].tag in "JR":
            end = at
    clause.verb = verb
    while clause.voice == "active" and end + 1 < len(left) and left[end].low == "or" and left[end + 1].tag in "ZBUE":
        clause.verbs = [*(clause.verbs or [verb]), _base(left[end + 1].span.tokens[0])]
        end += 2
    return end


def _is_participle(left: Sequence[Tagged], at: int) -> bool:
    """Say whether a word behind "is" is a verb's participle alone, read as something else."""
    token = left[at].span.tokens[0]
    return token.kind == "word" and token.entry.form == "ed" and token.has("verb") and not token.has("adj", "noun")


def _base(token: Token) -> str:
    if token.entry.verb:
        return token.entry.verb
    low = token.lower
    return low[:-1] if low.endswith("s") and not low.endswith("ss") else low


def _read_cause(clause: Clause, left: Sequence[Tagged], end: int) -> None:
    """Read "have the intern collect the quotes" and "get the boss to sign it"."""
    if clause.verb not in _CAUSING or clause.form != "B" or clause.subject:
        return
    for at in range(end, min(end + 6, len(left))):
        one = left[at]
        if one.tag in "UB" and at > end:
            who = _tokens([each for each in left[end:at] if each.tag != "T"])
            if acts(who) or clause.verb == "have":
                clause.subject, clause.verb, clause.is_strange = who, _base(one.span.tokens[0]), False
                clause.rest, clause.form, clause.rest_tags = _tokens(left[at + 1 :]), "C", ""
            return
        if one.tag not in "DNMJQT":
            return


def _read_agent(clause: Clause, rest: Sequence[Tagged]) -> None:
    """Take "by the mail room" out of a passive."""
    for at, one in enumerate(rest):
        if one.low != "by" or at + 1 >= len(rest):
            continue
        end = at + 1
        while end < len(rest) and (rest[end].tag in "DNMJQOVC" or rest[end].low == "of" or _describes(rest, end)):
            end += 1
        who = _tokens(rest[at + 1 : end])
        if clause.voice != "passive" and not acts(who):
            return
        if (
            all(token.has("det") for token in who)
            or (who[-1].lower in word_set("set.no_agent") and not acts(who))
            or who[-1].value is not None
        ):
            return
        clause.agent, clause.rest = who, _tokens(rest[:at]) + _tokens(rest[end:])
        return


def _describes(spans: Sequence[Tagged], at: int) -> bool:
    """Say whether a participle belongs to the noun behind it: "the managing partner"."""
    return spans[at].tag in "GU" and spans[at - 1].tag in "DQ" and at + 1 < len(spans) and spans[at + 1].tag in "NM"


def _share_objects(clauses: Sequence[Clause]) -> None:
    """Give "picks" in "picks and packs the order" the object of what follows."""
    shared = False
    for one, other in reversed(list(pairwise(clauses))):
        joins = other.joint in ("and", "or") or (other.joint == "," and shared)
        same = not other.subject and one.voice == other.voice == "active" and one.form == other.form
        same = same and not any(token.lower == "back" for token in other.rest)
        shared = joins and same and not (one.rest or one.values or other.marks or other.is_sub)
        shared = (
            shared and bool(other.rest) and other.rest[0].has("det", "pron") and one.verb not in word_set("verb.event")
        )
        if shared:
            one.rest = other.rest
        passive = one.voice == other.voice == "passive" and not (other.subject or other.marks or other.is_sub)
        if passive and other.joint in ("and", "or", ",") and not (one.agent or one.rest or one.values):
            # "is weighed and measured by the nurse"
            one.agent = other.agent


def _join_outcomes(clauses: list[Clause]) -> None:
    """Make one clause of "approves or rejects it": verbs with one object."""
    for at in range(len(clauses) - 1, 0, -1):
        one, other = clauses[at - 1 : at + 1]
        same = other.joint == "or" and one.voice == other.voice == "active" and one.rest == other.rest
        if same and not (other.subject or other.marks or other.is_sub or one.is_sub):
            one.verbs = [one.verb, *(other.verbs or [other.verb])]
            one.values |= other.values
            one.tokens, one.lead = (*one.tokens, *other.tokens), (*one.lead, *other.lead)
            del clauses[at]


def _tokens(spans: Sequence[Tagged]) -> Tokens:
    return tuple(token for one in spans for token in one.span.tokens)
