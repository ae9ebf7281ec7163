"""The words that mode inference knows, by what they do in a sentence.

An UPPER-CASE name is a class of words. `signals.py` combines the classes into phrases; `vocabulary.py` adds the
inflected forms. Only how people talk about workflows belongs here, no trade's own terms beyond the common ones.
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
        clone duplicate copy convert transcribe digitise codify conjure cook whip plan structure propose invent
        spin organise describe_as implement standardise program""",
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

_BUSINESS = """
    accountant account adjuster admin administrator advisor agency agent analyst apprentice architect archive area
    artist assistant associate association attachment attorney audience award badge bank batch bike bill board boat
    boss branch brand brewer brief broker building bus buyer cab camera campaign candidate captain card care carer
    caretaker cargo carrier carton case cash cashier caterer catering certificate chair chairman charity chef clinic
    club coach code colleague collection committee community company competitor component compensation condition
    conference confirmation consent consultant container contact contractor controller council coupon courier course
    court cover crate credit crew customs damage date dealer dean defect delegate delivery deposit desk designer
    device diagnosis discount dispatcher distributor district donor draft driver drug editor education employer
    enquiry equipment estimate event evidence exam examiner exception exit expert exporter facility factory family
    farm farmer fee feedback field file filing fine fire firm fleet food forwarder freelancer funding furniture
    garage goods grade grant guardian guest guide handbook head headcount helper host hospital hotel house hub
    identity impact import incidents inbox inquiry inspection insurance insurer investigation investor invitation item
    job judge junior jury key kitchen lab laboratory landlord laptop lawsuit leader leaflet ledger lender letter
    librarian library load location lot machine magazine mail mailbox maintainer map market master material
    mayor meal measure mechanic media medication meeting member menu merchant merger metric mill minister mobile
    monitor mortgage museum neighbour notary note notice nursery occupant offer officer official operation operator
    organiser outlet owner package packer panel paper paperwork parcel parent parking part partner passenger patch
    patent pathologist payee payer penalty pension people permit person pharmacist pharmacy physician pick picker
    pickup pilot plant plumber police porter portfolio position post postcode poster practice premium price principal
    print printer prison prisoner product production professor programme project promotion proof property prospect
    protocol provider publisher pump pupil qa quantity query questionnaire queue rack rating reader reception
    receptionist receiver record recruiter referee reference region registrar regulator rejection rental repair
    replacement reply representative requirement research researcher resident resignation resource restaurant result
    resume reviewer reward ring robot room rota route safety salary sale sample sanction satellite scan scanner school
    score scout screen script season secretary section seat secretariat seminar senior server service ship
    shop shopper showroom shipper site skipper slot software solicitor spare specialist speaker sponsor staff stage
    stall station statement storage store student studio subcontractor subscriber substitute summary superintendent
    supply surgeon surgery survey surveyor system table talent target tariff task tax taxi teacher technician tenant
    tender test tester theatre therapist threshold ticket till timesheet title tool tour toy trader trade trainee
    trainer training transaction transport traveller treasurer treatment trial trip trolley truck trustee tutor unit
    university upload user vacancy van vehicle vendor venue vet veterinarian victim video visa visit volunteer
    vote voter voucher waiter ward warehouse warranty waste webinar website wholesaler witness worker workshop writer
    yard loan deal tag backlog sprint commit cluster database schema artifact artefact image branch merge tests
    incident alarm outage error crash log dashboard deploys rollout canary secrets credential certificate domain
    firewall endpoint queue cache bucket model dataset experiment notebook spreadsheet sheet
"""

