"""From a turn to the next tool call or the reply: what the message answers or asks, and the skill for it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from workflow_agent.assistant.modes.conversation_mode import answer_in
from workflow_agent.assistant.offline import patterns
from workflow_agent.assistant.offline.drafting.description import Drafted, read_description, tells_work
from workflow_agent.assistant.offline.lexicon import entry_of, nearest, word_set
from workflow_agent.assistant.offline.mood import is_order, is_question
from workflow_agent.assistant.offline.nlu.fragments import thanks
from workflow_agent.assistant.offline.nlu.tagging import is_about_name
from workflow_agent.assistant.offline.patterns import Meaning, Request, read_answer, unquoted
from workflow_agent.assistant.offline.questions.reading import asks
from workflow_agent.assistant.offline.skills import (
    agents,
    analysis,
    catalogue,
    changing,
    comparing,
    correcting,
    creation,
    documents,
    history,
    versions,
)
from workflow_agent.assistant.offline.skills.targets import is_pronoun, names_workflow, speak, spoken
from workflow_agent.assistant.offline.tokens import read_tokens, sentences, split_fences
from workflow_agent.assistant.offline.turn.focus import focus
from workflow_agent.assistant.offline.turn.outcome import (
    Call,
    Choice,
    Completion,
    Offer,
    Proposal,
    Reply,
    Skill,
    Suggestion,
    picked,
    picked_numbers,
    run_skill,
    saying,
)
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.conversations.memory.aliases import name_given_in
from workflow_agent.workflows.formats import looks_pasted, pasted_document

_MOST_TURNS_BACK = 4
"""How many turns an exchange of question and answer is followed back."""
_MOST_COMMAND_CHARS = 400
_MOST_CHARS = 32_000
_MOST_PROSE_CHARS = 8_000
"""More than a thousand words in one message; to read 32,000 characters of prose would take seconds."""
_SHOWN_AFTER = re.compile(
    r"^(?P<what>[^?!\n]{2,160})[,;.?!]\s+(?:please |can you |could you |then |and )*"
    r"(?P<verb>show|open|display|view|explain|draw|see)(?: me| us)? (?:it|that|this)(?: one)?(?: please)?[.! ]*$",
    re.IGNORECASE,
)
"""A workflow named before the order to show it: "nightly backup, show it"."""
_BEFORE_NAME = re.compile(
    r"^(?:(?:no|nope|nah|wrong(?: one)?|not (?:that|this|it)(?: one)?|sorry|i mean|i meant|rather|instead|actually|now|"
    r"and|ok|okay|then|but|back to|go back to|take me to|let us see|let me see|let's see|i(?:'d| would) like to see|"
    r"i want to see|how about|what about|i (?:need|want)(?= (?:the|our|my) )|where(?:'s| is|s)|please)\b[\s,.:!-]*)+",
    re.IGNORECASE,
)
_BEHIND_NAME = re.compile(
    r"(?:[\s,]+(?:please|pls|plz|again|once more|instead|thanks|now|then))+[\s.!?]*$", re.IGNORECASE
)
_MOST_NAME_WORDS = 9
_FEWEST_LISTED, _FEWEST_ARROWS = 3, 2
"""Items and arrows that make a list of work."""
_TELLS = 0.5
"""How probable it must be that a message tells some work."""
_MOST_DRAFTS = 32
_ANSWER_AND_MORE = re.compile(
    r"^(?P<answer>yes|yeah|yep|sure|ok|okay|no|nope|nah)\b[\s,.!:;-]*(?:please[,. ]*)?(?P<joint>but|"
    r"and|then|also|plus)?[\s,]*(?P<rest>\S.{2,})$",
    re.IGNORECASE | re.DOTALL,
)
_MAKES = re.compile(
    r"^(?:(?:please|pls|(?:can|could|would) (?:yo)?u|i(?:'d| would) like (?:you )?to|i want (?:you "
    r")?to|i need (?:you )?to|we need to|we want to|let's|lets|help me(?: to)?|hi|hello|hey|ok|okay|"
    r"so|now|and|also)[,!. ]+){0,4}"
    r"(?:(?:create|build|make|design|draft|set up|setup|model|write|define|generate|prepare|draw up|"
    r"put together|come up with|develop|start|add|new|need|want|give me|i need|we need|i want|we want|"
    r"i(?:'d| would) like|a|an)\b[^.:\n]{0,80}?)"
    r"\b(?:workflow|process|flow|procedure|pipeline|lifecycle|checklist)\b",
    re.IGNORECASE,
)
_MADE_SO = re.compile(
    r"^(?:(?:please|pls|can you|could you|i want to|let's|lets)[, ]+){0,3}(?:create|build|set up|"
    r"setup|model|design|draft)\s+(?!it\b|a step|a copy|one like)",
    re.IGNORECASE,
)
_LIST = re.compile(r"(?:^|\n)[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+\S")
_ARROW = re.compile(r"->|=>|→|⇒|➔|➜")

Act = Callable[[Turn, Request], Skill]
_SKILLS: Mapping[str, Act] = {
    "find": catalogue.find,
    **dict.fromkeys(("list_all", "count_workflows"), catalogue.list_all),
    **dict.fromkeys(("show", "show_version"), catalogue.show),
    "explain": catalogue.explain,
    "diagram": catalogue.diagram,
    "analyse": analysis.analyse,
    "validate": analysis.validate,
    "deadlock": analysis.deadlock,
    "stuck": analysis.stuck,
    "is_gone": versions.is_gone,
    "fix": analysis.fix,
    "compare": comparing.compare,
    "compare_workflows": comparing.compare_workflows,
    "compare_both": comparing.compare_both,
    "versions": versions.versions,
    "show_before": versions.show_before,
    "list_changes": comparing.list_changes,
    "import": creation.import_document,
    "export": creation.export,
    "export_all": creation.export_all,
    "copy": creation.copy,
    **dict.fromkeys(("undo", "redo", "restore", "restore_first"), versions.undo),
    **dict.fromkeys(("delete_workflow", "delete_all"), versions.delete_workflow),
    "count_calls": agents.count_calls,
    "tools_used": agents.tools_used,
    "as_table": agents.as_table,
    "first_question": history.first,
    "why_changed": history.why_changed,
    "changed_then": history.changed_then,
    "last_question": history.last,
    "nth": history.nth,
    "so_far": history.so_far,
    "recall": history.recall,
    "hand_over": agents.hand_over,
    "who_is_there": agents.who_is_there,
    "phase": agents.enter_phase,
    "remember": history.remember,
    "remembered": history.remembered,
}


def next_of(turn: Turn, turns_back: int = _MOST_TURNS_BACK) -> Call | Reply:
    """Return the next tool call a turn needs, or its reply: the same turn always gets the same."""
    settled, skill = _understood(turn, turns_back)
    return run_skill(skill, settled.exchanges, settled.tools)


def _understood(turn: Turn, turns_back: int) -> tuple[Turn, Skill]:
    """Return the turn with what it answers filled in, and the skill for it."""
    if not turn.text:
        return turn, speak(turn, Request("empty"))
    if turn.facts.pending is not None and (answer := answer_in(turn.text)):
        settle = versions.confirm if answer == "yes" else versions.drop
        return turn, settle(turn, Request("answer"))
    if turn.facts.pending is not None and (more := _ANSWER_AND_MORE.match(turn.text)):
        told = replace(turn, text=more["rest"])
        if more["answer"].lower() in ("no", "nope", "nah"):
            return told, correcting.put_right(turn, None, _skill(told))
        return told, correcting.put_right(told, None, _confirmed_and(told), agreed=True)
    given = name_given_in(turn.text)
    is_nickname = given is not None and given.is_nickname and not is_about_name(read_tokens(turn.text))
    if given is not None and is_nickname and focus(turn) is not None:
        return turn, correcting.put_right(turn, None, history.nickname(turn, given))
    if (told := history.personal(turn)) is not None:
        return turn, told
    if documents.is_about_material(turn) and not is_order(turn.text):
        return turn, _from_material(turn)
    if turn.facts.confirmed and answer_in(turn.text) == "yes":
        return _again(turn, turn.facts.confirmed)
    offer = _offer(turn, turns_back)
    if (taken := _taken_up(turn, offer)) is not None:
        return taken
    skill = _skill(turn)
    otherwise = _passing_over(skill) if isinstance(offer, Proposal) else skill
    return turn, correcting.put_right(turn, offer, otherwise)


def _confirmed_and(turn: Turn) -> Skill:
    """Make the change that was shown, and then what else the message asks for."""
    reply = yield from versions.confirm(turn, Request("answer"))
    more = yield from _skill(turn)
    return Reply(f"{reply.text}\n\n{more.text}", more.offer)


def _from_material(turn: Turn) -> Skill:
    """Answer from documents, after what is asked beside them."""
    parts = documents.asked_beside(turn.text)
    if parts is None:
        return (yield from documents.quote_material(turn))
    beside = replace(turn, text=parts[0])
    reply = yield from _skill(beside)
    quoted = yield from documents.quote_material(replace(turn, text=parts[1]))
    return Reply(f"{reply.text}\n\n{quoted.text}", reply.offer)


def _offer(turn: Turn, turns_back: int) -> Offer | None:
    """Return what the reply before asked or offered, found by replaying its turn, or None."""
    if not turn.past or turns_back == 0 or turn.past[-1].others:
        return None
    past = turn.past[-1]
    # What waits for a yes now did not wait then.
    facts = past.facts or replace(turn.facts, pending=None)
    before = Turn(past.text, facts, turn.past[:-1], past.exchanges)
    outcome = next_of(before, turns_back - 1)
    if isinstance(outcome, Reply) and outcome.text.split() == past.reply.split():
        return outcome.offer
    return _offer_beside(before, past.reply, turns_back)


def _offer_beside(before: Turn, reply: str, turns_back: int) -> Offer | None:
    """Return what a reply offered that quoted a document after it; the document is gone by now."""
    parts = documents.asked_beside(before.text)
    outcome = next_of(replace(before, text=parts[0]), turns_back - 1) if parts else None
    if not isinstance(outcome, Reply) or not documents.quotes_after(reply, outcome.text):
        return None
    return outcome.offer


def _taken_up(turn: Turn, offer: Offer | None) -> tuple[Turn, Skill] | None:
    """Return how a message takes up an offer; None when it is about something else."""
    answer = read_answer(turn.text)
    if answer == "no" and turn.past:
        return turn, speak(turn, Request("kept" if correcting.has_changed(turn.past[-1]) else "declined"))
    match offer:
        case Proposal():
            numbers = picked_numbers(turn.text)
            if answer == "yes" or numbers:
                return turn, analysis.apply_proposal(offer, numbers)
        case Suggestion() if answer == "yes":
            return _again(turn, offer.request)
        case Suggestion(request) if (
            request.startswith(creation.MADE_ANYWAY)
            and is_question(turn.text)
            and _command(turn, turn.text) is None
            and not catalogue.is_about_all(turn, read_tokens(turn.text))
            and (draft := _drafted(request.removeprefix(creation.MADE_ANYWAY))) is not None
        ):
            return turn, creation.tell_of(draft, turn.text, offer)
        case Choice() if chosen := picked(turn.text, offer) or _only_one(offer, answer):
            return _again(replace(turn, chosen={**offer.chosen, offer.phrase: chosen}), offer.request)
        case Completion() if (
            answer is None
            and not (turn.text.strip().endswith("?") or is_order(turn.text) or is_question(turn.text))
            and _command(turn, turn.text) is None
        ):
            return _again(turn, offer.before + turn.text.strip() + offer.after)
        case _:
            pass
    if answer != "yes":
        return None
    return turn, speak(turn, Request("thanks" if thanks(read_tokens(turn.text)) else "unconfirmed"))


def _again(turn: Turn, text: str) -> tuple[Turn, Skill]:
    told = replace(turn, text=text)
    return told, _skill(told)


def _skill(turn: Turn) -> Skill:
    """Return the skill for a message that answers nothing."""
    text = turn.text[:_MOST_CHARS]
    if (imported := read_import(text)) is not None:
        return creation.import_document(turn, Request("import", imported, text))
    prose, blocks = split_fences(text)
    if blocks and not prose.strip():
        return saying(_UNKNOWN_FORMAT)
    if len(prose) > _MOST_PROSE_CHARS:
        return saying(_TOO_LONG.format(len(prose), _MOST_PROSE_CHARS))
    if (wanted := changing.shown_first(prose)) is not None and is_order(wanted):
        return changing.change(turn, wanted, dry_run=True)
    prose = documents.without_source(turn, prose)
    if (shown := _SHOWN_AFTER.match(prose.strip())) is not None:
        otherwise = _free(turn, prose)
        return catalogue.show_named(turn, _bare(shown["what"])[0], shown["verb"].lower(), otherwise)
    prose = _mended(prose)
    command = _command(turn, prose)
    return command if command is not None else _free(replace(turn, text=prose), prose)


def _is_about_parts(turn: Turn, found: Request, text: str) -> bool:
    """Say whether what looks like a workflow's name may be a step or a role of the one at hand."""
    phrase = found.slots.get("workflow", "")
    if found.kind not in ("explain", "show", "analyse", "stuck") or not phrase or focus(turn) is None:
        return False
    return text.strip().lower().startswith(_ASKING) and not _is_workflow(turn, phrase)


