"""Orders that change the workflow at hand: done, shown first, or asked about where not understood."""

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from rapidfuzz import fuzz, process

from workflow_agent.assistant.offline.clauses import counts, phrase_at, read_head, stripped, trimmed
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.mood import MODALS, letter_itself, may_ask
from workflow_agent.assistant.offline.nlu.doubts import consequences
from workflow_agent.assistant.offline.nlu.hedges import ASKED
from workflow_agent.assistant.offline.nlu.reading import planned, read_order
from workflow_agent.assistant.offline.patterns import Request, sentence_case
from workflow_agent.assistant.offline.plan import WHOLE, Asked, Plan
from workflow_agent.assistant.offline.references import (
    FRAME_WORDS,
    PRONOUNS,
    Steps,
    StepUnclear,
    akin,
    content_of,
    with_names,
)
from workflow_agent.assistant.offline.skills.targets import listed_workflow, read_workflow, which_workflow
from workflow_agent.assistant.offline.skills.versions import deletion, is_preview, previewed, read_undo, undo
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.focus import focus, known_workflows, last_step, listed_in_reply
from workflow_agent.assistant.offline.turn.outcome import (
    Call,
    Candidate,
    Choice,
    Completion,
    JsonObject,
    Proposal,
    Reply,
    Skill,
    ToolFailure,
    with_fixes,
)
from workflow_agent.assistant.offline.turn.reading import Turn, WorkflowRef
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.wording import (
    bulleted,
    clipped,
    describe_edits,
    describe_findings,
    example_step,
    joined,
    numbered,
    versioned,
)
from workflow_agent.workflows.model.workflow import Workflow

