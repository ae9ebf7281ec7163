"""The words by which people say which workflow they mean."""

import re
from collections.abc import Mapping
from typing import Literal

from workflow_agent.conversations.document import Relation
from workflow_agent.conversations.memory.words import GENERIC_NOUNS, SMALL_WORDS

Choice = Literal[
    "focus",
    "last",
    "first",
    "some_first",
    "some_last",
    "nth",
    "middle",
    "not_focus",
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

REJECTED = re.compile(r"^(?:no|nope|sorry|wait)?[,. ]*not (?:that|this|it)(?: one)?[,;: ]+(?=\w)", re.IGNORECASE)
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
POINTING = re.compile(r"\b(?:it|this|that|these|those|them|they)\b")
CAPITALS = re.compile(r"\b[A-Z]{2,6}\b")


_CREATED: frozenset[Relation] = frozenset({"created"})
_MODIFIED: frozenset[Relation] = frozenset({"modified"})
_SEEN: frozenset[Relation] = frozenset({"viewed", "analysed"})
_ANALYSED: frozenset[Relation] = frozenset({"analysed"})
_ANY: frozenset[Relation] = frozenset()
DONE: Mapping[str, frozenset[Relation]] = {
    r"did (?:i|we|you) (?:make|create|build|draft|design)|"
    r"created|made|built|drafted|designed|set up|wrote|written|generated|creations?": _CREATED,
    r"did (?:i|we|you) (?:change|edit|modify|update)|"
    r"changed|edited|modified|updated|fixed|renamed|tweaked|adjusted|amended|revised|extended|altered": _MODIFIED,
    r"did (?:i|we|you) (?:view|look at|open|see)|"
    r"viewed|looked at|opened|saw|seen|showed|shown|displayed|drew|drawn": _SEEN,
    r"analysed|analyzed|checked|reviewed|validated|audited|inspected|examined": _ANALYSED,
    r"deleted|removed|threw away|thrown away": frozenset({"deleted"}),
    r"discussed|talked about|spoke about|spoken about|mentioned|asked about|worked on|touched|used|had|"
    r"talking about|discussing|did|handled": _ANY,
}
NEGATION = r"(?:havent|hasnt|didnt|wasnt|isnt|not|never|not yet|yet to be)"
ORDINALS = {
    "1st": 1, "second": 2, "2nd": 2, "sec": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "fifth": 5, "5th": 5, "sixth": 6, "6th": 6,
}  # fmt: skip
COUNTS = {"one": 1, "1": 1, "two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_OF_THE_TWO = r" (?:one )?of (?:(?:the|these|those) )?(?:two|both|pair)(?: of them)?"
_OF_TWO = rf"(?:{_OF_THE_TWO}| (?:one )?of them)?"
_SEVERAL = "two|three|four|five|[2-5]"
CHOICES: Mapping[str, Choice] = {
    rf"former{_OF_TWO}": "former",
    rf"latter{_OF_TWO}": "latter",
    rf"older{_OF_TWO}|old{_OF_THE_TWO}": "older",
    rf"(?:newer|more recent|later|younger){_OF_TWO}|new{_OF_THE_TWO}": "newer",
    rf"first{_OF_THE_TWO}": "older",
    rf"(?:second|last){_OF_THE_TWO}": "newer",
    rf"others?{_OF_THE_TWO}": "other",
    r"(?:one |ones )?(?:right |just |directly )?before (?:that|it|this|the last)(?: one)?": "before",
    r"(?:the )?one (?:right |just )?before$|previous to (?:that|this)|second to last|second last|"
    r"last (?:one )?but one|next to last|penultimate|previous|preceding|prior": "before",
    r"(?:started|began|begun|start) (?:with|out with|off with)": "first",
    rf"(?:first|oldest|earliest) (?P<heads>{_SEVERAL})(?: ones)?": "some_first",
    rf"(?:last|latest|newest|(?:most )?recent|previous) (?P<tails>{_SEVERAL})(?: ones)?": "some_last",
    r"(?:the )?(?:one )?in the middle|(?:the )?middle(?: one)?": "middle",
    r"(?:not|isnt|wasnt|arent) (?:currently )?(?:open|opened|the (?:open|current))(?: one)?": "not_focus",
    r"all(?: (?:of )?(?:them|these|those|the))?(?: (?P<all>two|three|four|five|[2-5]))?|"
    r"(?:the )?(?P<every>three|four|five|[3-5])(?: of them)|every(?: one| single one)?|everything": "all",
    r"both(?: of)?(?: (?:them|these|those|the))?|"
    r"^(?:two|2)(?= (?:i|we|you|ones|from|with|that|of)\b)|(?:the|these|those|them) (?:two|2)\b(?: of them)?|"
    r"(?:the )?two of them|the pair": "both",
    r"(?:the )?others?|another|the remaining": "other",
    rf"(?P<nth>{'|'.join(ORDINALS)})|(?:number|no|nr|num) (?P<count>\d{{1,2}}|{'|'.join(COUNTS)})": "nth",
    r"old": "older",
    r"new": "newer",
    r"earlier|from before|beforehand|some time ago|(?:a )?while ago": "earlier",
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
    "analyze check draw compare rename call me mean meant think let lets ok okay yes no hmm well "
    "merge combine join link copy duplicate clone print export put"
)
_TALK = (
    "pls plz plss please thx thanks thank ty hey hi hello hm hmm hmmm uh um er ah oh so actually maybe "
    "perhaps sth something whatever whats its thats im ive id lets kindly quick quickly really exactly wanna "
    "want would like love remember recall pick choose load bring pull continue keep working display again "
    "once thing i he she they as well both sorry kind right place handles handling deals covers about bit "
    "little few called named ago while ever time same only more no nope wait too now you"
)
FILLERS = SMALL_WORDS | GENERIC_NOUNS | frozenset(f"{_COMMANDS} {_TALK}".split())