def _is_workflow(turn: Turn, phrase: str) -> bool:
    return is_pronoun(phrase) or names_workflow(turn, phrase)


def _command(turn: Turn, text: str, *, forced: bool = False) -> Skill | None:
    if len(text) > _MOST_COMMAND_CHARS:
        return None
    tokens = read_tokens(text)
    is_asked = text.strip().endswith("?") and not text.lower().startswith(("would you", "will you"))
    checks: dict[str, patterns.Check] = {
        "format": creation.is_format,
        "phase": agents.is_phase,
        "agents": lambda said: agents.are_named(turn, said),
        "time": lambda said: comparing.is_time(turn, said),
        "query": _is_topic,
        "workflow": _may_be_name,
    }
    found = patterns.match(tokens, text, "talk.tsv", checks) or patterns.match(tokens, text, "commands.tsv", checks)
    if found is None or (not forced and _is_about_parts(turn, found, text)):
        return None
    phrase = found.slots.get("workflow", "")
    if found.kind == "fix" and phrase and not _is_workflow(turn, phrase):
        # "Repair the payment ..." may be about a step.
        return None
    if found.kind in spoken() or found.kind in _SPOKEN:
        return speak(turn, Request(_SPOKEN.get(found.kind, found.kind)))
    if found.kind == "show_one":
        if is_order(text) or is_question(text):
            return None
        words = [t for t in tokens if t.kind == "word" and not t.among("answering.command.no")]
        phrase = text[words[0].start : words[-1].end]
        return catalogue.show(turn, Request("show", {"workflow": phrase}, text.strip()))
    if (
        found.kind in ("find", "show")
        and catalogue.is_about_all(turn, tokens)
        and (catalogue.described(phrase) is None or any(t.among("catalogue.workflows") for t in tokens))
    ):
        return analysis.answer(turn, text)
    undoing = found.kind in ("undo", "restore", "restore_first", "redo")
    meaning: Meaning = "weighed" if found.kind.endswith("_weighed") or (undoing and is_asked) else "order"
    request = Request(found.kind.removesuffix("_weighed"), found.slots, text.strip(), meaning)
    return _SKILLS[request.kind](turn, request)