NOUNS: Final[Mapping[str, str]] = {
    "FLOW": """
        workflow flow process procedure pipeline lifecycle automation playbook runbook sop checklist statemachine
        pathway subworkflow blueprint wf subprocess template protocol proces worflow wokflow workfow workflw pipline
        proccess""",
    "PART": """
        step stage task transition arrow branch gateway condition trigger deadline timeout retry assignee approver
        reviewer reminder notification node edge path loop fork field permission alias tag escalation handoff gate
        rejection decision threshold recipient diamond fallback placeholder diagram description attempt backoff
        outcome subtask milestone sla handover""",
    "TOPIC": """
        approval review check signature onboarding offboarding intake hiring recruitment invoice expense claim purchase
        procurement order vendor supplier contract refund payment payroll incident ticket release deployment build
        customer client employee manager finance legal hr compliance audit request leave reimbursement complaint
        return shipment delivery warehouse patient referral candidate interview offer budget report security access
        support qa policy application signoff state form owner rule role webhook cron schedule delay wait email sms
        slack jira github stripe salesforce cfo ceo supervisor director clerk accountant accounting auditor inspector
        team department intern lead lawyer counsel escalation triage staging production canary rollback test lint
        maintenance registration enrolment enrollment appeal renewal subscription dispute recall reminder document
        backup alert outage ticketing helpdesk sales marketing leaver joiner newcomer starter hire submission draft
        inspection quote proposal lead quality nurse doctor teacher trustee board permit licence license fraud kyc
        buyer seller requester applicant author editor maintainer engineer developer ops devops admin it stakeholder
        shift handover timesheet receipt mortgage loan grant admission discharge prescription stock inventory
        return booking reservation cancellation membership visitor badge volunteer donation procure signing
        sign-up signup newsletter publish publishing article content translation translator data import export
        """
    + _BUSINESS,
    "FLAW": """
        bottleneck mistake problem issue error flaw gap weakness risk hole deadlock deadend redundancy duplicate
        inconsistency loophole weakspot bug vulnerability inefficiency concern ambiguity orphan fault pitfall failure spof""",
    "META": """
        chat conversation session mode token prompt assistant bot ai llm gpt chatgpt claude emoji privacy feature
        tutorial pricing upgrade shortcut voice browser pdf screenshot language english german french spanish
        chatbot robot transcript compaction tip""",
    "OFFTOPIC": """
        weather joke poem song music movie film recipe dinner lunch pizza football soccer stock bitcoin crypto
        president capital planet moon sky dog cat horoscope birthday playlist news photo picture restaurant
        landlord haiku riddle trivia guitar breakfast coffee tea beer girlfriend boyfriend wife husband actor singer
        celebrity novel essay homework algebra lottery temperature rain snow universe dinosaur war olympics
        championship skiing basketball tennis marathon olympic athlete player league cup goal team-mate lasagne rice pasta bread
        cheese chocolate wine cake pancake egg banana cookie cooking cook bake sun mars jupiter galaxy star comet mountain
        river ocean lake desert island continent europe asia africa america france germany italy spain india china japan
        paris rome london berlin king queen pope prince emperor castle pyramid einstein shakespeare hamlet mozart
        painter poet philosopher inventor spider elephant lion tiger horse cow fish shark tree flower leaf grass bone
        heart blood brain muscle skin tooth headache flu fever vitamin sleep dream love hate friend mother father mum
        mom dad brother sister grandma uncle kid fun hobby guitar piano jazz pop rock dance alphabet grammar rhyme
        limerick anecdote fairy dragon unicorn ghost magic minecraft netflix hulu series episode show tire tyre shirt
        shoe dress jacket carpet couch sink fridge oven lightbulb lights alarm timer wallpaper desktop milk shopping
        kilometre mile inch foot pound dollar euro celsius fahrenheit percent population language-learning tv wifi beach sandwich website google wikipedia amazon hulu youtube netflix article movies garden plant animal whale bird baby diet workout gym yoga
        religion god history physics chemistry philosophy economy election politics""",
    "SPAN": "second minute hour day week month quarter year weekday night",
}

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

