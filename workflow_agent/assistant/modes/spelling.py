"""How words are written: contractions, shorthand, misspellings, and forms that no rule makes."""

from collections.abc import Mapping
from typing import Final

_SPELLINGS = """
    u=you, ur=your, pls=please, plz=please, plss=please, thx=thanks, tks=thanks, ty=thanks, wanna=want to,
    gonna=going to, gotta=have to, gimme=give me, w=with, lemme=let me, cannot=can not, cant=can not, dont=do not,
    doesnt=does not, didnt=did not, isnt=is not, arent=are not, wasnt=was not, wont=will not, shouldnt=should not,
    couldnt=could not, wouldnt=would not, havent=have not, hasnt=has not, whats=what is, wheres=where is,
    whos=who is, hows=how is, theres=there is, thats=that is, im=i am, ive=i have, lets=let us, youre=you are,
    won't=will not, can't=can not, ain't=is not, let's=let us, shan't=shall not, e.g=for example, sth=something,
    abt=about, b4=before, wud=would, cud=could, shud=should, wats=what is, wat=what, r=are, cuz=because,
    tmrw=tomorrow, aint=is not, em=them, dunno=do not know, whether=if, anymore=any more, 'em=them, untill=until,
    wich=which, recieve=receive, seperate=separate, analyze=analyse, summarize=summarise, optimize=optimise,
    organize=organise, visualize=visualise, parallelize=parallelise, reorganize=reorganise, digitize=digitise,
    standardize=standardise, analyzing=analysing, workflow's=workflow
"""
SPELLINGS: Final[Mapping[str, str]] = {
    word.strip(): meant.strip() for word, _, meant in (pair.partition("=") for pair in _SPELLINGS.split(","))
}
"""Contractions without a rule, shorthand and frequent misspellings, as they are read."""

SUFFIXES: Final[Mapping[str, str]] = {
    "n't": "not",
    "'d": "would",
    "'ll": "will",
    "'ve": "have",
    "'re": "are",
    "'m": "am",
}

_IS_AFTER = """
    what who where there it that how here when why he she which this everything something nothing anything one
    everyone
"""
IS_AFTER: Final = frozenset(_IS_AFTER.split())
"""Words after which `'s` is the verb; after any other it marks an owner."""

_PAST = """
    put/put set/set let/let make/made give/gave take/took get/got cut/cut split/split build/built write/wrote
    find/found see/saw tell/told stick/stuck throw/threw draw/drew have/had keep/kept send/sent run/ran
    bring/brought undo/undid rewrite/rewrote know/knew pay/paid buy/bought sell/sold do/did leave/left go/went
    dig/dug redo/redid spin/spun understand/understood come/came read/read choose/chose freeze/froze
"""
PAST: Final[Mapping[str, str]] = {verb: past for verb, _, past in (pair.partition("/") for pair in _PAST.split())}
"""Past forms that no rule makes."""

_DOUBLED = """
    cap chat ban plan drop skip strip trim map plug pin pop slot swap tag flip omit permit refer
    submit scan ship wrap cut scrap shop stop get put set let run spin dig split program cancel
"""
DOUBLED: Final = frozenset(_DOUBLED.split())
"""Verbs whose last letter is doubled before -ed and -ing."""