_MOST_CHARS = 4_000
_TAKES_BACK = 0.8
"""How certain it must be that a message takes the last change back, where its words do not say so."""
_ASKED_FOR = 0.5
"""How certain it must be which change a question asks for, where it is none that is answered, for it to be offered."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_STRUCTURAL = word_set("changing.structural")
_SHOW_FIRST = re.compile(
    r"(?:,? (?:and|but) (?:please )?|[.;,] *(?:but |please )?)?\b(?:show me (?:that |it |this |the "
    r"(?:result|change|changes|outcome) )?(?:first|beforehand|what (?:that|it) would (?:change|do|"
    r"look like)(?: first)?)"
    r"|let me see (?:it |that )?first|(?:as a |just )?preview(?: only| first)?|dry[- ]run|don't (?:do|"
    r"apply|save) (?:it|that) yet|ask me first|without (?:doing|applying|saving) it)\b",
    re.IGNORECASE,
)
_WHAT_IT_CHANGES = re.compile(
    r"^(?:please )?(?:show|tell) me (?:first )?what (?P<order>\w+ing [^?\n]{1,300}?) would (?:change|"
    r"do)(?: first)?[.?! ]*$",
    re.IGNORECASE,
)


def shown_first(text: str) -> str | None:
    """Return an order without the wish to see it first; None where a message has no such wish."""
    if (told := _WHAT_IT_CHANGES.match(text.strip())) is not None:
        return told["order"]
    plain = _SHOW_FIRST.sub("", text)
    return plain.strip(" ,.;") if plain != text and plain.strip(" ,.;") else None


_GOING_AHEAD = re.compile(
    r"^(?:could|can|should|would|may|will) (?P<subject>(?:the |our |my |this |that )?\S+(?: "
    r"\S+){0,3}?) (?P<verb>be|go|get|have|do|come|happen|take|run)\b(?P<rest>[^?]{0,200})\?\s*"
    r"(?:please )?(?:change|add|do|set|make|update) (?:it|that|this)(?: so| then| please| like "
    r"that){0,2}[.! ]*$",
    re.IGNORECASE,
)


def ordered_question(text: str) -> str | None:
    """Return the statement of a question that a go-ahead follows: "could X go to Y? Please change it."."""
    found = _GOING_AHEAD.match(text.strip())
    return f"{found['subject']} should {found['verb']}{found['rest']}" if found else None


_LACKING = re.compile(
    r"^(?:(?:do|don't|wouldn't|would) you (?:not )?(?:think|say|agree) (?:that )?)?"
    r"(?:(?:isn't|is(?: there)?(?: not)?) (?P<a>.{1,80}?) (?:missing|lacking)(?=(?: here)?\?$)"
    r"|(?:shouldn't|should|mustn't|must) there (?:not )?be (?P<b>.{1,80}?)(?=(?: here)?\?$)"
    r"|(?P<c>.{1,80}?) is (?:missing|lacking)(?=(?: here)?[?.!]*$)"
    r"|(?:do |don't |shouldn't |should )?we (?:not )?(?:need|lack) (?P<d>.{1,80}?)(?=(?: here)?\?$))"
    r"(?: here)?[?.!]*$",
    re.IGNORECASE,
)
_FIELDS = (
    "deadline", "timeout", "limit", "retry", "owner", "escalation", "permission", "form", "tag", "alias", "description",
)  # fmt: skip
"""What a step or workflow may lack that is no step."""
_BY_PLACE = re.compile(
    r"\b(?:the|that) (?:one|step|task|thing|part|activity)\b.{0,15} (?:before|after) ", re.IGNORECASE
)
_NEW = re.compile(r"(?:an?|another|some|any) ", re.IGNORECASE)


def lacking(text: str) -> str | None:
    """Return the step of which a message asks whether it is missing: "shouldn't there be a legal review?"."""
    found = _LACKING.match(text.strip())
    said = next((one for one in found.groups() if one), "") if found else ""
    words = read_tokens(said)
    named = [t for t in words if t.is_content and t.lemma not in FRAME_WORDS]
    plain = not durations_in(words) and not any(t.is_(*_FIELDS) for t in words)
    return said if _NEW.match(said) and named and plain else None


def offer_lacking(turn: Turn, said: str) -> Skill:
    """Say whether there is a step like one asked for, and offer to add it where there is none."""
    workflow = yield from read_workflow(turn, None)
    step = Steps(workflow).maybe(read_tokens(said))
    if step is not None:
        return Reply(f"It is not missing: **{workflow.name}** has **{step.name}** (`{step.id}`).")
    wanted = _NEW.sub("", said, count=1)
    reply = yield from change(turn, f"add a {wanted}", weighed=True)
    if not isinstance(reply.offer, Proposal):
        return reply
    return Reply(f"**{workflow.name}** has no {wanted}. {reply.text}", reply.offer)


def named_whole(tokens: Sequence[Token]) -> tuple[Tokens, Tokens]:
    """Return a message without "to my expense workflow", and the words that say which one."""
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        if token.lemma not in WHOLE or token.kind != "word" or at == 0:
            continue
        first = at
        while (
            first and tokens[first - 1].kind in ("word", "quoted") and not _parts(tokens[first - 1]) and at - first < 6
        ):
            first -= 1
        name = tuple(tokens[first:at])
        end = at + 1
        if end < len(tokens) and tokens[end].is_("called", "named") and end + 1 < len(tokens):
            return (), ()
        if first and tokens[first - 1].among("changing.named_whole.to") and any(counts(t) for t in name):
            return (*tokens[: first - 1], *tokens[end:]), name
    return tuple(tokens), ()


def _parts(token: Token) -> bool:
    return token.has("prep", "conj", "aux") or (token.entry.form == "s" and not token.has("noun"))


def change(turn: Turn, text: str, *, dry_run: bool = False, weighed: bool = False) -> Skill:
    """Make the change a message orders, or show it where not every word of it was understood."""
    if len(text) > _MOST_CHARS:
        return Reply(
            f"That is {len(text):,} characters; I read orders of up to {_MOST_CHARS:,}, and nothing was changed.\n"
            "Send it in several messages: each is done on the result of the one before."
        )
    text = letter_itself(text)
    if (undoing := read_undo(text)) is not None and not dry_run and not weighed:
        return (yield from undo(turn, undoing))
    if (said := lacking(text)) is not None:
        text = f"add {said}"
    if focus(turn) is not None and _BY_PLACE.search(text) is not None:
        text = with_names(text, Steps((yield from read_workflow(turn, None, to_change=True))))
    tokens = read_tokens(text)
    named = yield from _whole(turn, tokens)
    if named is not None:
        if named[0] == "remove":
            return deletion((yield Call("delete_workflow", {"workflow": named[1]})))
        turn = replace(turn, chosen={**turn.chosen, "": named[1]})
        # Else "the second one" of a list of workflows would be read as a step of that workflow.
        words = _object(tokens)
        text = f"{text[: words[0].start]}the workflow{text[words[-1].end :]}"
        tokens = read_tokens(text)
    mood, rest = stripped(tokens)
    if mood == "weighed":
        # "What if we drop the scoring?"
        tokens, weighed = tuple(t for t in rest if t.text != "?"), True
    workflow, tokens = yield from _target(turn, tokens, text)
    plan = _empty(turn, text, workflow)
    reading = read_order(plan, tokens)
    if reading.intent == "history" and reading.certainty > _TAKES_BACK and not (dry_run or weighed):
        return (yield from undo(turn, Request("undo", {}, text)))
    plan = planned(plan, reading, tokens)
    if _fits_badly(plan) and focus(turn) is not None:
        elsewhere = yield from _elsewhere(turn, tokens, workflow)
        if elsewhere is not None:
            workflow, tokens = elsewhere
            plan = _empty(turn, text, workflow)
            plan = planned(plan, read_order(plan, tokens), tokens)
    if isinstance(plan, StepUnclear):
        return unclear_step(turn, workflow, plan)
    if isinstance(plan, Asked) and not plan.question.endswith("?"):
        return Reply(f"I can't do that: {plan.question.rstrip('.')}. Nothing was changed.")
    if isinstance(plan, Asked):
        example = _completed(plan, example_step(workflow).name)
        return Reply(
            f"{plan.question} Nothing is changed yet. For example: “{example}”.",
            Completion(plan.before or f"{text.rstrip(' .!?')} ", plan.after),
        )
    plan.told += consequences(plan, workflow)
    if _renames_while_asked(turn, plan, tokens):
        plan.notes.append("I took the whole workflow for what gets that name, not a step that I offered")
    return (yield from _by_certainty(workflow, plan, dry_run=dry_run, weighed=weighed))


def _fits_badly(plan: Plan | StepUnclear | Asked) -> bool:
    """Say whether a step is named that this workflow has not, or has only in other words."""
    if isinstance(plan, StepUnclear):
        return not plan.candidates
    return isinstance(plan, Plan) and bool(plan.likened)


def change_or(turn: Turn, text: str, otherwise: Skill) -> Skill:
    """Make the change of a message that is surely an order, though it does not begin like one; else something else."""
    if focus(turn) is None:
        return (yield from otherwise)
    workflow = yield from read_workflow(turn, None, to_change=True)
    reading = read_order(_empty(turn, text, workflow), read_tokens(text))
    return (yield from change(turn, text, dry_run=may_ask(text)) if reading.is_sure else otherwise)


def offer_asked(turn: Turn, text: str, workflow: Workflow, otherwise: Reply) -> Skill:
    """Offer the change that a question most probably asks for, "could the wait be 30 days?"; else do as told."""
    plan = _empty(turn, text, workflow)
    tokens = read_tokens(text)
    if not any(t.is_(*MODALS) for t in tokens):
        # "Is it tagged fun?" asks for nothing to be done.
        return otherwise
    reading = read_order(plan, tokens)
    found = planned(plan, reading, tokens)
    if not isinstance(found, Plan) or not found.edits or reading.certainty < _ASKED_FOR:
        return otherwise
    found.notes = list(dict.fromkeys((ASKED, *found.notes)))
    found.told += consequences(found, workflow)
    return (yield from _preview(Candidate(workflow.id, workflow.name), found))


def _renames_while_asked(turn: Turn, plan: Plan, tokens: Tokens) -> bool:
    """Say whether "call it Z" would rename the workflow while a question about a step waits for its answer."""
    waits = bool(turn.past) and turn.past[-1].said_last.rstrip(" *`").endswith("?")
    renames = any(edit["op"] == "rename_workflow" for edit in plan.edits)
    return waits and renames and not any(t.lemma in WHOLE for t in tokens)


def _whole(turn: Turn, tokens: Tokens) -> Generator[Call, Any, tuple[str, str] | None]:
    """Return whether an order renames or removes a whole workflow, and which; None for a step."""
    kind = next((one for one in ("remove", "rename") if one in read_head(tokens).verbs), None)
    object_ = _object(tokens)
    words = [t for t in object_ if t.kind != "punct" and not t.has("det") and t.lemma not in WHOLE]
    ends = not object_ or object_[-1] is trimmed(tokens)[-1]
    pronoun = bool(object_) and all(t.lower in PRONOUNS or t.has("det") for t in object_)
    if kind == "remove" and pronoun and ends and last_step(turn) is None and focus(turn) is not None:
        ref = yield from which_workflow(turn, None, to_change=True)
        return kind, ref.id
    if kind is None or not words or (kind == "remove" and not ends):
        return None
    phrase = " ".join(t.lower for t in words)
    if (shown := listed_workflow(turn, phrase)) is not None:
        return kind, shown.id
    at_hand = focus(turn)
    if at_hand is not None and phrase in (at_hand.name.casefold(), at_hand.id):
        return kind, at_hand.id
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    found = [
        one["id"]
        for one in listed
        if phrase in (one["name"].casefold(), one["id"], *(a.casefold() for a in one.get("aliases", ())))
    ]
    return (kind, found[0]) if len(found) == 1 else None


def _object(tokens: Tokens) -> Tokens:
    """Return what stands between an order's verb and the first mark behind it."""
    rest = read_head(tokens).rest
    end = next(
        (at for at, t in enumerate(rest) if t.kind != "quoted" and phrase_at(rest, at, "markers.tsv")[1]), len(rest)
    )
    return rest[:end]


