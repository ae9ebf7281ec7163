"""The words that join clauses, and what each says about the order of things."""

from collections.abc import Sequence
from typing import Final, Literal

from workflow_agent.agent.offline.drafting.words import word_set

Link = Literal[
    "plain", "then", "if", "unless", "else", "until", "when", "after", "before", "while", "together",
    "meanwhile",
    "anyway", "filler",
]  # fmt: skip

_PHRASES: Final[dict[Link, str]] = {
    "then": """then | in which case | and then | after that | after this | after which | afterwards
        | afterward | next
        | later | later on | subsequently | finally | and finally | lastly | last
        | last but not least | at the end | in the end | eventually | thereafter | from there
        | following that | following this | once done | when done | once that is done
        | when that is done | when this is done | once this is done | when it is done
        | once it is done | when finished | once finished | as a next step | the next step is
        | the last step is | the first step is | the second step is | the third step is
        | the final step is | next step is | last step is | first step is | final step is | first
        | firstly | first of all | to begin with | to start with | second | secondly | third
        | thirdly | fourth | when both are done | once both are done | when both have finished
        | when all is done | when everything is done | once everything is done | when all are done
        | once all are done | once both are finished | when both are finished | when both are ready
        | once both have finished | when all of that is done | once all of that is done | after both
        | after all that | as soon as that is done | as soon as both are done
        | when both are complete | once both are complete | once complete | when complete
        | once completed | when completed | in a second step | in the next step | in the last step
        | in a last step | as a last step | followed by | leading to | →""",
    "if": """if | and if | but if | or if | only if | in case | in case of | in the event of
        | in the event that | provided | provided that | as long as | in the case of
        | in the case that | should it be the case that | what if | even if | whereas if | where""",
    "unless": "unless|except if|except when",
    "else": """otherwise | or otherwise | and otherwise | else | or else | if not | or if not | and if not
        | but if not | if no | when not | if it is not | if they are not | if this is not the case
        | if that is not the case | in any other case | in all other cases | in other cases
        | in the other case | for everything else | for anything else | if it does not
        | if they do not | if he does not | if she does not | if neither | other wise | if not so
        | if otherwise | failing which | failing that | failing this""",
    "until": "until|till|up until|as often as needed until",
    "when": "when|whenever|every time|every time that|each time|each time that|any time|anytime"
    "|as soon as|once"
    "|upon|on receipt of",
    "after": "after|following",
    "before": "before|prior to",
    "while": "while|whilst|whereas|parallel to that|in parallel with this",
    "together": """at the same time | in parallel | simultaneously | concurrently | parallel | side by side
        | parallelly | at same time | in the same time | on the same time | in parallel to that
        | both at once""",
    "meanwhile": "meanwhile|in the meantime|meantime|in the mean time|in parallel to this"
    "|at the same moment|alongside",
    "anyway": """either way | in any case | in both cases | in either case | in all cases | regardless
        | whatever the outcome | whatever happens | no matter what | regardless of the outcome
        | independently of that | anyway""",
    "filler": """please | basically | actually | you know | i think | i guess | kind of | sort of | of course
        | as usual | well | ok | okay | um | uh | obviously | normally | usually | typically
        | generally | in general | hopefully | what happens is that | what happens is
        | it works like this | thanks | thank you | so | hi | hello | hey | simply | just
        | let us say | say | you see | i mean | in our company | at our company | in our case
        | as you know | to be honest | for example | for instance | eg | ie | as always | of it all
        | ideally | what i would like is that | what i would like is | what i would like
        | what we would like | what i want is
        | what we want is | what we need is | what i need is | it goes like this
        | the way it works is | the way it works is that
        | it is important that | i suppose | and so on | etc | as i said | the idea is that
        | the idea is | right | now | here | from now on | as follows""",
}  # fmt: skip

_TABLE: Final[dict[tuple[str, ...], Link]] = {
    tuple(phrase.split()): link
    for link, phrases in _PHRASES.items()
    for phrase in (" ".join(part.split()) for part in phrases.split("|"))
}
_LONGEST: Final = max(len(phrase) for phrase in _TABLE)
_FIRST_WORDS: Final = frozenset(phrase[0] for phrase in _TABLE)

ONLY_AT_A_START: Final = word_set(
    "next later last first firstly second secondly third thirdly fourth say here now right so well ok "
    "okay parallel "
    "following provided like hi hello hey regardless where alongside just just simply else finally else"
)
"""Connectives that are ordinary words in the middle of a clause: `the last page`, `first draft`."""

WHETHER_VERBS: Final = word_set(
    "check decide see verify determine ask evaluate know test confirm assess find look tell inspect judge"
)
"""After these, `if` means `whether`: "checks if the amount is right"."""


def connectives_at(words: Sequence[str], at: int) -> list[tuple[Link, int]]:
    """Return the links that may begin at a position, longest first, each with the position after it."""
    if words[at] not in _FIRST_WORDS:
        return []
    sizes = range(min(_LONGEST, len(words) - at), 0, -1)
    return [
        (link, at + size) for size in sizes if (link := _TABLE.get(tuple(words[at : at + size]))) is not None
    ]
