"""Who and what appears in processes: roles, departments, systems, things."""

from typing import Final

from workflow_agent.agent.offline.drafting.words import word_set

_PEOPLE: Final = word_set("""
    manager director employee boss supervisor lead leader teamlead ceo cfo cto coo cio ciso vp president
    accountant controller bookkeeper clerk secretary assistant analyst engineer developer programmer
    designer tester reviewer editor author writer publisher journalist translator lawyer counsel
    attorney judge paralegal notary nurse doctor physician surgeon patient pharmacist technician
    mechanic driver courier chef cook baker waiter barista teacher student professor tutor principal
    parent registrar librarian architect inspector surveyor buyer seller supplier vendor customer client
    user visitor guest applicant candidate recruiter owner admin administrator moderator coordinator
    officer agent operator dispatcher underwriter adjuster broker banker teller landlord tenant member
    volunteer donor scientist researcher veterinarian vet farmer pilot captain mayor citizen resident
    subscriber requester requestor submitter approver creator assignee colleague peer mentor trainer
    coach intern newcomer worker foreman contractor consultant partner shareholder stakeholder sponsor
    auditor photographer cleaner gardener plumber electrician carpenter nutritionist therapist
    psychologist dentist optician midwife paramedic firefighter policeman detective prosecutor clergyman
    priest pastor trustee curator archivist storekeeper warehouseman picker packer cashier salesperson
    salesman rep representative specialist expert head chair chairman chairwoman chairperson treasurer
    planner scheduler buyer estimator maintainer committer programmer sre dba scrum-master copywriter
    proofreader illustrator artist musician actor producer caller claimant policyholder borrower lender
    guarantor passenger traveller traveler steward receptionist janitor guard investigator examiner
    assessor evaluator sommelier butcher tailor jeweller jeweler beekeeper shepherd someone person hiree
    joiner leaver on-call party organiser organizer host
    sender boss lady gentleman landlady daughter son wife husband sister brother mother father neighbour
    neighbor friend buddy pm cmo dpo sysadmin webmaster dean pupil apprentice trainee scout player caretaker
    concierge porter ranger conductor referee umpire skipper councillor minister ombudsman actuary mum mom
    dad aunt uncle grandmother grandfather kid child scientist chemist optometrist hygienist biologist
    physicist geologist economist statistician dietitian cashier usher magistrate bailiff mediator arbitrator
    auctioneer valuer conveyancer
    """)
_DEPARTMENTS: Final = word_set("""
    finance legal hr i.t accounting accounts procurement purchasing marketing sales support security
    operations ops qa engineering logistics compliance facilities payroll treasury reception helpdesk
    warehouse billing risk audit dispatch production maintenance editorial catering housekeeping
    pharmacy radiology kitchen board committee council panel jury team department office staff
    management crew bureau lab laboratory agency hospital clinic bank court police library leadership
    workshop devops personnel administration registry audit secretariat fulfilment fulfillment infosec
    pr r&d bakery studio depot
    """)
_SYSTEMS: Final = word_set("""
    system server bot robot app application software platform script pipeline job service website site
    portal backend tool crm erp database program machine scanner sensor webhook api scheduler ci
    workflow process flow automation integration gateway algorithm model ai llm cron timer engine
    computer
    """)
_THINGS: Final = word_set("""
    order invoice expense request document payment contract ticket report email message letter form
    application claim case incident bug issue alert result data file record entry item product part
    parcel package shipment delivery stock inventory money amount sum total price cost budget quote
    offer proposal bid deal lead purchase refund return complaint answer reply response question comment
    feedback approval rejection review draft article post page text content image picture video song
    book chapter manuscript paper article newsletter campaign brochure catalog catalogue code branch
    build release version deployment test tests commit repository pull merge change feature requirement
    specification design plan schedule appointment meeting interview call date deadline day week month
    year quarter time hour minute list table sheet spreadsheet database row column account subscription
    membership license licence certificate permit passport visa id card badge key password access
    permission laptop phone computer device equipment desk room house car vehicle truck machine engine
    tool sample specimen blood prescription medicine drug vaccine x-ray scan diagnosis treatment surgery
    sensor temperature pressure value score number rate level limit threshold status state signal event
    error failure problem outage warning ingredient dish meal food cake dough bread wine coffee tea
    animal dog cat horse cow plant crop seed letter mail newsletter check checks cheque receipt bill
    statement balance loan mortgage credit policy premium risk goods material materials supply supplies
    box pallet container shelf rack ship boat flight trip journey booking reservation ticket seat exam
    thesis grade course class lesson homework assignment essay application vacancy position job contract
    onboarding training kickoff project task milestone deliverable invoice po pr rfp rfq nda sow sla kpi
    crm erp vat tax timesheet payslip salary bonus leave vacation absence holiday customer-data name
    address signature sign-off field reason note everything anything something nothing it this that
    these those all any some none one both each half rest others other backup log logs metric report
    queue order-form basket cart checkout coupon voucher song goods issue subject topic idea brief
    budget patch hotfix vulnerability certificate domain dns host cluster node pod image artifact
    package library
    reminder prescription folder header filter counter mirror door floor water weather winter summer tender
    cover poster sticker container dinner flyer banner restaurant plant grant variant warrant fee coffee
    degree guarantee calendar summary postmortem mockup spec
    """)

