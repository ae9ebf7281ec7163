"""Words that people in business use for one another, and the look-up in them."""

from collections.abc import Sequence

from workflow_agent.adapters.search.words import words

GROUPS: tuple[tuple[str, ...], ...] = (
    ("expense", "reimbursement", "travel cost", "out of pocket"),
    ("invoice", "bill", "accounts payable"),
    ("refund", "money back", "chargeback"),
    ("payment", "payout", "disbursement", "settlement", "remittance"),
    ("purchase", "procurement", "requisition", "buy"),
    ("supplier", "vendor"),
    ("customer", "client", "buyer"),
    ("quote", "quotation", "estimate", "proposal"),
    ("budget", "spending plan"),
    ("payroll", "salary", "wage", "compensation"),
    ("onboarding", "new hire", "new employee", "new joiner", "new colleague", "new starter"),
    ("offboarding", "leaver", "exit process", "termination"),
    ("recruiting", "recruitment", "hiring", "talent acquisition"),
    ("candidate", "applicant"),
    ("employee", "staff", "worker", "colleague", "personnel"),
    ("manager", "supervisor", "boss", "team lead"),
    ("leave", "vacation", "holiday", "time off", "days off", "pto", "absence"),
    ("sick", "illness", "sickness"),
    ("hr", "human resources", "people team"),
    ("performance review", "appraisal"),
    ("training", "course", "learning"),
    ("ticket", "case", "support request"),
    ("issue", "bug", "defect"),
    ("incident", "outage", "disruption", "emergency"),
    ("support", "helpdesk", "help desk", "service desk"),
    ("complaint", "grievance"),
    ("approval", "sign off", "authorization", "consent", "permission", "green light"),
    ("reject", "decline", "deny", "refuse", "turn down"),
    ("review", "check", "inspection", "examination", "vetting"),
    ("verify", "validate", "confirm"),
    ("audit", "compliance check"),
    ("sign", "signature", "countersign", "execute"),
    ("contract", "agreement"),
    ("legal", "lawyer", "counsel", "attorney"),
    ("privacy", "gdpr", "data protection"),
    ("deploy", "release", "rollout", "roll out", "go live", "ship"),
    ("rollback", "roll back", "revert"),
    ("build", "compile"),
    ("test", "qa", "quality assurance"),
    ("ci", "continuous integration"),
    ("cd", "continuous delivery", "continuous deployment"),
    ("pull request", "merge request", "pr", "mr"),
    ("repository", "repo"),
    ("vulnerability", "security flaw", "security hole", "weakness"),
    ("scan", "analysis", "analyse"),
    ("database", "db"),
    ("etl", "data load", "data pipeline", "ingestion", "extract transform load"),
    ("warehouse load", "data sync"),
    ("backup", "snapshot"),
    ("restore", "recover"),
    ("schedule", "cron", "timer", "recurring", "periodic"),
    ("daily", "every day"),
    ("nightly", "every night", "overnight"),
    ("weekly", "every week"),
    ("monthly", "every month"),
    ("notify", "alert", "inform", "message", "announce", "tell"),
    ("email", "e mail", "mail"),
    ("reminder", "nudge", "chase"),
    ("escalate", "raise"),
    ("assign", "allocate", "delegate"),
    ("request", "application", "ask"),
    ("submit", "file", "hand in"),
    ("form", "questionnaire", "survey"),
    ("report", "summary", "digest"),
    ("document", "file", "paper"),
    ("publish", "post", "put online"),
    ("article", "blog", "post", "content"),
    ("lead", "prospect", "opportunity"),
    ("marketing campaign", "campaign"),
    ("order", "purchase"),
    ("fulfilment", "fulfillment", "shipping", "delivery", "dispatch"),
    ("return", "send back"),
    ("warehouse", "inventory", "stock"),
    ("account", "login", "user"),
    ("access", "permission", "entitlement", "rights"),
    ("password reset", "forgotten password", "credential reset"),
    ("delete", "remove", "erase"),
    ("create", "make", "add", "new"),
    ("update", "change", "modify", "edit"),
    ("cancel", "abort", "call off"),
    ("retry", "try again", "repeat"),
    ("parallel", "concurrent", "simultaneous"),
    ("loop", "iterate", "repeat"),
    ("condition", "branch", "decision"),
    ("meeting", "appointment", "calendar event"),
    ("meeting room", "conference room"),
    ("laptop", "computer", "hardware", "equipment", "device"),
    ("it", "information technology"),
    ("ai", "artificial intelligence", "llm", "language model"),
    ("chatbot", "bot", "assistant"),
    ("kubernetes", "k8s"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("spreadsheet", "excel", "sheet"),
    ("website", "site", "web page"),
    ("maintenance", "upkeep", "servicing"),
    ("renewal", "extension"),
    ("claim", "case"),
    ("loan", "credit"),
    ("fraud", "scam"),
    ("kyc", "know your customer", "identity check", "identity verification"),
)
"""Each group means one thing; a word may be in several."""

Phrase = tuple[str, ...]
"""The stems of one or more words in a row."""


def _by_phrase() -> dict[Phrase, tuple[Phrase, ...]]:
    related: dict[Phrase, dict[Phrase, None]] = {}
    for group in GROUPS:
        phrases = [tuple(words(phrase)) for phrase in group]
        for phrase in phrases:
            others = (other for other in phrases if other != phrase)
            related.setdefault(phrase, {}).update(dict.fromkeys(others))
    return {phrase: tuple(others) for phrase, others in related.items()}


_RELATED = _by_phrase()
_LONGEST = max(len(phrase) for phrase in _RELATED)


def synonyms(stems: Sequence[str]) -> list[tuple[range, tuple[Phrase, ...]]]:
    """Return where a query has a word or phrase with synonyms, and those, longest phrases first."""
    found: list[tuple[range, tuple[Phrase, ...]]] = []
    for size in range(_LONGEST, 0, -1):
        for start in range(len(stems) - size + 1):
            others = _RELATED.get(tuple(stems[start : start + size]))
            if others:
                found.append((range(start, start + size), others))
    return found
