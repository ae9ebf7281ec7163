"""What a verb means to a process: who does it, whether it judges, and how its forms are spelled."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from workflow_agent.agent.offline.drafting.words import word_set

VerbKind = Literal["human", "action", "event", "control"]
Form = Literal["base", "s", "past", "participle", "ing"]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb by its base form."""

    base: str
    kind: VerbKind
    """Who does it when nobody is named: a person, a system; `event` happens, `control` steers."""
    verdict: Literal["approved", "rejected", ""] = ""
    judges: bool = False
    """Its result is an opinion that later sentences may ask for."""
    starts: bool = False
    """Done by a person, it begins a process and is a step of it: submit, request, apply."""


_APPROVES = "approve accept confirm grant agree authorise authorize endorse okay greenlight"
_REJECTS = "reject decline deny refuse disapprove veto dismiss"
_JUDGES = """
    disagree
    review check inspect verify assess evaluate examine audit validate test triage classify diagnose
    screen vet judge compare analyse analyze proofread moderate investigate double-check decide
    determine grade say score rate taste appraise recheck re-check cross-check qualify
    """
_STARTS = "submit request apply fill file propose report suggest ask hand raise lodge complete enter nominate"
_HUMAN = """
    sign countersign co-sign write draft edit revise correct rework fix prepare interview meet discuss
    negotiate phone visit choose select assign estimate plan design research collect gather pick pack
    unpack install repair replace clean measure bake cook train present explain teach hire order buy
    purchase register answer reply respond upload attach scan hand give bring take draw sketch paint
    count weigh label sort assemble mount polish wash sterilise sterilize feed examine interview onboard
    welcome introduce shortlist rank invite vote counter initial stamp translate illustrate perform
    handle resolve work treat operate admit discharge prescribe sell lend borrow look see consult brief
    coach mentor observe throw transport track annotate comment clarify describe document summarise
    summarize specify define set put place finalize finalise amend adjust update resubmit re-submit redo
    rewrite follow contact do make get acknowledge conduct organise organize arrange coordinate
    supervise monitor process solve debug code implement develop add change modify reproduce water
    harvest plant dig grill serve wrap lead host read note list identify figure provide iron press sew
    cut glue drill weld stack load unload move carry lift fetch mix knead stir pour chop slice fry boil
    vaccinate sedate groom testify plead appeal certify witness notarise notarize transcribe rehearse
    perform film shoot photograph sanction question advise recommend counsel pilot inventory sweep tidy
    lock unlock hang frame engrave mark hold drive travel walk ride talk speak listen watch type peel wipe
    """.replace("\n", " ")
_ACTION = """
    send back roll destroy notify inform tell email e-mail mail message text alert remind post publish
    deploy release build compile run execute create generate calculate compute archive store save log
    record delete remove close open cancel charge refund pay reimburse transfer invoice bill ship
    deliver schedule book sync synchronise import export download retrieve load transform convert parse
    extract merge push pull backup restart provision reserve forward route escalate copy enrich index
    call issue print encrypt decrypt announce broadcast tweet share page page activate deactivate enable
    disable block unblock suspend revoke rotate tag flag query poll ping lookup deduct credit debit
    dispatch distribute allocate match reconcile compress resize render encode transcode stream ingest
    stage aggregate normalise normalize lint rollback revert trigger launch tick display show clone
    commit migrate scale subscribe unsubscribe enroll enrol reset reindex crawl scrape anonymise
    anonymize purge prune warn thank apologise apologize congratulate detect filter format number hash
    bundle package rebuild reboot reopen renew extend top replicate snapshot
    """.replace("\n", " ")
_EVENT = """
    arrive happen occur come expire fail exceed drop rise fall break crash join leave receive detect
    appear exist match change complain churn land show die pass go become reach match turn hit fire
    return need want require have like work know think hope believe mean seem contain include cost last
    """.replace("\n", " ")
_CONTROL = """
    start begin end stop finish terminate continue proceed skip repeat wait retry try kick quit abort
    loop resume pause let keep stay remain
    """.replace("\n", " ")

