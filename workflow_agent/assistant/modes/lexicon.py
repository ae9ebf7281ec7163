"""The verbs and small words that mode inference knows, by what they do in a sentence.

An UPPER-CASE name is a class of words. `phrases.tsv` combines the classes into phrases; `vocabulary.py` adds the
inflected forms.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from workflow_agent.assistant.modes.spelling import DOUBLED, PAST

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

NOUNS: Final[Mapping[str, str]] = {
    "FLOW": """
        automation blueprint checklist flow lifecycle pathway pipeline pipline playbook proccess procedure
        proces process protocol runbook sop statemachine subprocess subworkflow template wf wokflow worflow
        workflow workflw workfow""",
    "PART": """
        alias approver arrow assignee attempt backoff branch condition deadline decision description diagram
        diamond edge escalation fallback field fork gate gateway handoff handover loop milestone node
        notification outcome path permission placeholder recipient rejection reminder retry reviewer sla
        stage step subtask tag task threshold timeout transition trigger""",
    "TOPIC": """
        access account accountant accounting adjuster admin administrator admission advisor agency agent
        alarm alert analyst appeal applicant application apprentice approval architect archive area artefact
        article artifact artist assistant associate association attachment attorney audience audit auditor
        author award backlog backup badge bank batch bike bill board boat booking boss branch brand brewer
        brief broker bucket budget build building bus buyer cab cache camera campaign canary cancellation
        candidate captain card care carer caretaker cargo carrier carton case cash cashier caterer catering
        ceo certificate cfo chair chairman charity check chef claim clerk client clinic club cluster coach
        code colleague collection commit committee community company compensation competitor complaint
        compliance component condition conference confirmation consent consultant contact container content
        contract contractor controller council counsel coupon courier course court cover crash crate
        credential credit crew cron customer customs damage dashboard data database dataset date deal dealer
        dean defect delay delegate delivery department deployment deploys deposit designer desk developer
        device devops diagnosis director discharge discount dispatcher dispute distributor district doctor
        document domain donation donor draft driver drug editor education email employee employer endpoint
        engineer enquiry enrollment enrolment equipment error escalation estimate event evidence exam
        examiner exception exit expense experiment expert export exporter facility factory family farm
        farmer fee feedback field file filing finance fine fire firewall firm fleet food form forwarder
        fraud freelancer funding furniture garage github goods grade grant guardian guest guide handbook
        handover head headcount helpdesk helper hire hiring hospital host hotel house hr hub identity image
        impact import inbox incident incidents inquiry inspection inspector insurance insurer intake intern
        interview inventory investigation investor invitation invoice it item jira job joiner judge junior
        jury key kitchen kyc lab laboratory landlord laptop lawsuit lawyer lead leader leaflet leave leaver
        ledger legal lender letter librarian library licence license lint load loan location log lot machine
        magazine mail mailbox maintainer maintenance manager map market marketing master material mayor meal
        measure mechanic media medication meeting member membership menu merchant merge merger metric mill
        minister mobile model monitor mortgage museum neighbour newcomer newsletter notary note notebook
        notice nurse nursery occupant offboarding offer officer official onboarding operation operator ops
        order organiser outage outlet owner package packer panel paper paperwork parcel parent parking part
        partner passenger patch patent pathologist patient payee payer payment payroll penalty pension
        people permit person pharmacist pharmacy physician pick picker pickup pilot plant plumber police
        policy porter portfolio position post postcode poster practice premium prescription price principal
        print printer prison prisoner procure procurement product production professor programme project
        promotion proof property proposal prospect protocol provider publish publisher publishing pump pupil
        purchase qa quality quantity query questionnaire queue quote rack rating reader recall receipt
        receiver reception receptionist record recruiter recruitment referee reference referral refund
        region registrar registration regulator reimbursement rejection release reminder renewal rental
        repair replacement reply report representative request requester requirement research researcher
        reservation resident resignation resource restaurant result resume return review reviewer reward
        ring robot role rollback rollout room rota route rule safety salary sale sales salesforce sample
        sanction satellite scan scanner schedule schema school score scout screen script season seat
        secretariat secretary secrets section security seller seminar senior server service sheet shift ship
        shipment shipper shop shopper showroom signature signing signoff signup site skipper slack slot sms
        software solicitor spare speaker specialist sponsor spreadsheet sprint staff stage staging
        stakeholder stall starter state statement station stock storage store stripe student studio
        subcontractor submission subscriber subscription substitute summary superintendent supervisor
        supplier supply support surgeon surgery survey surveyor system table tag talent target tariff task
        tax taxi teacher team technician tenant tender test tester tests theatre therapist threshold ticket
        ticketing till timesheet title tool tour toy trade trader trainee trainer training transaction
        translation translator transport traveller treasurer treatment triage trial trip trolley truck
        trustee tutor unit university upload user vacancy van vehicle vendor venue vet veterinarian victim
        video visa visit visitor volunteer vote voter voucher wait waiter ward warehouse warranty waste
        webhook webinar website wholesaler witness worker workshop writer yard""",
    "FLAW": """
        ambiguity bottleneck bug concern deadend deadlock duplicate error failure fault flaw gap hole
        inconsistency inefficiency issue loophole mistake orphan pitfall problem redundancy risk spof
        vulnerability weakness weakspot""",
    "META": """
        ai assistant bot browser chat chatbot chatgpt claude compaction conversation emoji english feature
        french german gpt language llm mode pdf pricing privacy prompt robot screenshot session shortcut
        spanish tip token transcript tutorial upgrade voice""",
    "OFFTOPIC": """
        actor africa alarm algebra alphabet amazon america anecdote animal article asia athlete baby bake
        banana basketball beach beer berlin bird birthday bitcoin blood bone boyfriend brain bread breakfast
        brother cake capital carpet castle cat celebrity celsius championship cheese chemistry china
        chocolate coffee comet continent cook cookie cooking couch cow crypto cup dad dance desert desktop
        diet dinner dinosaur dog dollar dragon dream dress economy egg einstein election elephant emperor
        episode essay euro europe fahrenheit fairy father fever film fish flower flu foot football france
        fridge friend fun galaxy garden germany ghost girlfriend goal god google grammar grandma grass
        guitar gym haiku hamlet hate headache heart history hobby homework horoscope horse hulu husband inch
        india inventor island italy jacket japan jazz joke jupiter kid kilometre king lake landlord lasagne
        leaf league lightbulb lights limerick lion london lottery love lunch magic marathon mars mile milk
        minecraft mom moon mother mountain movie movies mozart mum muscle music netflix news novel ocean
        olympic olympics oven painter pancake paris pasta percent philosopher philosophy photo physics piano
        picture pizza planet plant player playlist poem poet politics pop pope population pound president
        prince pyramid queen rain recipe religion restaurant rhyme rice riddle river rock rome sandwich
        series shakespeare shark shirt shoe shopping show singer sink sister skiing skin sky sleep snow
        soccer song spain spider star stock sun tea temperature tennis tiger timer tire tooth tree trivia tv
        tyre uncle unicorn universe vitamin wallpaper war weather website whale wife wifi wikipedia wine
        workout yoga youtube""",
    "SPAN": """
        day hour minute month night quarter second week weekday year""",
}
"""Singular forms: the workflow itself, its parts, what flows are about, what can be wrong with one, the
assistant and its surroundings, the world outside, and spans of time."""

REQUESTABLE: Final = ("CHANGE", "ADJUST", "CREATE", "FIND", "STUDY")
"""The verb classes a person can ask the assistant to do."""


def plural(word: str) -> str:
    """Return a noun's plural or a verb's third person."""
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def verb_forms(verb: str) -> tuple[str, str, str]:
    """Return a verb's third person, past and -ing form."""
    stem = past = verb + verb[-1] if verb in DOUBLED else verb
    if verb.endswith("e"):
        stem, past = verb if verb.endswith("ee") else verb[:-1], verb[:-1]
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        past = verb[:-1] + "i"
    return plural(verb), PAST.get(verb, past + "ed"), stem + "ing"


