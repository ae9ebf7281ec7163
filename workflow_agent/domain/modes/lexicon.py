"""The verbs and small words that mode inference knows, by what they do in a sentence.

An UPPER-CASE name is a class of words. `phrases/` combines the classes into phrases; `vocabulary.py` adds the
inflected forms.
"""

from collections.abc import Mapping
from typing import Final

VERBS: Final[Mapping[str, str]] = {
    "CHANGE": """
        add adjust adapt allow alter amend append apply assign attach block bump cache cancel cap change chuck
        combine connect consolidate correct cut decrease delegate delete detach disable disconnect discard ditch
        double drop edit eliminate enable erase exclude expand extend fix flip forbid halve increase include insert
        invert kill lengthen limit link loosen lower mark merge mend modify move nuke omit optimise parallelise permit
        pin plug pop postpone prepend prevent raise reassign rearrange reconnect redirect reduce refactor relabel
        relax remove rename reorder reorganise repair replace require reroute reset restore restrict retitle retry
        revert reverse rewire rework rewrite rollback route scrap separate shift shorten shove simplify skip slot
        split squeeze stick streamline strip substitute swap switch tag throw tidy tighten transfer trim tweak
        undo unify unlink untag update wrap cc reinstate redo rephrase reword escalate notify insist reintroduce
        unassign exchange modernise personalise""",
    "ADJUST": "put set let make have give use run keep call send turn take get start stop hand hook bring push pull do"
    " improve clean leave ask go",
    "CREATE": """
        create build design draft sketch generate compose craft automate formalise formalize model scaffold construct
        develop devise invent establish bootstrap produce prototype assemble prepare define write document capture
        clone duplicate copy convert transcribe digitise codify conjure cook whip plan structure propose
        spin organise implement standardise program""",
    "FIND": """
        find search list show display open locate browse fetch retrieve filter view see lookup look pull bring dig
        load access visit enumerate surface hunt remember""",
    "STUDY": """
        explain describe analyse compare validate verify check summarise review inspect audit diagnose evaluate assess
        estimate simulate trace examine understand investigate count calculate critique interpret clarify recap spot
        detect identify measure predict draw visualise diagram render lint proofread tell walk talk know study judge
        rate contrast quantify elaborate highlight determine learn pinpoint justify outline assume suppose imagine
        pretend""",
    "TRADE": """
        approve reject submit assign reassign escalate notify sign review deploy onboard reimburse invoice trigger
        remind delegate reopen archive publish merge ship""",
    "ACT": """
        approve reject submit send pay sign notify receive confirm upload log assess decide forward escalate assign
        register record request file book issue ship pack deliver collect inspect prepare raise answer reply respond
        return refund transfer verify check review validate process complete close open start finish fill enter
        print archive publish deploy compile test run build merge trigger post email mail call remind invite schedule
        negotiate draft accept decline counter hand get go come ask tell take give make need read write update create
        scan match compare score pick choose order buy sell triage reproduce fix grant revoke disable enable
        contact inform move wait expire investigate examine measure load ingest transform pull retry suspend
        resolve reopen arrive leave order replace interview hire onboard train calculate inspect clean release clear
        acknowledge page alert announce freeze import export tour exchange land apply code compensate look repair""",
}
"""Base forms; the other forms of a verb are made from them."""

WORDS: Final[Mapping[str, str]] = {
    "DEF": "the this that these those our my their its his her each every all both whole your",
    "IT": "it this that them these those him her",
    "INDEF": "a an another new some one",
    "BE": "is are was were be been being am",
    "MODAL": "can could would will should must might may shall",
    "DEONTIC": "should must ought",
    "DOES": "does do did",
    "HAS": "has have had",
    "SOMEONE": "someone somebody anyone anybody nobody anything something everything nothing everyone everybody",
    "ME": "me us",
    "WE": "we i",
    "NUM": "0 1 2 3 4 5 6 7 8 9 one two three four five six seven eight nine ten twice thrice",
    "ORD": "first second third fourth fifth last final next previous 1st 2nd 3rd 4th 5th",
    "WH": "what why how which who whose where when whom",
    "NOT": "not never without no",
    "ANCHOR": "before after between until unless ahead",
    "SEQ": "then afterwards finally otherwise next once whenever when if upon first until thereafter lastly",
    "GREET": "hi hello hey howdy hiya morning evening afternoon greetings yo hallo hola welcome",
    "THANKS": "thanks thank cheers ta thankyou merci danke gracias appreciated",
    "BYE": "bye goodbye ciao farewell cya",
    "YES": "yes yeah yep yup ok okay sure right alright fine correct exactly indeed agreed absolutely definitely aye"
    " confirmed k kk",
    "NO": "no nope nah",
    "PRAISE": "great good perfect cool nice wow awesome brilliant excellent lovely amazing fantastic neat super wonderful"
    " sweet lol haha beautiful impressive sorry oops ugh",
    "PAD": "please just now so and but then also or actually maybe perhaps kindly well quickly simply again oh um wait hmm hm ah"
    " btw additionally plus finally alternatively instead too still first next therefore afterwards either way to"
    " hereby anyway rather though only meanwhile afterward",
    "TOO": "too instead also again",
}