def _completed(asked: Asked, name: str) -> str:
    said = asked.question.lower()
    if said.startswith("in which case"):
        return "the amount is below 100"
    if said.startswith("until when"):
        return "it is approved"
    if "instead of it" in said:
        return "instead"
    if said.startswith("where") or "before or after" in said:
        return f"before {name}"
    if "who" in said:
        return "the team lead"
    return "2 days" if "how long" in said else "3" if "how often" in said or "number" in said else name


def _target(turn: Turn, tokens: Tokens, text: str) -> Generator[Call, Any, tuple[Workflow, Tokens]]:
    """Return the workflow that is meant, and the order without the words that say which."""
    rest, name = named_whole(tokens)
    at_hand = focus(turn)
    if name:
        phrase = text[name[0].start : name[-1].end]
        mine = at_hand is not None and all(t.lower in at_hand.name.casefold() for t in name if counts(t))
        return (yield from read_workflow(turn, None if mine else phrase, to_change=True)), rest
    if "" in turn.chosen:
        return (yield from read_workflow(turn, None, to_change=True)), tokens
    for ref in (one for one in known_workflows(turn) if at_hand is None or one.id != at_hand.id):
        if (found := _mention_of(turn, tokens, ref)) is not None:
            return (yield from read_workflow(turn, ref.id, to_change=True)), found
    if at_hand is not None and (found := _mention_of(turn, tokens, at_hand)) is not None:
        tokens = found
    if at_hand is None and (elsewhere := (yield from _elsewhere(turn, tokens))) is not None:
        return elsewhere
    return (yield from read_workflow(turn, None, to_change=True)), tokens