def _free(turn: Turn, text: str) -> Skill:
    """Return the skill for a message in free words: a description, a question, an order."""
    confirmed = text.startswith(creation.MADE_ANYWAY)
    text = text.removeprefix(creation.MADE_ANYWAY)
    draft = _described(turn, text)
    if draft is not None and focus(turn) is not None and not (confirmed or _asks_to_draw(text)):
        return changing.change_or(turn, text, creation.offer(text, draft))
    if confirmed or draft is not None or asks_for_new(text):
        return creation.create(text, draft or _drafted(text), is_confirmed=confirmed)
    if is_question(text) or _asks_otherwise(text):
        if (going := changing.ordered_question(text)) is not None:
            return changing.change(turn, going)
        if (step := changing.lacking(text)) is not None and focus(turn) is not None:
            return changing.offer_lacking(turn, step)
        answered = analysis.answer(turn, text, _command(turn, text, forced=True))
        return answered if text.rstrip().endswith("?") else changing.change_or(turn, text, answered)
    if not is_order(text) and catalogue.is_filtered(turn, text):
        return analysis.answer(turn, text)
    phrase, is_corrected = _bare(text)
    is_told = catalogue.described(phrase) is None or focus(turn) is None
    if phrase and len(phrase.split()) <= _MOST_NAME_WORDS and (is_corrected or (is_told and not is_order(text))):
        return catalogue.show_named(turn, phrase, "show", _as_order(turn, text))
    return _as_order(turn, text)