PEOPLE: Final = _PEOPLE
DEPARTMENTS: Final = _DEPARTMENTS
SYSTEMS: Final = _SYSTEMS
THINGS: Final = _THINGS - PEOPLE - DEPARTMENTS - SYSTEMS
ACRONYMS: Final = word_set("ceo cfo cto coo cio ciso vp hr it qa sre dba pr r&d cmo cpo cso")

SENDERS: Final = word_set("""
    customer client user visitor guest supplier vendor applicant candidate patient citizen resident
    tenant subscriber passenger claimant policyholder caller shopper buyer sender
    """)
"""People outside: what they do starts a process rather than being a task of it."""

TEAMS: Final = word_set("""
    design product content data brand research testing planning claims quality events tax policy contracts
    media communications shipping packaging underwriting training delivery credit
    """)
"""Things that teams are called after: "Design creates mockups"."""

DETERMINERS: Final = word_set(
    "the a an this that these those each every any another some both all no our my your his her their its "
    "two three several"
)
POSSESSIVES: Final = word_set("our my your his her their its")
ARTICLES: Final = word_set("the a an")
PERSONAL: Final = word_set("he she they who")
"""Subjects that mean the last person named."""
GENERIC: Final = word_set("we you i somebody someone people everyone everybody anyone one us")
"""Subjects that name nobody in particular."""
THING_PRONOUNS: Final = word_set("it this that which them these those")
PREPOSITIONS: Final = word_set("""
    to from for with without by in on at of into onto about over under through via against between
    within before after during per as until than
    """)
_PERSON_ENDINGS: Final = (
    "er",
    "or",
    "ist",
    "ian",
    "eer",
    "man",
    "woman",
    "person",
    "ant",
    "ee",
    "keeper",
    "smith",
)
_MODIFIERS_OF_TEAMS: Final = word_set("team department dept desk group office people guys folks staff unit")


def singular(word: str) -> str:
    """Return a noun in the singular: `suppliers`, `policies` and `boxes` lose their ending."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "as")) and len(word) > 3:
        return word[:-1]
    return {"people": "person", "children": "child", "men": "man", "staff": "staff"}.get(word, word)


def is_role(word: str) -> bool:
    """Say whether a lower-case noun names a person or a department, by the tables."""
    return word in DEPARTMENTS or word in PEOPLE or singular(word) in PEOPLE | DEPARTMENTS


def is_thing(word: str) -> bool:
    """Say whether a lower-case noun names something that is worked on."""
    return word in THINGS or singular(word) in THINGS


def is_system(word: str) -> bool:
    """Say whether a lower-case noun names something that works by itself."""
    return word in SYSTEMS or singular(word) in SYSTEMS


def looks_like_person(word: str) -> bool:
    """Say whether a noun's ending is that of an occupation: `beekeeper`, `florist`."""
    return singular(word).endswith(_PERSON_ENDINGS) and not is_thing(word) and len(word) > 4


def role_name(words: list[str]) -> str:
    """Return how a role is written as an assignee: `legal` for "the legal team", `CFO` for "our CFO"."""
    kept = [word for word in words if word.lower() not in DETERMINERS]
    if len(kept) > 1 and kept[-1].lower() in _MODIFIERS_OF_TEAMS and kept[-2].lower() in DEPARTMENTS:
        kept = kept[:-1]
    named = [_written(word, at == len(kept) - 1) for at, word in enumerate(kept)]
    return " ".join(named)[:120]


def _written(word: str, is_last: bool) -> str:
    low = word.lower()
    if low in ACRONYMS and (low != "it" or word == "IT"):
        return low.upper()
    if is_last and is_role(low) and low not in DEPARTMENTS:
        return singular(low)
    return low if is_role(low) or not word[:1].isupper() else word
