"""From a turn to the next tool call or the reply: what the message answers or asks, and the skill for it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from workflow_agent.agent.offline.intents.reading import Request, read_answer, read_request
from workflow_agent.agent.offline.intents.showing import shown_first
from workflow_agent.agent.offline.intents.spelling import mended
from workflow_agent.agent.offline.skills import (
    agents,
    analysis,
    changes,
    comparing,
    computing,
    confirming,
    discovery,
    documents,
    history,
    portability,
    repeating,
    versions,
)
from workflow_agent.agent.offline.skills.creation import create, offer_to_create
from workflow_agent.agent.offline.skills.gone import is_gone
from workflow_agent.agent.offline.skills.inside import inside
from workflow_agent.agent.offline.skills.missing import missing
from workflow_agent.agent.offline.skills.naming import nickname
from workflow_agent.agent.offline.skills.puzzled import puzzled
from workflow_agent.agent.offline.skills.talk import speak, spoken
from workflow_agent.agent.offline.turn.drafting import Drafting
from workflow_agent.agent.offline.turn.focus import focus
from workflow_agent.agent.offline.turn.offers import picked, picked_numbers
from workflow_agent.agent.offline.turn.outcome import (
    Call,
    Choice,
    Completion,
    Offer,
    Proposal,
    Reply,
    Skill,
    Suggestion,
)
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.agent.offline.turn.replay import run_skill
from workflow_agent.domain.confirming import answer_in
from workflow_agent.domain.memory import name_given_in

_PLACE = re.compile(
    r"(?:(?:right|just|directly) )?(?:before|after|between|at the|as |in front|behind|to the|once)\b",
    re.IGNORECASE,
)
_ASKED_BESIDE = frozenset({"stuck", "deadlock", "analyse", "validate", "inside", "explain", "show"})
"""What is answered together with a question about a document."""
_MOST_TURNS_BACK = 4
"""How many turns an exchange of question and answer is followed back."""

_SKILLS: Mapping[str, Callable[[Turn, Request], Skill]] = {
    "find": discovery.find,
    "list": discovery.list_all,
    "list_tag": discovery.list_tagged,
    "list_trigger": discovery.list_triggered,
    "show": discovery.show,
    "show_version": discovery.show,
    "explain": discovery.explain,
    "diagram": discovery.diagram,
    "analyse": analysis.analyse,
    "stuck": analysis.stuck,
    "deadlock": analysis.deadlock,
    "missing": missing,
    "validate": analysis.validate,
    "fix": analysis.fix,
    "compare": comparing.compare,
    "compare_workflows": comparing.compare_workflows,
    "compare_both": comparing.compare_both,
    "versions": versions.versions,
    "show_before": versions.show_before,
    "is_gone": is_gone,
    "list_changes": comparing.list_changes,
    "import": portability.import_document,
    "export": portability.export,
    "copy": portability.copy,
    "undo": repeating.undo,
    "restore": repeating.undo,
    "same": repeating.same,
    "delete_workflow": confirming.delete_workflow,
    "count_calls": computing.count_calls,
    "tools_used": computing.tools_used,
    "as_table": computing.as_table,
    "first_question": history.first,
    "why_changed": history.why_changed,
    "changed_then": history.changed_then,
    "last_question": history.last,
    "nth_question": history.nth,
    "so_far": history.so_far,
    "recall": history.recall,
    "inside": inside,
    "hand_over": agents.hand_over,
    "who_is_there": agents.who_is_there,
    "phase": agents.enter_phase,
    **dict.fromkeys(spoken(), speak),
}


@dataclass(frozen=True)
class Answering:
    """Answers turns; the same turn always gets the same answer."""

    drafting: Drafting

    def next_of(self, turn: Turn) -> Call | Reply:
        """Return the next tool call a turn needs, or its reply."""
        return self._answered(turn, _MOST_TURNS_BACK)

    def _answered(self, turn: Turn, turns_back: int) -> Call | Reply:
        settled, skill = self._understood(replace(turn, text=mended(turn.text)), turns_back)
        return run_skill(skill, settled.exchanges, settled.tools)

    def _understood(self, turn: Turn, turns_back: int) -> tuple[Turn, Skill]:
        """Return the turn with what it answers filled in, and the skill for it."""
        if not turn.text:
            return turn, speak(turn, Request("empty"))
        if turn.facts.pending is not None and (answer := answer_in(turn.text)):
            settle = confirming.confirm if answer == "yes" else confirming.drop
            return turn, settle(turn, Request("answer"))
        if documents.is_about_material(turn) and not self._orders(turn):
            return turn, self._from_material(turn)
        if turn.facts.confirmed and answer_in(turn.text) == "yes":
            return self._again(turn, turn.facts.confirmed)
        offer = self._offer(turn, turns_back)
        return self._taken_up(turn, offer) or (turn, self._skill(turn))

    def _from_material(self, turn: Turn) -> Skill:
        """Answer from documents, after what is asked beside them."""
        parts = documents.asked_beside(turn.text)
        beside = replace(turn, text=parts[0]) if parts else turn
        request = self._request(beside)
        if parts is None or request.kind not in _ASKED_BESIDE:
            return (yield from documents.quote_material(turn))
        reply = yield from _SKILLS[request.kind](beside, request)
        quoted = yield from documents.quote_material(replace(turn, text=parts[1]))
        return Reply(f"{reply.text}\n\n{quoted.text}", reply.offer)

    def _offer(self, turn: Turn, turns_back: int) -> Offer | None:
        """Return what the reply before asked or offered, found by replaying its turn, or None."""
        if not turn.past or turns_back == 0 or turn.past[-1].others:
            return None
        past = turn.past[-1]
        # What waits for a yes now did not wait then.
        facts = past.facts or replace(turn.facts, pending=None)
        before = Turn(past.text, facts, turn.past[:-1], past.exchanges)
        outcome = self._answered(before, turns_back - 1)
        if isinstance(outcome, Reply) and outcome.text.split() == past.reply.split():
            return outcome.offer
        return self._offer_beside(before, past.reply, turns_back)

    def _offer_beside(self, before: Turn, reply: str, turns_back: int) -> Offer | None:
        """Return what a reply offered that quoted a document after it; the document is gone by now."""
        parts = documents.asked_beside(before.text)
        outcome = self._answered(replace(before, text=parts[0]), turns_back - 1) if parts else None
        if not isinstance(outcome, Reply) or not documents.quotes_after(reply, outcome.text):
            return None
        return outcome.offer

    def _taken_up(self, turn: Turn, offer: Offer | None) -> tuple[Turn, Skill] | None:
        """Return how a message takes up an offer; None when it is about something else."""
        answer = read_answer(turn.text)
        if answer == "no" and offer is not None:
            return turn, speak(turn, Request("declined"))
        match offer:
            case Proposal() if shown_first(turn.text) == "":
                return turn, analysis.apply_proposal(offer, dry_run=True)
            case Proposal():
                numbers = picked_numbers(turn.text)
                if answer == "yes" or numbers:
                    return turn, analysis.apply_proposal(offer, numbers)
            case Suggestion() if answer == "yes":
                return self._again(turn, offer.request)
            case Choice() if chosen := picked(turn.text, offer) or _only_one(offer, answer):
                return self._again(
                    replace(turn, chosen={**offer.chosen, offer.phrase: chosen}), offer.request
                )
            case Completion() if answer is None and self._completes(turn):
                return self._again(turn, offer.before + turn.text + offer.after)
            case _:
                pass
        unclear = answer == "yes" and (offer is not None or self._request(turn).kind == "unknown")
        return (turn, speak(turn, Request("unconfirmed"))) if unclear else None

    def _again(self, turn: Turn, text: str) -> tuple[Turn, Skill]:
        told = replace(turn, text=text)
        return told, self._skill(told)

    def _completes(self, turn: Turn) -> bool:
        """Say whether a message fills a gap rather than asking for something else."""
        request = self._request(turn)
        if request.kind == "change":
            return _PLACE.match(turn.text.strip()) is not None
        return request.meaning != "question" and request.kind in ("unknown", "create", "inside", "find")

    def _request(self, turn: Turn) -> Request:
        return read_request(turn.text, self.drafting, mode=turn.facts.mode, has_focus=focus(turn) is not None)

    def _orders(self, turn: Turn) -> bool:
        """Say whether a message orders a change, whatever it says of where that is from."""
        request = self._request(turn)
        return request.kind == "change" and request.meaning == "order"

    def _skill(self, turn: Turn) -> Skill:
        given = name_given_in(turn.text)
        if given is not None and given.is_nickname and focus(turn) is not None:
            return nickname(turn, given)
        if wanted := shown_first(turn.text):
            previewed = replace(turn, text=wanted)
            request = self._request(previewed)
            if request.kind == "change":
                return changes.change(previewed, request, self.drafting, dry_run=True)
        request = self._request(turn)
        if request.kind == "change":
            return changes.change(turn, request, self.drafting)
        match request.kind:
            case "create":
                return create(turn, request, self.drafting)
            case "offer_creation":
                return offer_to_create(turn, self.drafting)
            case "unknown":
                return puzzled(turn, self.drafting, has_focus=focus(turn) is not None)
            case _:
                return self._by_name(turn, request)

    def _by_name(self, turn: Turn, request: Request) -> Skill:
        if request.slots.get("what") and turn.facts.agent in agents.named_in(turn, request):
            return self._skill(replace(turn, text=request.slots["what"]))
        return _SKILLS[request.kind](turn, request)


def _only_one(choice: Choice, answer: str | None) -> str | None:
    """Return the id of the only candidate, where a message says yes to it; else None."""
    return choice.candidates[0].id if answer == "yes" and len(choice.candidates) == 1 else None
