"""What a description opens with: the request for a workflow, its name, and where the telling begins."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import states_outcome
from workflow_agent.assistant.offline.drafting.grammar import Grammar
from workflow_agent.assistant.offline.drafting.phrases import bare, capitalized, cased, is_role, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import schedule_at

_STOPS: Final = word_set("set.stops")
_SIGNS: Final = (":", "=", "-", "\u2014", "\u2013")
_NAMING: Final = frozenset({"called", "named", "titled", "call", "name", "titled:"})
_FILLERS: Final = word_set("set.fillers")


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
    end = next((at for at, token in enumerate(tokens[:13]) if token.text == ":"), None)
    said = [token.lower for token in tokens[: end or 0]]
    if (
        end is not None
        and said[-1:]
        and said[-1] in ("steps", "stages", "phases", "tasks")
        and said[0] in ("it", "these", "this")
    ):
        return Lead(end + 1, is_list=True)
    if end is not None and said[:1] in (["steps"], ["step"], ["the"]) and "steps" in said and len(said) < 5:
        return Lead(end + 1, is_list=True)
    if (
        end is not None
        and is_first
        and any(word in said for word in ("way", "works", "follows", "like", "goes", "want", "idea", "happens", "do"))
        and "if" not in said
        and "happen" not in said
    ):
        asked = lead_of(tokens[:end], is_first=False)
        return Lead(end + 1, asked.name if asked else None, is_request=asked is not None)
    at = _workflow_noun(tokens)
    if at is not None and (asked := _asks(tokens, at)) is not None:
        return _of_workflow(tokens, at, asked)
    if (named := _named_by_request(tokens)) is not None:
        return named
    return _title(tokens, told_next) if is_first else None


def _workflow_noun(tokens: Sequence[Token]) -> int | None:
    for at, token in enumerate(tokens[:26]):
        if token.kind == "punct" and token.text in ":.;->":
            return None
        if token.kind == "word" and (token.entry.noun or token.lower) in word_set("workflow"):
            return at
    return None


def _asks(tokens: Sequence[Token], noun: int) -> bool | None:
    """Say whether words in front of "workflow" ask for one; None where they tell something else."""
    before = tokens[:noun]
    if any(token.lemma in word_set("build") or token.entry.verb in word_set("build") for token in before):
        return True
    if all(
        token.has("det", "adj", "noun", "filler", "name", "num", "conj")
        or token.kind == "quoted"
        or not token.entry.known
        or token.entry.form in ("ing", "ed")
        for token in before
    ):
        after = tokens[noun + 1].lower if noun + 1 < len(tokens) else ""
        return (
            True
            if after in (":", "where", "called", "named", "for", "", "that", "in", "with", "-", "=", ".") or not before
            else None
        )
    return None


def _of_workflow(tokens: Sequence[Token], noun: int, asked: bool) -> Lead:
    start = noun
    while (
        start > 0
        and tokens[start - 1].kind in ("word", "quoted")
        and not tokens[start - 1].has("det", "prep", "pron", "aux")
        and not (
            tokens[start - 1].lemma in word_set("build")
            and tokens[start - 1].lower != "new"
            and not tokens[start - 1].lower.endswith("ing")
        )
        and tokens[start - 1].lower not in ("me", "us", "up", "please", "new")
    ):
        start -= 1
    at = noun + 1
    name = None
    modifiers = [token for token in tokens[start:noun] if token.lower not in word_set("lead.plain")]
    if modifiers:
        name = _name([*modifiers, tokens[noun]])
    if at < len(tokens) and tokens[at].kind == "quoted":
        name, at = tokens[at].text, at + 1
    elif at < len(tokens) and tokens[at].lower in _NAMING:
        name, at = _name_at(tokens, at + 1)
    elif at < len(tokens) and (
        tokens[at].lower in ("for", "of")
        or (
            (tokens[at].has("noun") or not tokens[at].entry.known)
            and tokens[at].kind == "word"
            and tokens[at].lower not in _STOPS
        )
    ):
        given, end = _name_at(tokens, at + (tokens[at].lower in ("for", "of")))
        at = end
        if end < len(tokens) and tokens[end].lower in _NAMING:
            given, at = _name_at(tokens, end + 1)
            modifiers = []
        name = given if not modifiers or given is None else name
    return _after(tokens, at, name, asked)


def _after(tokens: Sequence[Token], at: int, name: str | None, asked: bool) -> Lead:
    """Return the lead with the words that join it to the telling taken off."""
    is_list = inherits = False
    for _ in range(14):
        if at >= len(tokens):
            break
        low = tokens[at].lower
        rest = [token.lower for token in tokens[at : at + 6]]
        if low in word_set("lead.after.with") and any(
            one.startswith(("step", "stage", "phase", "task")) for one in rest
        ):
            at += 1
        elif low in ("steps", "step", "stages", "phases", "tasks"):
            is_list, at = True, at + 1
        elif (
            tokens[at].value is not None
            and at + 1 < len(tokens)
            and tokens[at + 1].lower in ("steps", "stages", "phases", "tasks")
        ):
            at += 1
        elif low in (*_SIGNS, ",", ".", "!", "?"):
            is_list = is_list or low in _SIGNS
            at += 1
        elif low in ("where", "please", "pls"):
            at += 1
        elif low == "in" and rest[1:2] == ["which"]:
            at += 2
        elif (
            low in ("that", "which")
            and at + 1 < len(tokens)
            and (tokens[at + 1].has("det", "noun") and not tokens[at + 1].has("verb"))
        ):
            at += 1
        elif low in ("that", "which"):
            inherits, at = True, at + 1
        elif low in ("as", "like") and rest[1:2] and rest[1] in ("follows", "this"):
            at += 2
        elif low in ("in", "to", "for") and rest[1:2] in (["the"], ["our"]) and "tool" in rest:
            at += rest.index("tool") + 1
        else:
            break
    return Lead(at, name, is_list, asked, inherits)


def _name_at(tokens: Sequence[Token], at: int) -> tuple[str | None, int]:
    if at < len(tokens) and tokens[at].kind == "quoted":
        return tokens[at].text, at + 1
    end = at
    while (
        end < len(tokens)
        and tokens[end].lower not in _STOPS | _NAMING
        and end - at < 9
        and tokens[end].kind in ("word", "number", "quoted")
    ):
        end += 1
    return _name(tokens[at:end]), end


def _name(tokens: Sequence[Token]) -> str | None:
    """Return a name of a noun phrase, or None where it is none."""
    said = bare(tokens)
    while said and said[-1].lower in ("please", "too", "now"):
        said = said[:-1]
    if not said or len(said) > 8 or not any(token.is_content for token in said):
        return None
    if not any(
        token.has("noun", "name") or token.entry.form == "ing" or not token.entry.known or token.kind == "quoted"
        for token in said
    ):
        return None
    if all(token.lower in word_set("lead.name.something") for token in said if token.is_content or token.has("pron")):
        return None
    return capitalized(cased(said))[:100]


def _named_by_request(tokens: Sequence[Token]) -> Lead | None:
    """Read "create "Library card"", "set up something for our book club", "automate our approval"."""
    at = 0
    while (
        at < len(tokens)
        and tokens[at].kind in ("word", "punct")
        and (tokens[at].lower in _FILLERS or tokens[at].text == "," or tokens[at].has("filler", "aux"))
        and at < 10
    ):
        at += 1
    if (
        at >= len(tokens)
        or tokens[at].lower == "new"
        or (tokens[at].lemma not in word_set("build") and tokens[at].entry.verb not in word_set("build"))
    ):
        return None
    verb = tokens[at].entry.verb or tokens[at].lemma
    at += 1
    while at < len(tokens) and tokens[at].lower in ("up", "me", "us", "to", "automate", "together"):
        verb = "automate" if tokens[at].lower == "automate" else verb
        at += 1
    if at >= len(tokens):
        return Lead(at, None, is_request=True)
    if tokens[at].kind == "quoted":
        return _after(tokens, at + 1, tokens[at].text, True)
    rest = [token.lower for token in tokens[at:]]
    if rest[0] in ("something", "that", "this", "it", "the"):
        if rest[0] == "something" and rest[1:2] == ["for"]:
            name, end = _name_at(tokens, at + 2)
            return _after(tokens, end, name, True)
        if rest[0] == "something" or len(rest) == 1 or rest[1] in (":", ".", "as", "into", "a", ","):
            stop = next((one for one, word in enumerate(rest) if word in (":", ".", "where")), len(rest))
            return _after(tokens, at + stop, None, True)
    if verb == "automate" or (
        ":" in rest[:9] and (tokens[0].lower in _FILLERS or verb in ("create", "build", "model", "new"))
    ):
        name, end = _name_at(tokens, at)
        return _after(tokens, end, name, True)
    return None


def _title(tokens: Sequence[Token], told_next: bool) -> Lead | None:
    """Return the title in front of a colon, or the sentence that is nothing but one."""
    if schedule_at(tokens, 0) is not None:
        return None
    end = next((at for at, token in enumerate(tokens[:11]) if token.kind == "punct" and token.text in (":", "=")), None)
    body = tokens[:end] if end is not None else tokens
    said = [token for token in body if token.kind != "punct"]
    arrows = [at for at, token in enumerate(tokens) if token.text == "->"]
    if len(arrows) == 1 and end is None and sum(token.text == "," for token in tokens[arrows[0] :]) > 1:
        name = _name(tokens[: arrows[0]])
        return Lead(arrows[0] + 1, name, is_list=True) if name else None
    if (
        not said
        or len(said) > 8
        or phrase_at("sub", tokens, 0)
        or phrase_at("mark", tokens, 0)
        or said[0].has("prep", "pron", "filler", "aux", "wh")
    ):
        return None
    if any(token.text in ("->", ",", ">") for token in body) or tokens[-1].text == "?" or states_outcome(body):
        return None
    tells = any(
        one.entry.verb and one.entry.form in ("base", "s") and after.has("det")
        for one, after in itertools.pairwise(said[1:])
    )
    if end is None and (tells or any(token.is_("both", "all", "each") for token in said)):
        return None
    grammar = Grammar(tuple(body))
    if end is None and is_role(said[0]) and len(said) > 1 and "s" in grammar.forms(1):
        return None
    short = (
        told_next
        and len(said) < 4
        and not any(token.has("det", "pron", "aux") for token in said)
        and all(token.has("noun", "adj") for token in said)
    )
    if end is None and short:
        return Lead(len(tokens), _name(said))
    if end is None and any(
        (token.has("verb") and not token.has("noun", "adj")) or token.kind == "number" for token in said
    ):
        return None
    if said[0].value is not None:
        return None
    if grammar.starts_clause(0) or (
        end is None and grammar.is_imperative(0) and not (told_next and not said[1].has("det", "pron"))
    ):
        return None
    name = _name(said)
    if name is None:
        return None
    return Lead(end + 1 if end is not None else len(tokens), name, is_list=end is not None)