def _classified() -> Iterator[tuple[str, str]]:
    for verb_class, verbs in VERBS.items():
        for verb in verbs.split():
            third, past, ing = verb_forms(verb)
            yield verb, verb_class
            yield third, f"{verb_class}_S"
            yield past, f"{verb_class}_ED"
            yield ing, f"{verb_class}_ING"
    for noun_class, nouns in NOUNS.items():
        for noun in nouns.split():
            yield noun, noun_class
            yield plural(noun), noun_class
            yield plural(noun), f"{noun_class}S"
    for word_class, words in WORDS.items():
        for word in words.split():
            yield word, word_class


def _vocabulary() -> Mapping[str, frozenset[str]]:
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for word, word_class in _classified():
        classes[word] |= {word, word_class}
    return MappingProxyType({word: frozenset(found) for word, found in classes.items()})


VOCABULARY: Final = _vocabulary()
"""Known word form -> the word and its classes."""


def classes_of(word: str) -> frozenset[str]:
    """Return a word and its classes; a number or a workflow id has one, an unknown word only itself."""
    known = VOCABULARY.get(word)
    if known is not None:
        return known
    if word.startswith("wf_"):
        return frozenset((word, "FLOW", "NAMED"))
    return frozenset((word, "NUM")) if word[0].isdigit() else frozenset((word, "OTHER"))