def _empty(turn: Turn, text: str, workflow: Workflow) -> Plan:
    return Plan(text, workflow, Steps(workflow, _settled(turn, workflow), last_step(turn)))


def _elsewhere(
    turn: Turn, tokens: Tokens, workflow: Workflow | None = None
) -> Generator[Call, Any, tuple[Workflow, Tokens] | None]:
    """Return the workflow that an order names, another than one, and the order without that name; None without one."""
    listed = (yield Call("list_workflows", {"limit": 100}))["workflows"]
    found = mentioned(tokens, [item for item in listed if workflow is None or item["id"] != workflow.id])
    if found is None:
        return None
    return (yield from read_workflow(turn, found[0], to_change=True)), found[1]


def mentioned(tokens: Tokens, listed: Sequence[JsonObject]) -> tuple[str, Tokens] | None:
    """Return the id of the one workflow that words name behind "in" or "to", and the words without that."""
    for item in listed:
        for called in (item["name"], *item.get("aliases", ())):
            if (found := without_mention(tokens, called)) is not None:
                return item["id"], found
    by_id = {item["id"]: [content_of(called) for called in (item["name"], *item.get("aliases", ()))] for item in listed}
    for at, token in enumerate(tokens):
        if not token.is_("in", "to", "of", "for", "from", "within") or _gives_name(tokens, at):
            continue
        first = at + 1
        while first < len(tokens) and tokens[first].has("det"):
            first += 1
        for size in (3, 2, 1):
            some = [t for t in tokens[first : first + size] if t.is_content]
            fits = [
                one
                for one, names in by_id.items()
                if len(some) == size and any(all(any(akin(t.lower, w) for w in name) for t in some) for name in names)
            ]
            if len(fits) == 1:
                end = first + size
                while end < len(tokens) and (tokens[end].lemma in WHOLE or tokens[end].text == ","):
                    end += 1
                return fits[0], (*tokens[:at], *tokens[end:])
    return None