_IRREGULAR: Final = {
    "send": "sent sent", "pay": "paid paid", "buy": "bought bought", "tell": "told told", "do": "did done",
    "write": "wrote written", "rewrite": "rewrote rewritten", "redo": "redid redone", "make": "made made",
    "get": "got got", "give": "gave given", "take": "took taken", "bring": "brought brought",
    "meet": "met met",
    "choose": "chose chosen", "build": "built built", "rebuild": "rebuilt rebuilt", "run": "ran run",
    "draw": "drew drawn", "sell": "sold sold", "teach": "taught taught", "read": "read read",
    "cut": "cut cut",
    "set": "set set", "put": "put put", "let": "let let", "go": "went gone", "come": "came come",
    "see": "saw seen", "begin": "began begun", "lend": "lent lent", "leave": "left left", "lead": "led led",
    "fall": "fell fallen", "rise": "rose risen", "break": "broke broken", "become": "became become",
    "hit": "hit hit", "quit": "quit quit", "keep": "kept kept", "feed": "fed fed", "hang": "hung hung",
    "shoot": "shot shot", "dig": "dug dug", "have": "had had", "know": "knew known",
    "think": "thought thought",
    "mean": "meant meant", "cost": "cost cost", "reset": "reset reset", "sweep": "swept swept",
    "say": "said said",
    "show": "showed shown", "sew": "sewed sewn", "throw": "threw thrown", "freeze": "froze frozen",
    "catch": "caught caught", "hold": "held held", "drive": "drove driven", "ride": "rode ridden",
    "speak": "spoke spoken",
}  # fmt: skip
_DOUBLING = word_set("""
    submit re-submit resubmit ship scan plan stop log tag flag set put cut refer transfer cancel drop
    step commit permit admit get run vet grab chat map pin wrap skip clap shop rebut defer enrol label
    pin plug prefer scrap strip swap trim zip hit quit dig reset ban bid
    """)

NOMINALS: Final = {
    "approval": "approve", "approvals": "approve", "acceptance": "accept", "confirmation": "confirm",
    "authorisation": "authorise", "authorization": "authorize", "rejection": "reject", "refusal": "refuse",
    "payment": "pay", "payments": "pay", "payout": "pay", "reimbursement": "reimburse", "signature": "sign",
    "sign-off": "approve", "signoff": "approve", "inspection": "inspect", "delivery": "deliver",
    "shipment": "ship", "submission": "submit", "verification": "verify", "validation": "validate",
    "assessment": "assess", "evaluation": "evaluate", "examination": "examine", "registration": "register",
    "notification": "notify", "decision": "decide", "analysis": "analyse", "publication": "publish",
    "deployment": "deploy", "creation": "create", "preparation": "prepare", "installation": "install",
    "escalation": "escalate", "reminder": "remind", "cancellation": "cancel", "negotiation": "negotiate",
    "calculation": "calculate", "closure": "close", "estimation": "estimate", "translation": "translate",
    "investigation": "investigate", "application": "apply", "revision": "revise", "correction": "correct",
    "diagnosis": "diagnose", "proposal": "propose", "selection": "select", "collection": "collect",
    "announcement": "announce", "discussion": "discuss", "consultation": "consult", "re-review": "review",
    "processing": "process", "interviews": "interview", "tests": "test", "assembly": "assemble",
    "measurement": "measure", "replacement": "replace", "certification": "certify",
    "countersignature": "countersign",
    "kickoff": "start", "provisioning": "provision", "extraction": "extract", "transformation": "transform",
    "classification": "classify", "handover": "hand", "purchase": "purchase", "treatment": "treat",
}  # fmt: skip
"""Nouns that name what a verb does."""

NOMINAL_OF: Final = {
    "approve": "approval", "pay": "payment", "review": "review", "sign": "signing", "inspect": "inspection",
    "deliver": "delivery", "ship": "shipping", "verify": "verification", "validate": "validation",
    "assess": "assessment", "evaluate": "evaluation", "register": "registration", "publish": "publication",
    "deploy": "deployment", "check": "check", "process": "processing", "repair": "repair", "triage": "triage",
    "test": "testing", "accept": "acceptance", "confirm": "confirmation", "investigate": "investigation",
    "refund": "refund", "audit": "audit", "analyse": "analysis", "reject": "approval",
    "authorize": "authorization",
    "release": "release", "onboard": "onboarding", "reimburse": "reimbursement", "order": "ordering",
}  # fmt: skip
"""The noun a name is made of."""