def _as_order(turn: Turn, text: str) -> Skill:
    if is_other_language(text):
        return speak(turn, Request("other_language"))
    if is_order(text):
        return changing.change(turn, text)
    return changing.change_or(turn, text, analysis.answer_or(turn, text, changing.change(turn, text)))


def _passing_over(skill: Skill) -> Skill:
    """Do what a message asks for that takes up no offer; a change tells that the one offered is not made."""
    reply = yield from skill
    if not reply.text.startswith("Done:"):
        return reply
    return replace(reply, text=f"{reply.text}\n\nWhat I offered before is not done; say it again if you want it.")


def _asks_otherwise(text: str) -> bool:
    """Say whether a message that begins unlike a question is one: "disk is dead, what now", "tell me all of it"."""
    tokens = read_tokens(text[:_MOST_COMMAND_CHARS])
    tells = any(token.is_("tell", "show", "explain", "describe") for token in tokens[:2])
    return (tells or not is_order(text)) and asks(tokens)


def _bare(text: str) -> tuple[str, bool]:
    """Return a message without what stands around a name, and whether it corrects or goes on: "no, the trip"."""
    plain = _BEHIND_NAME.sub("", text.strip()[:200]).strip(" .!,")
    rest = _BEFORE_NAME.sub("", plain)
    return rest, rest != plain