def _mention_of(turn: Turn, tokens: Tokens, ref: WorkflowRef) -> Tokens | None:
    """Return tokens without "in the <name>", by the workflow's own name or one that somebody gave it."""
    given = [name for one in turn.facts.references if one.workflow_id == ref.id for name in one.aliases]
    found = (without_mention(tokens, name) for name in dict.fromkeys([ref.name, *given]))
    return next((one for one in found if one is not None), None)


def without_mention(tokens: Tokens, name: str) -> Tokens | None:
    """Return tokens without "in the <name>" or "to <name>"; None where the name is not said that way."""
    words = [t.lower for t in read_tokens(name)]
    lowers = [t.lower for t in tokens]
    for at in range(len(lowers) - len(words) + 1):
        if lowers[at : at + len(words)] != words:
            continue
        first = at
        while first and tokens[first - 1].has("det"):
            first -= 1
        if first and tokens[first - 1].among("changing.without_mention.in") and not _gives_name(tokens, first - 1):
            end = at + len(words)
            while end < len(tokens) and tokens[end].lemma in WHOLE:
                end += 1
            return (*tokens[: first - 1], *tokens[end:])
    return None


def _gives_name(tokens: Tokens, at: int) -> bool:
    """Say whether "to" stands before a new name: "rename it to Time off wish" names no other workflow."""
    return tokens[at].is_("to") and any(t.is_("rename", "retitle", "relabel", "name", "title") for t in tokens[:at])


def _settled(turn: Turn, workflow: Workflow) -> dict[str, str]:
    """Return what earlier answers settled, and what "the second one" of a list just shown is."""
    shown = [item for item in listed_in_reply(turn) if workflow.step(item.id)]
    said = {word: item.id for word, item in zip(_ORDINALS, shown, strict=False)}
    return {**said, **turn.chosen}


def _by_certainty(workflow: Workflow, plan: Plan, *, dry_run: bool, weighed: bool) -> Skill:
    meant = Candidate(workflow.id, workflow.name)
    if not plan.edits or (len(plan.unread) > 4 and not any(" " in text for text in plan.unread)):
        return not_understood(workflow, plan.unread)
    if weighed:
        return _weighed(workflow, plan)
    if plan.unread or plan.notes:
        return (yield from _preview(meant, plan))
    try:
        done = yield from apply_edits(meant, plan.edits, dry_run=dry_run)
        return replace(done, text=f"{done.text}{_told_beside(plan)}")
    except ToolFailure as failure:
        if failure.offered or not dry_run:
            raise
        return _weighed(workflow, plan)


def _told_beside(plan: Plan) -> str:
    """Return what was decided without being said, and what was taken for why it is ordered."""
    told = [f"{one}." for one in plan.told]
    if plan.reasons:
        taken = joined([f"“{clipped(text, 80)}”" for text in plan.reasons])
        told.append(f"I took {taken} for the reason, and not for an order.")
    return f"\n\n{' '.join(told)}" if told else ""


def _preview(meant: Candidate, plan: Plan) -> Skill:
    told = [f"{sentence_case(note)}." for note in (*plan.notes, *plan.told)]
    unread = joined([f"“{clipped(word, 80)}”" for word in dict.fromkeys(plan.unread)])
    told += [f"I did not use: {unread}."] if plan.unread else []
    return (yield from shown_edits(meant, plan.workflow, plan.edits, told))