def _verbs() -> dict[str, Verb]:
    found: dict[str, Verb] = {}
    kinds: tuple[tuple[str, VerbKind], ...] = (
        (_CONTROL, "control"), (_EVENT, "event"), (_HUMAN, "human"), (_ACTION, "action"),
    )  # fmt: skip
    for words, kind in kinds:
        found.update({word: Verb(word, kind) for word in words.split()})
    found.update({word: Verb(word, "human", starts=True) for word in _STARTS.split()})
    found.update({word: Verb(word, "human", judges=True) for word in _JUDGES.split()})
    found.update({word: Verb(word, "human", "approved", judges=True) for word in _APPROVES.split()})
    found.update({word: Verb(word, "human", "rejected", judges=True) for word in _REJECTS.split()})
    return found


VERBS: Final = _verbs()


def _ends_in_consonant_y(base: str) -> bool:
    return base.endswith("y") and base[-2:-1] not in ("a", "e", "i", "o", "u")


def third_person(base: str) -> str:
    """Return the form after `he`: `reviews`, `passes`, `tries`."""
    if _ends_in_consonant_y(base):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def past_participle(base: str) -> str:
    """Return the form after `is`: `reviewed`, `sent`, `submitted`."""
    if base in _IRREGULAR:
        return _IRREGULAR[base].split()[1]
    if _ends_in_consonant_y(base):
        return base[:-1] + "ied"
    if base.endswith("e"):
        return base + "d"
    return base + (base[-1] if base in _DOUBLING else "") + "ed"


def _gerund(base: str) -> str:
    if base.endswith("e") and not base.endswith(("ee", "ye")):
        return base[:-1] + "ing"
    return base + (base[-1] if base in _DOUBLING else "") + "ing"


def _forms() -> dict[str, tuple[Verb, frozenset[Form]]]:
    found: dict[str, tuple[Verb, frozenset[Form]]] = {}
    for base, verb in VERBS.items():
        past = _IRREGULAR[base].split()[0] if base in _IRREGULAR else past_participle(base)
        spelled: tuple[tuple[str, Form], ...] = (
            (base, "base"), (third_person(base), "s"), (past, "past"),
            (past_participle(base), "participle"), (_gerund(base), "ing"),
        )  # fmt: skip
        for word, form in spelled:
            first, forms = found.get(word, (verb, frozenset[Form]()))
            found[word] = (first, forms.union(frozenset[Form]({form})))
    for odd, base in (("canceled", "cancel"), ("labeled", "label")):
        found[odd] = (VERBS[base], frozenset[Form]({"past", "participle"}))
    found["has"] = (VERBS["have"], frozenset[Form]({"s"}))
    return found


_FORMS: Final = _forms()
_LEAST_REPEATED: Final = 6


def _found(word: str) -> tuple[Verb, frozenset[Form]] | None:
    """Return a verb and the forms a word can be; what is done once more is a verb as well: `rebook`."""
    known = _FORMS.get(word)
    if known is not None or not word.startswith("re") or len(word) < _LEAST_REPEATED:
        return known
    once = _FORMS.get(word.removeprefix("re-").removeprefix("re"))
    return (replace(once[0], base=f"re{once[0].base}"), once[1]) if once and once[0].kind != "event" else None


def verb_of(word: str) -> Verb | None:
    """Return the verb a lower-case word is a form of, or None."""
    found = _found(word)
    return found[0] if found else None


def is_form(word: str, *forms: Form) -> bool:
    """Say whether a lower-case word can be one of these forms of a known verb."""
    found = _found(word)
    return found is not None and not found[1].isdisjoint(forms)


def lemma(word: str) -> str:
    """Return what a word is compared by: `payment`, `pays` and `paid` are all `pay`."""
    if word in NOMINALS:
        return NOMINALS[word]
    verb = verb_of(word)
    if verb is not None:
        return verb.base
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )
