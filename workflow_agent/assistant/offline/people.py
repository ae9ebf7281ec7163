"""Who does something: which words name somebody, and how an assignee is written."""

from collections.abc import Sequence
from functools import lru_cache

from workflow_agent.assistant.offline.clauses import is_actor_word, roles
from workflow_agent.assistant.offline.references import content_of
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.workflows.model.workflow import Workflow

_MOST_WORDS = 5
_BEHIND = ("now", "himself", "herself", "itself", "themselves", "too", "please", "then", "instead", "well", "always",
           "also", "only", "as", "from", "on", "again", "rather", "that", "this")  # fmt: skip


def is_somebody(workflow: Workflow, tokens: Sequence[Token]) -> bool:
    """Say whether words surely name who does something: a known assignee, or a word for people."""
    words = [t for t in tokens if t.is_content]
    if not words or any(t.kind == "number" for t in words) or len(words) > _MOST_WORDS:
        return False
    known = {tuple(content_of(one.replace("_", " "))) for one in people_of(workflow)}
    said = tuple(t.lower for t in words)
    if said in known or tuple(t.lemma for t in words) in known:
        return True
    head = next((at for at, t in enumerate(tokens) if at and t.is_("of", "in", "for", "from", "at")), len(tokens))
    last = [t for t in tokens[:head] if t.is_content][-1:]
    joins = any(t.has("aux", "neg", "conj", "wh") or t.kind == "punct" for t in tokens)
    return bool(last) and not joins and (is_actor_word(last[0]) or last[0].lower in {one[-1] for one in known if one})


_CUES = ("owner", "performer", "lead", "people", "user", "order", "second", "everyone", "somebody", "someone")
"""Words for people that mostly say something else."""


def people_in(workflow: Workflow, tokens: Sequence[Token]) -> dict[int, int]:
    """Return where somebody is named: the first token of each, and the index behind the last."""
    known = _words_of(tuple(people_of(workflow)))
    sizes = sorted({len(one) for one in known}, reverse=True)
    found: dict[int, int] = {}
    taken = -1
    for at in range(len(tokens)):
        if at < taken or tokens[at].kind != "word":
            continue
        behind = [t.lower for t in tokens[at : at + sizes[0]]] if sizes else []
        size = next((n for n in sizes if n <= len(behind) and tuple(behind[:n]) in known), 0)
        lone = size < 2 and tokens[at].is_content
        if not size and not (lone and _is_head(tokens, at)):
            continue
        if tokens[at].is_("owner", "performer") and not _is_owner(tokens, at):
            continue
        first, end = at, at + max(size, 1)
        while (
            lone
            and end < len(tokens)
            and tokens[end].kind == "word"
            and tokens[end].is_content
            and _is_head(tokens, end)
        ):
            end += 1
        while lone and first > max(taken, 0) and first > at - 3 and _is_part(tokens, first - 1):
            first -= 1
        if lone and first == taken and first in found.values():
            # "HR | business partner" is one.
            first = next(one for one, behind in found.items() if behind == first)
        if (
            end + 1 < len(tokens)
            and tokens[end].is_("of")
            and tokens[end - 1].among("people.of")
            and (tokens[end + 1].has("noun") or (tokens[end + 1].is_("the") and tokens[end + 2 : end + 3]))
        ):
            # "The head of sales", "the head of the baths".
            end += 3 if tokens[end + 1].is_("the") else 2
            while end < len(tokens) and tokens[end].has("noun") and not tokens[end].has("verb"):
                end += 1
        if end + 1 < len(tokens) and tokens[end].is_("in") and tokens[end + 1].is_("chief", "training"):
            end += 2
        if end == first + 1 and not size and tokens[first].is_(*_CUES) and not _is_owner(tokens, first):
            continue
        found[first] = taken = end
    return found


@lru_cache(maxsize=64)
def _words_of(people: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(t.lower for t in read_tokens(one.replace("_", " "))) for one in people)


def _is_owner(tokens: Sequence[Token], at: int) -> bool:
    """Say whether "owner" or "performer" is somebody's name: "by the owner", "to the product owner"."""
    first = at
    while first and first > at - 3 and _is_part(tokens, first - 1):
        first -= 1
    before = next((t for t in reversed(tokens[:first]) if not t.has("det")), None)
    return before is not None and before.is_("by", "to") and tokens[at].is_("owner")


def _is_head(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word names somebody, and neither asks for one nor acts."""
    token = tokens[at]
    acts = (token.entry.form in ("ing", "ed") and token.lower not in roles()) or (
        token.has("verb") and at > 0 and tokens[at - 1].has("aux", "pron")
    )
    return is_actor_word(token) and not acts


def _is_part(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a word in front of one for people is part of it: "tech writer", "the call centre"."""
    token = tokens[at]
    if token.kind != "word" or token.possessive or not token.has("noun", "adj", "name"):
        return False
    if token.is_("owner", "assignee", "last", "first") or (
        token.among("people.no_part") and not (at and tokens[at - 1].has("det"))
    ):
        return False
    # "The handling team", and not "give packing people".
    is_apart = token.entry.form in ("ing", "ed") and not (at and tokens[at - 1].has("det"))
    return not is_apart and not token.has("det", "aux", "prep", "pron", "conj", "neg", "filler", "part")


def people_of(workflow: Workflow) -> list[str]:
    """Return everybody who does a step or hears of a late one."""
    return [who for step in workflow.steps for who in (step.assignee, step.escalate_to) if who]


def written(workflow: Workflow, tokens: Sequence[Token]) -> str:
    """Return words for somebody as an assignee is written: as one there is, else in small letters unless a title."""
    words = list(tokens)
    while words and words[-1].kind == "punct":
        words.pop()
    while len(words) > 1 and (words[0].has("det") or words[0].is_("only", "now")):
        words.pop(0)
    while len(words) > 1 and words[-1].is_(*_BEHIND):
        words.pop()
    said = _joined(words, [t.text for t in words])
    fewer = said.rpartition(" ")[0] if words[-1].is_("team", "department", "dept", "staff", "people", "guys") else said
    known = {_apart(one): one for one in people_of(workflow)}
    plain = _apart(said)
    titled = words[0].kind == "quoted" or all(t.text[:1].isupper() for t in words if t.kind != "punct")
    singular = " ".join((*(t.lower for t in words[:-1]), words[-1].entry.noun or words[-1].lower))
    found = known.get(plain) or known.get(_apart(singular)) or known.get(_apart(fewer))
    first = words[0].text if words[0].text.isupper() or not words[0].entry.known else words[0].text.lower()
    # "Someone from Legal" begins a sentence.
    return found or (said if titled else _joined(words, [first, *(t.text for t in words[1:])]))


def _joined(tokens: Sequence[Token], texts: Sequence[str]) -> str:
    """Return the texts of tokens with a blank where there was one: "Dr. Huber's boss", "R&D"."""
    said = ""
    for at, (token, text) in enumerate(zip(tokens, texts, strict=True)):
        close = at and token.start == tokens[at - 1].end
        own = "'s" if token.possessive and at + 1 < len(tokens) else ""
        said += f"{'' if close or not at else ' '}{text}{own}"
    return said


def _apart(name: str) -> str:
    """Return a name as all spellings of it are compared: "on_call_engineer", "On-call engineer"."""
    return name.casefold().replace("_", " ").replace("-", " ")