def _mended(text: str) -> str:
    """Return a message with a mistyped "show" or "open" in front spelt right."""
    first = re.match(r"[a-z]{3,9}(?= )", text.lower())
    if first is None or entry_of(first[0]).known or first[0] in ("pls", "plz"):
        return text
    meant = nearest(first[0], ("show", "open", "display", "explain", "list", "find", "draw", "export", "what", "which"))
    return meant + text[first.end() :] if meant else text


_TOO_LONG = (
    "That is {:,} characters; I read messages of up to {:,}, and nothing was done.\n"
    "Send it in several messages, or attach it as a document and ask about it."
)
_UNKNOWN_FORMAT = (
    "I don't know that format, and read nothing of it as prose. I can import BPMN, Step Functions, GitHub Actions, "
    "Argo, n8n, Airflow, Kestra, Mermaid, JSON and YAML workflows: say “import this:” in front."
)
_ASKING = ("what", "how", "who", "where", "which", "list", "is ", "are ", "does ", "do ", "can ")
_SPOKEN = {"offended": "insult", "repeat": "unknown"}
_OTHER = re.compile(
    r"\b(?:und|nicht|der|die|das|ein|eine|einen|bitte|mit|für|wird|ist|erstelle|lösche|zeige|el|los|"
    r"una|quiero|por|pour|les|une|est|dans|il|della|alle|avec|supprime|mir)\b",
    re.IGNORECASE,
)


def is_other_language(text: str) -> bool:
    """Say whether a message is mostly not English."""
    words = text.split()
    return (
        len(words) > 2
        and len(_OTHER.findall(text[:2000])) * 5 >= min(len(words), 100)
        and not re.search(r"\b(?:the|to|and|of)\b", text[:2000])
    )


_NO_TOPIC = word_set("answering.no_topic")


def _may_be_name(said: str) -> bool:
    """Say whether words can stand for a workflow: "it" alone, and nothing with "as" in it."""
    words = said.lower().split()
    stops = {"as", "which", "everything", "all", "should", "must", "shall", "may", "gets", "takes", "could"}
    return (catalogue.described(said) is not None and words[-1] != "one" and not (stops - {"which"}) & set(words)) or (
        not stops & set(words)
        and ("one" in words or not {"after", "before", "between", "when", "if"} & set(words))
        and "that" not in words[1:-1]
        and not said.strip().isdecimal()
        and not set(said) & set(":,;")
        and (words[0] not in ("it", "me", "us") or len(words) == 1)
        and len(words) <= 8
    )


