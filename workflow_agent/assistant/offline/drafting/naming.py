"""Names of steps, and who does them."""

from collections.abc import Sequence
from typing import Final

from workflow_agent.assistant.offline.drafting.grammar import Clause, is_plural, is_role
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token

_PRONOUNS: Final = word_set("set.pronouns")
_PARTICLES: Final = word_set("set.particles")
_LONGEST_NAME: Final = 90


def bare(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return a noun phrase without articles, possessives of persons and words that count it, in front."""
    at = 0
    while (
        at < len(tokens)
        and tokens[at].text != "IT"
        and (
            tokens[at].has("det", "conj", "filler")
            or tokens[at].kind == "punct"
            or (tokens[at].has("part") and at == 0)
            or (
                tokens[at].value is not None
                and tokens[at].lower not in ("first", "second", "third")
                and at + 1 < len(tokens)
            )
        )
    ):
        at += 1
    return tuple(tokens[at:])


def is_pronoun(tokens: Sequence[Token]) -> bool:
    """Say whether a subject or an object is a pronoun alone."""
    return len(tokens) == 1 and tokens[0].lower in _PRONOUNS and tokens[0].text != "IT"


def cased(tokens: Sequence[Token]) -> str:
    """Return a phrase as it reads inside a sentence: small letters but for names and abbreviations."""
    said: list[str] = []
    for token in tokens:
        text = token.text
        plain = text[:1].isupper() and token.has("det") and text != "IT"
        said.append(text.lower() if plain else text)
    out = ""
    for before, token, text in zip((None, *tokens), tokens, said, strict=False):
        shown = f'"{text}"' if token.kind == "quoted" else text + ("'s" if token.possessive else "")
        out += shown if before is None or token.start == before.end else f" {shown}"
    return out.strip(" ,:;")


def role_named(tokens: Sequence[Token]) -> str | None:
    """Return the role a subject names: "two professors" is "professor"; None for nobody in particular."""
    said = bare(tokens)
    if (
        not said
        or is_pronoun(said)
        or said[0].lower in ("someone", "somebody", "anyone", "whoever", "everyone", "everybody")
    ):
        if len(said) > 2 and said[1].lower in ("in", "from"):
            return role_named(said[2:])
        return None
    last = said[-1]
    text = cased(said)
    if is_plural(last) and last.entry.noun and is_role(last):
        text = text[: len(text) - len(last.text)] + last.entry.noun
    return text[:100] or None


def is_system(tokens: Sequence[Token]) -> bool:
    """Say whether a subject is a program: what it does is no human's work."""
    said = bare(tokens)
    return bool(said) and (said[-1].entry.noun or said[-1].lower) in word_set("role.system")


def acts(tokens: Sequence[Token]) -> bool:
    """Say whether a subject names somebody who works: a role, a name, a person."""
    said = bare(tokens)
    if not said:
        return False
    if is_pronoun(said):
        return said[0].lower not in ("it", "this", "that", "these", "those", "which")
    if said[0].lower in ("someone", "somebody", "anyone", "everyone"):
        return True
    heads = [token for token in said if token.kind == "word"]
    last = next(
        (heads[at - 1] for at, token in enumerate(heads) if at and token.has("prep")),
        heads[-1] if heads else None,
    )
    if last is None:
        return False
    is_name = last.text[:1].isupper() and not last.entry.known
    return is_role(last) or is_name or (last.text.isupper() and len(last.text) > 1)


def object_of(clause: Clause, rest: Sequence[Token]) -> tuple[Token, ...]:
    """Return the thing a clause works on: what follows its verb, or the subject of a passive."""
    if clause.voice == "passive":
        return () if is_pronoun(clause.subject) else clause.subject
    end = 0
    while end < len(rest) and (
        rest[end].has("noun", "adj", "det", "num", "name", "verb")
        or rest[end].kind in ("quoted", "number")
        or not rest[end].entry.known
    ):
        if (rest[end].has("prep", "conj") and rest[end].text != "IT") or (
            end and rest[end].has("det", "adv")
        ):
            break
        end += 1
    found = tuple(rest[:end])
    return (
        found
        if any(token.has("noun", "name", "verb") or not token.entry.known for token in found)
        and not is_pronoun(found)
        else ()
    )


def step_name(clause: Clause, rest: Sequence[Token], thing: str) -> str:
    """Return a step's name in the imperative, its object kept; `thing` stands for "it" and "them"."""
    verbs = [token.entry.verb or token.lemma for token in clause.verbs] or [clause.verb]
    said = f"{', '.join(verbs[:-1])} or {verbs[-1]}" if len(verbs) > 1 else verbs[0]
    parts = [said]
    if clause.voice == "passive":
        if rest and rest[0].lower in _PARTICLES and (len(rest) == 1 or rest[1].has("prep", "part")):
            parts, rest = [f"{said} {rest[0].lower}"], rest[1:]
        parts.append(
            (thing or "it") if is_pronoun(clause.subject) or not clause.subject else cased(clause.subject)
        )
        parts.append(cased(rest))
    elif (
        clause.verb in word_set("verb.get")
        and clause.subject
        and clause.verb == "get"
        and not is_pronoun(clause.subject)
    ):
        parts = ["give", cased(clause.subject), cased(rest)]
    else:
        # "The manager approves": what was told last, because "Approve" alone is no name.
        needs = (
            not rest
            and len(verbs) == 1
            and clause.verb
            in word_set("verb.about") | {"pay", "sign", "verify", "inspect", "process", "publish"}
        )
        parts.append(thing if needs else _with_thing(rest, thing))
    name = " ".join(part for part in parts if part)
    return capitalized(shortened(name))


def _with_thing(rest: Sequence[Token], thing: str) -> str:
    if (
        rest
        and rest[0].lower in ("it", "them", "this", "that", "these", "those")
        and rest[0].text != "IT"
        and thing
    ) and (len(rest) == 1 or not (rest[1].has("noun", "adj") and rest[0].has("det"))):
        tail = cased(rest[1:])
        return f"{thing} {tail}".strip()
    return cased(rest)


def capitalized(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def shortened(name: str) -> str:
    """Return a name of at most ninety characters, cut at a word."""
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME].rsplit(" ", 1)[0]