SPELLINGS: Final[Mapping[str, str]] = {
    "u": "you",
    "ur": "your",
    "pls": "please",
    "plz": "please",
    "plss": "please",
    "thx": "thanks",
    "tks": "thanks",
    "ty": "thanks",
    "wanna": "want to",
    "gonna": "going to",
    "gotta": "have to",
    "gimme": "give me",
    "w": "with",
    "lemme": "let me",
    "cannot": "can not",
    "cant": "can not",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "wont": "will not",
    "shouldnt": "should not",
    "couldnt": "could not",
    "wouldnt": "would not",
    "havent": "have not",
    "hasnt": "has not",
    "whats": "what is",
    "wheres": "where is",
    "whos": "who is",
    "hows": "how is",
    "theres": "there is",
    "thats": "that is",
    "im": "i am",
    "ive": "i have",
    "lets": "let us",
    "youre": "you are",
    "won't": "will not",
    "can't": "can not",
    "ain't": "is not",
    "let's": "let us",
    "shan't": "shall not",
    "e.g": "for example",
    "sth": "something",
    "abt": "about",
    "b4": "before",
    "wud": "would",
    "cud": "could",
    "shud": "should",
    "wats": "what is",
    "wat": "what",
    "r": "are",
    "cuz": "because",
    "tmrw": "tomorrow",
    "aint": "is not",
    "em": "them",
    "dunno": "do not know",
    "whether": "if",
    "anymore": "any more",
    "'em": "them",
    "untill": "until",
    "wich": "which",
    "recieve": "receive",
    "seperate": "separate",
    "analyze": "analyse",
    "summarize": "summarise",
    "optimize": "optimise",
    "organize": "organise",
    "visualize": "visualise",
    "parallelize": "parallelise",
    "reorganize": "reorganise",
    "digitize": "digitise",
    "standardize": "standardise",
    "analyzing": "analysing",
    "workflow's": "workflow",
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

IS_AFTER: Final = frozenset(
    [
        "what",
        "who",
        "where",
        "there",
        "it",
        "that",
        "how",
        "here",
        "when",
        "why",
        "he",
        "she",
        "which",
        "this",
        "everything",
        "something",
        "nothing",
        "anything",
        "one",
        "everyone",
    ]
)
"""Words after which `'s` is the verb; after any other it marks an owner."""

IRREGULAR: Final[Mapping[str, tuple[str, str]]] = {
    "put": ("put", "putting"),
    "set": ("set", "setting"),
    "let": ("let", "letting"),
    "make": ("made", "making"),
    "give": ("gave", "giving"),
    "take": ("took", "taking"),
    "get": ("got", "getting"),
    "cut": ("cut", "cutting"),
    "split": ("split", "splitting"),
    "build": ("built", "building"),
    "write": ("wrote", "writing"),
    "find": ("found", "finding"),
    "show": ("showed", "showing"),
    "see": ("saw", "seeing"),
    "tell": ("told", "telling"),
    "stick": ("stuck", "sticking"),
    "throw": ("threw", "throwing"),
    "draw": ("drew", "drawing"),
    "have": ("had", "having"),
    "keep": ("kept", "keeping"),
    "send": ("sent", "sending"),
    "run": ("ran", "running"),
    "bring": ("brought", "bringing"),
    "undo": ("undid", "undoing"),
    "rewrite": ("rewrote", "rewriting"),
    "know": ("knew", "knowing"),
    "pay": ("paid", "paying"),
    "buy": ("bought", "buying"),
    "sell": ("sold", "selling"),
    "do": ("did", "doing"),
    "leave": ("left", "leaving"),
    "go": ("went", "going"),
    "dig": ("dug", "digging"),
    "redo": ("redid", "redoing"),
    "spin": ("spun", "spinning"),
    "understand": ("understood", "understanding"),
    "come": ("came", "coming"),
    "read": ("read", "reading"),
    "choose": ("chose", "choosing"),
    "freeze": ("froze", "freezing"),
}
"""Past and -ing form of the verbs that no rule inflects."""