def _is_topic(said: str) -> bool:
    """Say whether words name a topic to look for, not something that is asked of workflows or their steps."""
    tokens = read_tokens(said)
    first = next(iter(tokens), None)
    if (
        first is None
        or len(tokens) > 8
        or first.has("aux")
        or (first.entry.verb and first.entry.form == "s" and not first.has("noun"))
    ):
        return False
    return not any(t.lower in _NO_TOPIC or t.kind == "number" for t in tokens) and any(t.is_content for t in tokens)


# A message is read again at each step of its turn, and not kept for much longer.
_drafted = lru_cache(maxsize=_MOST_DRAFTS)(read_description)


def asks_for_new(text: str) -> bool:
    """Say whether a message orders a new workflow."""
    first = re.split(r"[.:;\n]", text.strip(), maxsplit=1)[0]
    found = _MAKES.match(first)
    if found is None:
        return False
    # "add a step to the expense workflow" adds to one.
    return not re.search(
        r"\b(?:step|to (?:the|my|our|this)|in (?:the|my|our|this)|of (?:the|my|our|this)|"
        r"(?:the|this|that|my) (?:whole |entire )?workflow)\b",
        found[0].lower(),
    )


def _described(turn: Turn, text: str) -> Drafted | None:
    """Return the draft of a message that orders a new workflow or plainly lists one, or None."""
    is_asked, is_free = _asks_to_draw(text), focus(turn) is None
    if is_question(text) and not is_asked:
        return None
    lists = len(_LIST.findall(text)) >= _FEWEST_LISTED or len(_ARROW.findall(text)) >= _FEWEST_ARROWS
    if not is_asked and not is_free and (not lists or _orders_listed(text)):
        return None
    if not (lists and is_free) and tells_work(text) <= _TELLS:
        return None
    draft = _drafted(text)
    return draft if draft is not None and (is_asked or draft.size > 1) else None


def _asks_to_draw(text: str) -> bool:
    """Say whether a message asks for the workflow that it tells, in front of it or behind it."""
    if asks_for_new(text) or _MADE_SO.match(text) is not None:
        return True
    *told, last = sentences(read_tokens(text)) or ((),)
    asks = any(token.among("build") or token.is_("draw") for token in last)
    return bool(told) and asks and any(token.among("workflow") for token in last)


def _orders_listed(text: str) -> bool:
    """Say whether a list begins with an order: "1. add x 2. remove y"."""
    first = re.sub(r"^\s*(?:[-*•]|\d{1,2}[.)])\s*", "", text.strip().split("\n")[0])
    return is_order(first)


_ORDERED = re.compile(
    r"\b(?:import(?:ing)?|load|upload|read in|take in|bring in|ingest|parse|convert|turn|transform|"
    r"add|create|make|build|save|store|keep|register|migrate|use|here(?:'s| is| are)|this is)\b",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"[{<\[]|^[ \t]*[\w.$\"'-]+:(?:\s|$)|```|~~~", re.MULTILINE)
_NAME = re.compile(
    r"\b(?:called|named|name it|call it|under the name)\s+(\"[^\"\n]{1,100}\"|[^:\n{<\[`]{1,100})", re.IGNORECASE
)
_ORDERED_PLAINLY = re.compile(r"(?:please |now |can you |could you ){0,4}import\b", re.IGNORECASE)
_MOST_INTRODUCING_CHARS = 400


def read_import(text: str) -> dict[str, str] | None:
    """Return the slots of a request to import the document in a message; None when it is no such request.

    A document by itself is to be imported; one with words around it when they ask for that. A document
    that no format knows counts only after the word import itself, so that its faults can be told.
    """
    if not _DOCUMENT.search(text):
        return None
    known = pasted_document(text)
    document = known or looks_pasted(text)
    if document is None:
        return None
    around = text.replace(document, " ", 1).replace("```", " ").strip()
    if len(around) > _MOST_INTRODUCING_CHARS or around.endswith("?"):
        return None
    wanted = not around.strip(" .,:;!\n") or _ORDERED.search(around)
    if not (wanted if known is not None else _ORDERED_PLAINLY.match(around)):
        return None
    name = _NAME.search(around)
    return {"name": unquoted(name[1])} if name else {"document": "pasted"}


def _only_one(choice: Choice, answer: str | None) -> str | None:
    """Return the id of the only candidate, where a message says yes to it; else None."""
    return choice.candidates[0].id if answer == "yes" and len(choice.candidates) == 1 else None
