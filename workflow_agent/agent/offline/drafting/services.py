"""The services that actions call, known by the words around them."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from workflow_agent.agent.offline.drafting.words import word_set

_CALLS: Final = {
    "slack": {"": "slack.post"},
    "teams": {"": "teams.post"},
    "discord": {"": "discord.post"},
    "telegram": {"": "telegram.send"},
    "whatsapp": {"": "whatsapp.send"},
    "sms": {"": "sms.send"},
    "jira": {"": "jira.create_issue", "update": "jira.update_issue", "close": "jira.close_issue",
             "comment": "jira.comment"},
    "github": {"": "github.create_issue", "merge": "github.merge", "comment": "github.comment",
               "close": "github.close_issue", "push": "github.push"},
    "gitlab": {"": "gitlab.create_issue", "merge": "gitlab.merge"},
    "zendesk": {"": "zendesk.create_ticket", "update": "zendesk.update_ticket",
    "close": "zendesk.close_ticket"},
    "servicenow": {"": "servicenow.create_ticket", "update": "servicenow.update_ticket"},
    "linear": {"": "linear.create_issue"},
    "asana": {"": "asana.create_task"},
    "trello": {"": "trello.create_card"},
    "notion": {"": "notion.create_page", "update": "notion.update_page"},
    "confluence": {"": "confluence.create_page"},
    "airtable": {"": "airtable.create_record"},
    "salesforce": {"": "salesforce.update", "create": "salesforce.create", "add": "salesforce.create"},
    "hubspot": {"": "hubspot.update", "create": "hubspot.create", "add": "hubspot.create"},
    "stripe": {"": "stripe.charge", "refund": "stripe.refund", "invoice": "stripe.invoice"},
    "paypal": {"": "paypal.pay", "refund": "paypal.refund"},
    "docusign": {"": "docusign.send"},
    "pagerduty": {"": "pagerduty.alert"},
    "opsgenie": {"": "opsgenie.alert"},
    "sap": {"": "sap.post"},
    "quickbooks": {"": "quickbooks.create"},
    "xero": {"": "xero.create"},
    "s3": {"": "s3.upload", "download": "s3.download"},
    "dropbox": {"": "dropbox.upload"},
    "sharepoint": {"": "sharepoint.upload"},
    "sheets": {"": "sheets.append"},
    "mailchimp": {"": "mailchimp.send"},
    "twilio": {"": "twilio.send"},
    "kubernetes": {"": "kubernetes.deploy"},
    "terraform": {"": "terraform.apply"},
    "webhook": {"": "http.request"},
    "twitter": {"": "twitter.post"},
    "linkedin": {"": "linkedin.post"},
    "wordpress": {"": "wordpress.publish"},
    "shopify": {"": "shopify.update"},
}  # fmt: skip
"""Service, then verb, to the call; the empty verb is what is usually meant."""
_MAIL_NOUNS: Final = word_set("email e-mail mail newsletter emails mails")
_TELL_VERBS: Final = word_set("notify inform tell alert warn remind message text announce thank")
_CHANNEL: Final = re.compile(r"#[\w-]+")
_COMMON_WORDS: Final = word_set("teams linear sheets notion")
"""Service names that are also ordinary words; they count after `to`, `in`, `on`, `via`, `ms`, `google`."""
_BEFORE_A_SERVICE: Final = word_set("to in on via ms microsoft google a through using")
_USING_VERBS: Final = word_set(
    "post send message write notify inform tell alert announce create open file raise log add update "
    "close comment merge "
    "push charge refund pay upload store save download sync append trigger call publish share tweet "
    "deploy apply put "
    "page copy archive broadcast schedule record make do warn invoke issue enter report book bill get text "
    "transition assign import export move"
)


def service_call(lemma: str, words: Sequence[str]) -> str | None:
    """Return what an action with this verb and these lower-case words calls, or None.

    A named service wins; otherwise mail is mail, and telling somebody is a notification.
    """
    if lemma in _USING_VERBS | _MAIL_NOUNS:
        for at, word in enumerate(words):
            calls = _CALLS.get(word)
            if calls and (word not in _COMMON_WORDS or (at and words[at - 1] in _BEFORE_A_SERVICE)):
                return calls.get(lemma, calls[""])
    if lemma in _MAIL_NOUNS or (
        lemma in ("send", "get", "write", "forward") and not _MAIL_NOUNS.isdisjoint(words)
    ):
        return "email.send"
    if lemma in _TELL_VERBS and _is_by_mail(words):
        return "email.send"
    if lemma == "text" or (lemma == "phone" and "sms" in words) or (lemma == "send" and "text" in words):
        return "sms.send"
    return "notification.send" if lemma in _TELL_VERBS else None


def _is_by_mail(words: Sequence[str]) -> bool:
    """Say whether somebody is told something by mail: "by email", "via e-mail"."""
    return any(
        how in ("by", "via", "per", "through") and what in _MAIL_NOUNS for how, what in pairwise(words)
    )


def call_arguments(uses: str, recipient: str | None, text: str) -> dict[str, Any]:
    """Return the arguments a call is known to have: the channel, or who gets it."""
    channel = _CHANNEL.search(text)
    if channel is not None:
        return {"channel": channel[0]}
    if recipient is not None and uses.endswith(("email.send", "notification.send", "sms.send")):
        return {"to": recipient}
    return {}