def shown_edits(meant: Candidate, workflow: Workflow, edits: Sequence[JsonObject], told: Sequence[str] = ()) -> Skill:
    """Show what edits would change, with why they are not made at once, and ask."""
    lines = bulleted(describe_edits(workflow, edits))
    try:
        result = yield Call("edit_workflow", {"workflow": meant.id, "edits": list(edits), "dry_run": True})
        lines = bulleted(result["changes"]) or lines
    except ToolFailure as failure:
        if failure.offered:
            raise
    beside = "".join(f"{one} " for one in told)
    return Reply(
        f"I understood, for **{meant.name}**:\n\n{lines}\n\n{beside}Nothing is changed yet. Shall I do it?",
        Proposal(meant, (tuple(edits),)),
    )


def _weighed(workflow: Workflow, plan: Plan) -> Reply:
    lines = bulleted(describe_edits(plan.workflow, plan.edits))
    beside = "".join(f" {sentence_case(told)}." for told in (*plan.notes, *plan.told))
    beside += f" I did not use: {joined([f'“{word}”' for word in plan.unread])}." if plan.unread else ""
    return Reply(
        f"That would mean, in **{workflow.name}**:\n\n{lines}\n\nNothing is changed yet.{beside} Shall I do it?",
        Proposal(Candidate(workflow.id, workflow.name), (tuple(plan.edits),)),
    )


def not_understood(workflow: Workflow | None, unread: Sequence[str] = ()) -> Reply:
    """Return that an order was not understood, in two lines, with one example that fits what is open."""
    why = next((word for word in unread if word.endswith(")") and "(" in word), "")
    reason = why[why.index("(") + 1 : -1] if why else ""
    first = f"I can't do that: {reason}." if reason else "I did not understand that; nothing was changed."
    if workflow is None:
        return Reply(f"{first}\nSay who does what, and I build a workflow; or “list workflows” to see those there are.")
    example = f"add a review before {example_step(workflow).name}"
    return Reply(f"{first} **{workflow.name}** is open.\nYou can say, for example, “{example}”.")


def unclear_step(turn: Turn, workflow: Workflow, unclear: StepUnclear) -> Reply:
    """Return the question for a phrase that means several steps, or none."""
    said = clipped(unclear.phrase, 80)
    if len(unclear.candidates) > 1:
        return Reply(
            f"“{said}” could be several steps of **{workflow.name}**; nothing is changed yet. Which one do you mean?"
            f"\n\n{numbered(unclear.candidates)}",
            Choice(turn.text, unclear.phrase, unclear.candidates, turn.chosen),
        )
    candidates = tuple(Candidate(step.id, step.name) for step in workflow.steps)
    names = [s.name for s in workflow.steps]
    close = process.extractOne(unclear.phrase, names, scorer=fuzz.token_set_ratio, score_cutoff=60)
    near = f" The closest is **{close[0]}**." if close else ""
    return Reply(
        f"I can't tell which step of **{workflow.name}** “{said}” is; nothing was changed.{near} "
        "Which one do you mean?",
        Choice(turn.text, unclear.phrase, candidates, turn.chosen),
    )


def apply_edits(workflow: Candidate, edits: Sequence[JsonObject], *, dry_run: bool = False) -> Skill:
    """Make the edits, check the result and say what changed."""
    wanted = {"workflow": workflow.id, "edits": list(edits)}
    result = yield Call("edit_workflow", wanted | {"dry_run": True} if dry_run else wanted)
    if is_preview(result):
        return previewed(result)
    is_structural = any(edit["op"] in _STRUCTURAL for edit in edits)
    return _changed(result, (yield from _validity(workflow.id)) if is_structural else "")


def _validity(workflow_id: str) -> Generator[Call, Any, str]:
    try:
        result = yield Call("analyze_workflow", {"workflow": workflow_id})
    except ToolFailure:
        return ""
    return (
        "It is still valid."
        if not result["counts"].get("error")
        else "This brought no new errors, but it has some; ask me what can go wrong for the list."
    )


def _changed(result: JsonObject, check: str) -> Reply:
    workflow = result["workflow"]
    changes: list[str] = result["changes"]
    if not changes:
        return Reply(f"There was nothing to change: {versioned(workflow)} is already that way.")
    text = f"Done: **{workflow['name']}** is now version {workflow['version']}.\n\n{bulleted(changes)}"
    found: list[JsonObject] = result.get("findings") or []
    if found:
        text += f"\n\nWorth a look after this change:\n\n{describe_findings(found)}"
    elif check:
        text += f"\n\n{check}"
    return with_fixes(text, workflow, found)
