"""Words of an answer that claim a change to a workflow, which only the record can bear out."""

import re
from collections.abc import Sequence

_DEEDS = frozenset({
    "added", "applied", "assigned", "changed", "connected", "copied", "created", "deleted", "duplicated",
    "imported", "inserted", "merged", "modified", "moved", "removed", "renamed", "replaced", "restored",
    "reverted", "saved", "split", "undid", "undone", "updated",
})  # fmt: skip
_BESIDE = frozenset({"now", "just", "also", "already", "successfully", "then", "both"})
_NOT_SAID = frozenset({
    # A wish or a doubt is no report,
    "unless", "whether", "would", "could",
    "should", "can", "may", "might", "will", "shall", "want", "like", "not", "never", "nothing", "no", "none",
    "nobody", "neither", "nor", "without", "don't", "didn't", "haven't", "hasn't", "can't", "cannot",
    # what was done earlier is borne out by earlier turns,
    "earlier", "previously", "ago", "yesterday", "last", "turn", "turns", "version", "versions", "history",
    "ever", "who", "whoever", "users", "people",
    # and these are parts of the answer itself.
    "summary", "list", "table", "draft", "example", "overview", "diagram", "note", "notes", "outline",
    "suggestion", "suggestions", "proposal", "explanation", "answer", "below", "preview",
})  # fmt: skip
_CONDITIONS = frozenset({"if", "when", "whenever", "once", "after", "before", "until"})
"""Before a deed they make it one that is not done yet."""
_ABOUT = frozenset({"by", "on", "at", "in", "from", "for", "since"})
"""After a bare participle they tell of a fact: "Created by Anna"."""
_CODE = re.compile(r"```[^`]*```|`[^`\n]*`")
_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»')
_SENTENCE = re.compile(r"[^.!?:;\n]+[.!?:;\n]?")
_WORD = re.compile(r"[a-z]+(?:['\u2019][a-z]+)?")
_MOST_CLAIMS = 5
_MOST_CHARS = 300


def claims_in(answer: str) -> tuple[str, ...]:
    """Return the sentences of an answer that say that something was changed just now, the first few.

    Quoted text and code are not the speaker's words; offers, conditions and what was done earlier are no
    claims. A word list, and no more: what it does not know it lets pass.
    """
    own = "\n".join(line for line in answer.split("\n") if not line.lstrip().startswith(">"))
    own = _QUOTED.sub(" … ", _CODE.sub(" … ", own))
    found = [sentence.strip() for sentence in _SENTENCE.findall(own) if _claims(sentence)]
    return tuple(one[:_MOST_CHARS] for one in found[:_MOST_CLAIMS])


def _claims(sentence: str) -> bool:
    words = [word.replace("\u2019", "'") for word in _WORD.findall(sentence.lower())]
    if sentence.rstrip().endswith("?") or not _NOT_SAID.isdisjoint(words):
        return False
    end = next((at for at, word in enumerate(words) if word in _CONDITIONS), len(words))
    return any(_is_claimed(words, at) for at, word in enumerate(words[:end]) if word in _DEEDS)


def _is_claimed(words: Sequence[str], at: int) -> bool:
    before = [word for word in words[max(at - 5, 0) : at] if word not in _BESIDE]
    if not before:
        # "Deleted." and "Added a review."
        return words[at + 1 : at + 2] == [] or words[at + 1] not in _ABOUT
    match before[-2:]:
        case [*_, "i" | "we" | "i've" | "we've"]:
            return True
        case ["i" | "we", "have"]:
            return True
        case ["has" | "have", "been"]:
            return True
        case _:
            return before == ["done"]
