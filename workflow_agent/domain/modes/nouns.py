"""The nouns that mode inference knows, by what a message that uses them is about."""

from collections.abc import Mapping
from typing import Final

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
