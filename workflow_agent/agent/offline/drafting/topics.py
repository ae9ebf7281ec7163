"""Starting points for well-known processes, each written in the words that the grammar reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from workflow_agent.agent.offline.drafting.verbs import lemma


@dataclass(frozen=True, slots=True)
class Topic:
    """A well-known process."""

    name: str
    text: str
    tags: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    """It is meant when one of these sets is among the words, as lemmas."""


def _topic(name: str, tags: str, words: str, text: str) -> Topic:
    sets = tuple(frozenset(lemma(word) for word in group.split()) for group in words.split("|"))
    return Topic(name, " ".join(text.split()), tuple(tags.split()), sets)


TOPICS: Final[tuple[Topic, ...]] = (
    _topic("Supplier onboarding", "procurement onboarding",
    "onboard supplier|onboarding supplier|onboarding vendor|register supplier|new supplier|new vendor",
           """1. The supplier fills in company name, tax number, bank details and contact email.
           2. Compliance checks the supplier. If rejected, procurement informs the supplier, otherwise
           legal sends the contract.
           3. The supplier signs the contract.
           4. Finance registers the supplier."""),
    _topic("Employee onboarding", "hr onboarding",
    "onboarding employee|onboarding hire|onboarding staff|onboarding people|onboarding "
    "newcomer|onboarding colleague|onboarding joiner|onboarding",
           """1. HR prepares the contract. 2. The new employee signs the contract.
           3. At the same time IT sets up the accounts and facilities prepares the desk.
           4. The manager welcomes the new employee."""),
    _topic("Expense approval", "finance approval", "expense|expenses|reimburse employee|reimbursement",
           """When an employee submits an expense with amount, date and receipt, the manager approves or
           rejects it.
           If approved, finance pays the expense, otherwise tell the employee."""),
    _topic("Leave request", "hr approval", "leave request|leave|vacation|holiday|absence|time off|pto",
           """When an employee requests leave with start date, end date and reason, the manager approves
           or rejects it.
           If approved, HR records the leave, otherwise tell the employee."""),
    _topic("Incident response", "it operations", "incident|outage|on-call",
           """When an alert fires, the on-call engineer assesses the incident. Then the on-call engineer
           fixes the incident.
           Then the support team informs the customers. Finally the team lead reviews the incident."""),
    _topic("Purchase request", "procurement approval", "purchase|purchasing|procurement|buy|purchase order",
           """When an employee requests a purchase with item, quantity and price, the manager approves or
           rejects it.
           If approved, procurement orders the item, otherwise tell the employee."""),
    _topic("Content publishing", "marketing content", "content|article|blog|post|newsletter|editorial",
           """The author writes the draft. The editor reviews the draft. If changes are needed, send it
           back to the author.
           Otherwise publish the draft."""),
    _topic("Contract signing", "legal approval", "contract|nda|agreement",
           """The account owner drafts the contract. Legal reviews the contract.
           If changes are needed, send it back to the account owner. Otherwise the director signs the
           contract. Then archive the contract."""),
    _topic("Refund", "support finance", "refund|refunds|money back|returned item",
           """When a customer requests a refund with order number and reason, support checks the request.
           If approved, finance refunds the customer, otherwise inform the customer."""),
    _topic("Support ticket", "support",
           "support ticket|ticket|customer support|helpdesk|support request|customer complaint"
           "|complaint",
           """When a ticket is created, the support agent triages the ticket. Then the support agent
           resolves the ticket.
           Then the customer confirms the solution. If not, go back to resolving the ticket, otherwise
           close the ticket."""),
    _topic("Access request", "it security approval", "access request|access|permission|account request",
           """When an employee requests access with system and reason, the system owner approves or
           rejects it.
           If approved, IT grants the access, otherwise inform the employee."""),
    _topic("Release", "engineering release", "release|deploy|deployment|ship software|rollout|ci|cd",
           """1. Build the release. 2. Run the tests. If the tests fail, notify the developers.
           3. The release manager approves the release. 4. Deploy the release. If the deployment fails,
           roll back the release."""),
    _topic("Hiring", "hr recruiting",
           "hire|hiring|recruit|recruiting|recruitment|job applicant|candidate|applicant",
           """When a candidate applies, the recruiter screens the application. If rejected, inform the
           candidate,
           otherwise the hiring manager interviews the candidate. Then the hiring manager approves or
           rejects the candidate.
           If approved, HR sends the offer, otherwise inform the candidate."""),
    _topic("Invoice approval", "finance approval", "invoice|invoices|accounts payable|bill",
           """When an invoice arrives, accounting checks the invoice. Then the manager approves or rejects it.
           If approved, accounting pays the invoice, otherwise inform the supplier."""),
)  # fmt: skip

_MORE_SPECIFIC_FIRST: Final[Mapping[str, int]] = {topic.name: at for at, topic in enumerate(TOPICS)}


def topic_of(words: frozenset[str]) -> Topic | None:
    """Return the well-known process that lemmas speak of, the one named most exactly, or None."""
    fits = [
        (max(len(group) for group in topic.words if group <= words), -_MORE_SPECIFIC_FIRST[topic.name], topic)
        for topic in TOPICS
        if any(group <= words for group in topic.words)
    ]
    return max(fits, key=lambda fit: fit[:2])[2] if fits else None
