"""What a description opens with: the request for a workflow, its name, and where the telling begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workflow_agent.assistant.offline.drafting.clauses import read_clauses
from workflow_agent.assistant.offline.drafting.conditions import states_outcome
from workflow_agent.assistant.offline.drafting.phrases import bare, capitalized, cased, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token, read_tokens, sentences
from workflow_agent.assistant.offline.values import schedule_at

_STOPS: Final = word_set("set.stops")
_SIGNS: Final = (":", "=", "-", "\u2014", "\u2013")
_NAMING: Final = frozenset({"called", "named", "titled", "call", "name"})
_STEPS: Final = frozenset({"steps", "stages", "phases", "tasks"})
_FILLERS: Final = word_set("set.fillers")
_FARTHEST: Final = 26
"""Tokens in which a request names what it asks for."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A request in front of, or among, what is told."""

    end: int
    """Where the telling begins."""
    name: str | None = None
    is_list: bool = False
    """Whether a list of steps follows in the sentence."""
    is_request: bool = False
    """Whether a workflow is asked for."""
    inherits: bool = False
    """Whether the telling goes on with "that": the workflow itself does it."""


def lead_of(tokens: Sequence[Token], *, is_first: bool, told_next: bool = False) -> Lead | None:
    """Return the request or the title that a sentence opens with, or None."""
    sign = next((at for at, token in enumerate(tokens[:13]) if token.text == ":"), None)
    said = {token.lower for token in tokens[: sign or 0]}
    if sign is not None and said & _STEPS and said <= word_set("lead.heading"):
        return Lead(sign + 1, is_list=True)
    if sign and only_asks_to_draw(tokens[:sign]):
        return Lead(sign + 1, is_list=lists_nouns(tokens[sign + 1 :]), is_request=True)
    if sign is not None and is_first and said & word_set("lead.tells") and not said & {"if", "happen"}:
        asked = lead_of(tokens[:sign], is_first=False)
        return Lead(sign + 1, asked.name if asked else None, is_request=asked is not None)
    noun = _workflow_noun(tokens)
    if noun is not None:
        return _of_workflow(tokens, noun)
    return _by_verb(tokens) or (_title(tokens, told_next) if is_first else None)


def says_workflow(token: Token) -> bool:
    """Say whether a word is a name for workflows: "process"."""
    return token.entry.noun in word_set("workflow")


def _builds(token: Token) -> bool:
    return token.lemma in word_set("build") or token.entry.verb in word_set("build")


