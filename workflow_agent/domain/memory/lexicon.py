"""The words by which people say which workflow they mean."""

import re
from collections.abc import Mapping
from typing import Literal

from workflow_agent.domain.conversation import Relation
from workflow_agent.domain.memory.words import GENERIC_NOUNS, SMALL_WORDS

Choice = Literal[
    "focus",
    "last",
    "first",
    "nth",
    "before",
    "other",
    "both",
    "former",
    "latter",
    "group",
    "all",
    "older",
    "newer",
    "earlier",
]

REJECTED = re.compile(
    r"^(?:no|nope|sorry|wait)?[,. ]*not (?:that|this|it)(?: one)?[,;: ]+(?=\w)", re.IGNORECASE
)
"""Of "not that one, the other one" the second part says what is meant."""
OPENING = re.compile(r"^(?:(?:please|can you|could you) )*open (?=(?:the|my|our|that|this|it|up)\b)")
"""A command, not the open workflow."""
SENTENCE = re.compile(
    r"^(?:please |can |could |would |let|add|remove|delete|rename|insert|put|make|set|change|update|edit|"
    r"move|show|open|explain|analy[sz]e|check|draw|compare|validate|give|tell|undo|what|how|why|who|where|when|is|"
    r"are|does|do|i |we |go|after|before|in|use|copy|run)"
)
INNER = re.compile(
    r"\b((?:the|my|our|that|this) (?:(?!the |my |our |that |this )\w+ ){0,5}?"
    r"(?:workflow|process|flow|one|thing|pipeline)\b(?! (?:after|before)\b).*)$"
)
CAPITALS = re.compile(r"\b[A-Z]{2,6}\b")


_CREATED: frozenset[Relation] = frozenset({"created"})
_MODIFIED: frozenset[Relation] = frozenset({"modified"})
_SEEN: frozenset[Relation] = frozenset({"viewed", "analysed"})
_ANALYSED: frozenset[Relation] = frozenset({"analysed"})
_ANY: frozenset[Relation] = frozenset()
DONE: Mapping[str, frozenset[Relation]] = {
    r"created|made|built|drafted|designed|set up|wrote|written|generated|creations?": _CREATED,
    r"changed|edited|modified|updated|fixed|renamed|tweaked|adjusted|amended|revised|extended|altered":
        _MODIFIED,
    r"viewed|looked at|opened|saw|seen|showed|shown|displayed|drew|drawn": _SEEN,
    r"analysed|analyzed|checked|reviewed|validated|audited|inspected|examined": _ANALYSED,
    r"deleted|removed|threw away|thrown away": frozenset({"deleted"}),
    r"discussed|talked about|spoke about|spoken about|mentioned|asked about|worked on|touched|used|had|"
    r"talking about|discussing|did|handled": _ANY,
}  # fmt: skip
NEGATION = r"(?:havent|hasnt|didnt|wasnt|isnt|not|never|not yet|yet to be)"
ORDINALS = {
    "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "sixth": 6,
    "6th": 6,
}  # fmt: skip
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
CHOICES: Mapping[str, Choice] = {
    r"(?:one |ones )?(?:right |just |directly )?before (?:that|it|this|the last)(?: one)?": "before",
    r"(?:the )?one (?:right |just )?before$|previous to (?:that|this)|second to last|second last|"
    r"last but one|next to last|penultimate|previous|preceding|prior": "before",
    r"(?:started|began|begun|start) (?:with|out with|off with)": "first",
    r"all(?: (?:of )?(?:them|these|those|the))?(?: (?P<all>two|three|four|five|[2-5]))?|"
    r"(?:the )?(?P<every>three|four|five|[3-5])(?: of them)|every(?: one| single one)?|everything": "all",
    r"both(?: of)?(?: (?:them|these|those))?|(?:the|these|those|them) (?:two|2)\b(?: of them)?|"
    r"(?:the )?two of them|the pair": "both",
    r"former": "former",
    r"latter": "latter",
    r"(?:the )?others?|another|the remaining": "other",
    rf"(?P<nth>{'|'.join(ORDINALS)})|(?:number|no|nr) (?P<count>\d{{1,2}}|two|three|four|five)": "nth",
    r"old(?:er)?": "older",
    r"new(?:er)?": "newer",
    r"earlier|some time ago|(?:a )?while ago": "earlier",
    r"(?:very )?first|oldest|earliest|initial|original": "first",
    r"(?:very )?(?:last|latest|newest)|most recent(?:ly)?|just now|just|newly|recently|a (?:moment|second|"
    r"minute) ago": "last",
    r"currently|current|open|opened now|in front of (?:me|us)|(?:am|are|were|im|was) (?:working on|editing)|"
    r"at hand": "focus",
    r"^(?:them|they|these|those)$|^(?:these|those) (?:ones|workflows|processes|flows|things)$": "group",
}
"""Which of several, tried in this order on what the earlier ones left."""
BEYOND = re.compile(r"\b(?:after|before|like|without|not|except|than|instead|similar|next)\b")
_COMMANDS = (
    "show open get find give go look see return switch change edit use take want need tell explain analyse "
    "analyze check draw compare rename call me mean meant think let lets ok okay yes no hmm well"
)
FILLERS = (
    SMALL_WORDS
    | GENERIC_NOUNS
    | set(_COMMANDS.split())
    | {
        "called",
        "named",
        "ago",
        "while",
        "ever",
        "time",
        "same",
        "only",
        "more",
        "once",
        "no",
        "nope",
        "sorry",
        "wait",
        "too",
        "now",
        "you",
    }
)