def only_asks_to_draw(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence asks for the workflow and tells nothing of it: "please draw that"."""
    words = [token for token in tokens if token.kind != "punct"]
    if words[:1] and words[0].lower == "as" and all(t.has("det", "filler", "prep") or says_workflow(t) for t in words):
        # "As a workflow, please."
        return any(map(says_workflow, words))
    asks = [_builds(token) or token.lemma in word_set("lead.draw") for token in words]
    others = [token for token, one in zip(words, asks, strict=True) if not one and token.is_content]
    named = all(says_workflow(token) or token.lower == "following" for token in others)
    return any(asks) and named and not any(token.has("conj") and not token.has("pron", "det") for token in words)


def closing_at(tokens: Sequence[Token]) -> int | None:
    """Return where a sentence begins to tell no work but to close the message: "..., pls build", "thx a lot"."""
    starts = [0, *(at + 1 for at, token in enumerate(tokens) if token.text in (",", ";", "-"))]
    for start in starts:
        said = [token for token in tokens[start:] if token.kind != "punct"]
        polite = any(token.has("filler") for token in said)
        points = any(token.lower in ("it", "this", "that", "them") for token in said)
        named = any(map(says_workflow, said))
        thanks = all(token.has("filler") or token.lower in word_set("lead.closes") for token in said)
        thanks = thanks and (polite or (said[:1] != [] and said[0].lower == "that"))
        if said and (thanks or ((polite or points or named) and only_asks_to_draw(said))):
            return start
    return None


_GREETING = frozenset({"dear", "hi", "hello", "hey", "good"})
_OPENING = frozenset({"so", "ok", "okay", "well", "alright"})
_MOST_GREETING, _MOST_SIGNATURE = 6, 5
_MOST_SIGNED = 3
"""Lines that close a letter."""


def _greeting_end(tokens: Sequence[Token]) -> int:
    """Return where a greeting ends in front of a sentence: "Dear team,", "good morning,"; 0 where there is none."""
    at = next((at for at, token in enumerate(tokens) if token.lower not in _OPENING), 0)
    if at:
        return at + (tokens[at].text == ",")
    # "Hey delete the review" greets nobody: without a sign the words behind may be the order.
    sign = next((at for at, token in enumerate(tokens[:_MOST_GREETING]) if token.text in (",", "!")), 0)
    said = tokens[:sign]
    if not said or said[0].lower not in _GREETING:
        return 0
    plain = not any(token.has("aux", "prep", "det", "pron") for token in said)
    greets = said[0].lower != "good" or (len(said) == 2 and said[1].lower in ("morning", "afternoon", "evening", "day"))
    return sign + 1 if plain and greets else 0


def _is_signature(tokens: Sequence[Token], *, behind_one: bool) -> bool:
    """Say whether a line closes a letter: "Kind regards,", "Cheers, Bob", and a name behind such a line."""
    said = [token for token in tokens if token.kind != "punct"]
    if not said or len(said) > _MOST_SIGNATURE:
        return False
    closes = max((at for at, token in enumerate(said) if token.lower in word_set("lead.signs")), default=None)
    own = said if closes is None else said[closes + 1 :]
    named = all(token.text[:1].isupper() or token.has("num") or token.kind == "number" for token in own)
    if closes is None:
        return behind_one and named
    before = said[:closes]
    return named and all(
        token.has("adj", "filler", "adv", "det") or token.lower in ("kind", "with") for token in before
    )


def letter_itself(text: str) -> str:
    """Return a message without greeting and closing: "Dear team, ... Kind regards, Ann"."""
    parts = [part for part in sentences(read_tokens(text)) if part]
    if not parts:
        return text
    greeting = _greeting_end(parts[0])
    behind = [token for part in (parts[0][greeting:], *parts[1:]) for token in part[:1]]
    start = behind[0].start if behind else 0
    signed = (
        at for at in range(max(len(parts) - _MOST_SIGNED, 1), len(parts)) if _is_signature(parts[at], behind_one=False)
    )
    end = next(signed, len(parts))
    if end == len(parts) or not all(_is_signature(part, behind_one=True) for part in parts[end:]):
        return text[start:].strip()
    return text[start : parts[end][0].start].strip()


def name_at_end(tokens: Sequence[Token]) -> str | None:
    """Return the name that a sentence gives the workflow that was told before it: "Call it Order handling"."""
    said = [token for token in tokens if not token.has("filler")]
    if len(said) > 2 and said[0].lower in ("call", "name", "title") and said[1].lower in ("it", "this", "that"):
        name, end = _name_at(said, 2 + said[2].is_("the"))
        return name if end >= len([token for token in said if token.text not in ".!"]) else None
    return None


def _workflow_noun(tokens: Sequence[Token]) -> int | None:
    """Return where "workflow" stands in a request for one: behind "make", or with nothing but its name around."""
    for at, token in enumerate(tokens[:_FARTHEST]):
        if token.kind == "punct" and token.text in ":.;->":
            return None
        if token.kind != "word" or (token.entry.noun or token.lower) not in word_set("workflow"):
            continue
        before = tokens[:at]
        if any(_builds(one) for one in before):
            return at
        plain = all(one.kind == "quoted" or not one.has("prep", "pron", "aux", "adv") for one in before)
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        opens = behind is None or behind.kind in ("punct", "quoted") or behind.lower in word_set("lead.opens")
        return at if plain and (opens or not before) else None
    return None


def _of_workflow(tokens: Sequence[Token], noun: int) -> Lead:
    """Return the request that names a workflow: by what stands before the noun, or behind it."""
    start = noun
    while start and tokens[start - 1].kind in ("word", "quoted") and not tokens[start - 1].has("det", "prep", "pron"):
        before = tokens[start - 1]
        if (_builds(before) and not before.lower.endswith("ing")) or before.lower in ("up", "please", "new"):
            break
        start -= 1
    own = [token for token in tokens[start:noun] if token.lower not in word_set("lead.plain")]
    name = _name([*own, tokens[noun]]) if own else None
    at = noun + 1
    behind = tokens[at] if at < len(tokens) else None
    leads = behind is not None and behind.lower in {*_NAMING, "for", "of"}
    # "Process number 3" is one name, and what follows "workflow steps" is a list.
    named = (
        behind is not None and (behind.kind == "quoted" or behind.has("noun")) and not phrase_at("joins", tokens, at)
    )
    if behind is None or not (leads or named):
        return _after(tokens, at, name)
    given, at = _name_at(tokens, at + leads)
    if at < len(tokens) and tokens[at].lower in _NAMING:
        given, at = _name_at(tokens, at + 1)
        own = []
    return _after(tokens, at, given if given and not (own and behind.lower in ("for", "of")) else name)


def _after(tokens: Sequence[Token], at: int, name: str | None) -> Lead:
    """Return the lead with the words that join it to the telling taken off."""
    is_list = inherits = False
    while at < len(tokens):
        token = tokens[at]
        joins = phrase_at("joins", tokens, at)
        counts = token.value is not None and at + 1 < len(tokens) and tokens[at + 1].lower in _STEPS
        if counts or (token.kind == "punct" and token.text in (*_SIGNS, ",", ".", "!", "?")):
            is_list = is_list or token.text in _SIGNS
            at += 1
        elif joins is not None:
            clause = joins[1] < len(tokens) and tokens[joins[1]].has("det")
            is_list = is_list or joins[0] == "list"
            inherits = inherits or (joins[0] == "acts" and not clause)
            at = joins[1]
        else:
            break
    return Lead(at, name, is_list or lists_nouns(tokens[at:]), is_request=True, inherits=inherits)


def lists_nouns(tokens: Sequence[Token]) -> bool:
    """Say whether words are a list of names and nothing else: "intake, triage, treatment and billing"."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == "," or token.lower in ("and", "&"):
            parts.append([])
        elif token.text not in ".!":
            parts[-1].append(token)
    parts = [part for part in parts if part]
    return len(parts) > 2 and all(
        len(part) < 4
        and all(t.has("noun", "adj") or t.entry.form == "ing" or not t.entry.known for t in part)
        and not (part[-1].has("adj") and not part[-1].has("noun"))
        for part in parts
    )


def _name_at(tokens: Sequence[Token], at: int) -> tuple[str | None, int]:
    if at < len(tokens) and tokens[at].kind == "quoted":
        return tokens[at].text, at + 1
    end = at
    while end < min(len(tokens), at + 9) and tokens[end].lower not in _STOPS | _NAMING:
        end += 1
    return _name(tokens[at:end]), end


def _name(tokens: Sequence[Token]) -> str | None:
    """Return a name of a noun phrase, or None where it is none."""
    said = bare(tokens)
    content = [token for token in said if token.is_content or token.has("pron")]
    names = any(
        token.has("noun", "name") or token.entry.form == "ing" or not token.entry.known or token.kind == "quoted"
        for token in said
    )
    if not names or len(said) > 8 or all(token.lower in word_set("lead.name.something") for token in content):
        return None
    return capitalized(cased(said))[:100]


def _by_verb(tokens: Sequence[Token]) -> Lead | None:
    """Read "create "Library card"", "set up something for our book club", "automate our approval"."""
    greets = tokens[0].lower in ("dear", "hi", "hello", "hey") and any(token.text == "," for token in tokens[1:5])
    at = next(at for at, token in enumerate(tokens) if token.text == ",") if greets else 0
    while at < min(len(tokens), 10) and (
        tokens[at].lower in _FILLERS or tokens[at].text == "," or tokens[at].has("filler", "aux")
    ):
        at += 1
    if 0 < at < len(tokens) and not _builds(tokens[at]) and _builds(tokens[at - 1]):
        at -= 1
    asks = any(token.lower in ("you", "u") for token in tokens[:at])
    draws = at < len(tokens) and asks and tokens[at].lemma in word_set("lead.draw")
    if at >= len(tokens) or tokens[at].lower == "new" or not (draws or _builds(tokens[at])):
        return None
    verb = tokens[at].entry.verb or tokens[at].lemma
    at += 1
    while at < len(tokens) and tokens[at].lower in ("up", "me", "us", "to", "automate", "together"):
        verb = "automate" if tokens[at].lower == "automate" else verb
        at += 1
    rest = [token.lower for token in tokens[at : at + 9]]
    if asks and tokens[-1].text == "?" and rest[:1] in (["our"], ["my"], ["the"]) and len(tokens) < 10:
        # "Can you draw our hiring?"
        return _after(tokens, len(tokens), _name(tokens[at:]))
    if not rest or tokens[at].kind == "quoted":
        return _after(tokens, at + 1, tokens[at].text if rest else None)
    if rest[:2] == ["something", "for"]:
        name, end = _name_at(tokens, at + 2)
        return _after(tokens, end, name)
    points = rest[0] in ("that", "this", "it", "the") and (
        len(rest) == 1 or rest[1] in (":", ".", "?", "as", "into", "a", ",", "following")
    )
    if rest[0] == "something" or points:
        ends = (":", ".", "?", "where")
        stop = next((n for n, token in enumerate(tokens[at:]) if token.lower in ends), len(tokens) - at)
        return _after(tokens, at + stop, None)
    if verb != "automate" and (
        ":" not in rest or (verb not in word_set("lead.makes") and tokens[0].lower not in _FILLERS)
    ):
        return None
    name, end = _name_at(tokens, at)
    if end < len(tokens) and tokens[end].lower in _NAMING:
        name, end = _name_at(tokens, end + 1)
    return _after(tokens, end, name)


def _title(tokens: Sequence[Token], told_next: bool) -> Lead | None:
    """Return the title in front of a colon, or the sentence that is nothing but one."""
    end = next((at for at, token in enumerate(tokens[:11]) if token.kind == "punct" and token.text in (":", "=")), None)
    arrows = [at for at, token in enumerate(tokens) if token.text == "->"]
    if len(arrows) == 1 and end is None and sum(token.text == "," for token in tokens[arrows[0] :]) > 1:
        end = arrows[0]
    body = tuple(tokens[:end])
    said = [token for token in body if token.kind != "punct"]
    opens = phrase_at("sub", tokens, 0) or phrase_at("mark", tokens, 0) or schedule_at(tokens, 0)
    if not said or len(said) > 8 or opens or said[0].has("prep", "pron", "filler", "aux", "wh"):
        return None
    asks = tokens[-1].text == "?" and not arrows
    # "Invoice approval: ..." is a title, "approved: ..." a case.
    verdicts = word_set("good") | word_set("bad")
    names = len(said) > 1 and said[-1].has("noun") and not said[-1].has("adj", "verb") and said[0].lower not in verdicts
    outcome = states_outcome(body) and not names
    if any(token.text in ("->", ",", ">") for token in body) or asks or outcome:
        return None
    told = next(iter(read_clauses(body, is_item=True)), None)
    orders = not told_next or any(token.has("det", "pron") for token in said[1:2])
    tells = (
        tokens[end or 0].text != "->"
        and told is not None
        and bool(told.voice)
        and (bool(told.subject) or (end is None and orders))
    )
    heads = told_next and len(said) < 4 and all(token.has("noun", "adj") for token in said)
    verbal = any(token.has("verb", "num") and not token.has("noun", "adj") for token in said)
    if (tells and not (heads and end is None)) or said[0].value is not None or (end is None and verbal):
        return None
    name = _name(said)
    return Lead(len(tokens) if end is None else end + 1, name, is_list=end is not None) if name else None
