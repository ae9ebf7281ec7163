"""Signs that edits may not be what a message means; each is told, and makes the change a preview."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import cast

from workflow_agent.assistant.offline.clauses import is_actor_word, phrase_at
from workflow_agent.assistant.offline.lexicon import entry_of
from workflow_agent.assistant.offline.people import is_somebody
from workflow_agent.assistant.offline.plan import WHOLE, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.walks import reach
from workflow_agent.workflows.model.workflow import Workflow

_NO_WORD = re.compile(r"[\W_]+")
_DIRECTIONS = ("above", "below")
_LONGEST_NAME = 8
"""Words of a name; more are rather a sentence."""
_AS_FAR_AS = 3
"""Words between "below" and its number, and between "first" and "day"."""


def doubts(plan: Plan, before: Workflow, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield what is not sure in the edits of a message, as sentences without a full stop.

    Args:
        plan: The edits, read from the whole message.
        before: The workflow without them.
        tokens: The message without what was taken for the reason.
    """
    words = plan.named(tokens)
    quoted = {t.text.casefold() for t in tokens if t.kind == "quoted"}
    for name, who in _new_steps(before, plan.edits):
        named = read_tokens(name)
        if name.casefold() not in quoted and (len(named) > _LONGEST_NAME or _is_doubtful(plan, named, who)):
            yield f"I am not sure that “{name}” is its name"
    yield from _doubtful_roles(plan, before, [t for t in words if t.start not in plan.taken_back])
    yield from _unmet(plan, words)
    yield from _turned(plan.edits, tokens)
    yield from _other_work(plan.edits, before, words)
    yield from graph_doubts(plan, before, tokens)
    yield from _other_places(plan.edits, before, words)
    operations = {str(edit["op"]) for edit in plan.edits}
    said = [t for t in tokens if t.kind != "punct"]
    if "set_start" in operations and said[-1].is_("first") and not said[0].is_("put", "move", "make"):
        yield "I took “first” for the very beginning"
    about = content_of(before.name)
    starts = any(t.among("doubts.starting") or t.lemma in WHOLE or t.lower in PRONOUNS for t in tokens)
    if (
        "add_trigger" in operations
        and "remove_trigger" not in operations
        and not starts
        and not any(akin(t.lower, one) for t in tokens for one in about)
    ):
        yield "I took that for when the whole workflow starts"


def graph_doubts(plan: Plan, before: Workflow, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield what is not sure in edits whoever reads them: what the workflow becomes, and how many things were meant.

    Args:
        plan: The edits.
        before: The workflow without them.
        tokens: The message.
    """
    yield from _cut_off(before, plan.workflow)
    gone = [str(edit["step"]) for edit in plan.edits if edit["op"] == "remove_step"]
    for one in gone:
        step = before.step(one)
        cases = [edge for edge in before.outgoing(one) if edge.when is not None]
        if step is not None and len(cases) > 1 and not any(e.when for e in before.incoming(one)):
            yield f"the cases of “{step.name}” would be those of the step before it"
    names = {step.name.casefold() for step in before.steps}
    for edit in plan.edits:
        step = before.step(str(edit.get("step")))
        if edit["op"] in ("set_timeout", "set_assignee", "set_retry") and step is not None and step.type == "end":
            yield f"“{step.name}” is an end"
        if edit["op"] == "rename_workflow" and str(edit["name"]).casefold() in names:
            yield f"“{edit['name']}” is a step, and this would be the name of the whole workflow"
    if len(gone) == 1 == len(plan.edits) and any(t.is_("both") for t in tokens):
        yield "You said “both”, and I found one"
    if any(edit["op"] == "set_retry" for edit in plan.edits) and not any(t.among("doubts.retries") for t in tokens):
        yield "I took how often for how often it is tried again"


def _parts_of(edit: JsonObject) -> Iterator[JsonObject]:
    """Yield an edit and the objects in it: a new step, and the fields that are set."""
    yield edit
    yield from (cast("JsonObject", edit[key]) for key in ("step", "with", "set") if isinstance(edit.get(key), dict))


def _new_steps(before: Workflow, edits: Sequence[JsonObject]) -> Iterator[tuple[str, str | None]]:
    """Yield the names that edits give to steps, each with who does a new one; no decisions, forks or joins."""
    for edit in edits:
        renamed = before.step(str(edit["step"])) if edit["op"] == "rename_step" else None
        if renamed is not None and renamed.type != "decision":
            yield str(edit["name"]), ""
        yield from (
            (str(part["name"]), cast("str | None", part.get("assignee")))
            for part in list(_parts_of(edit))[1:]
            if "name" in part and part.get("type") not in ("decision", "fork", "join")
        )


def _is_doubtful(plan: Plan, words: Tokens, who: str | None) -> bool:
    """Say whether words are rather part of a sentence than a name."""
    finite = [
        at
        for at, t in enumerate(words)
        if "s" in t.entry.form.split()
        and t.has("verb")
        and not t.has("noun")
        and not any(one.has("det") for one in words[max(at - 1, 0) : at])
    ]
    inner = any(
        (t.has("aux", "pron", "wh", "neg", "conj") and not t.is_("and", "or"))
        for t in words
        if t.text != "IT" and not t.is_("you")
    )
    unfinished = len(words) > 1 and (
        words[-2].is_("and") or words[-1].is_("to", "of", "for", "with", "from", "by", "at")
    )
    actor = who is None and len(words) > 2 and is_somebody(plan.workflow, words[:1]) and words[1].entry.form == "base"
    acts = actor and any(t.has("prep", "det") for t in words[2:3])
    last = next(reversed(words), None)
    tail = entry_of(last.lower.rpartition("-")[2]) if last is not None and "-" in last.lower else None
    if last is not None and tail is not None and "s" in tail.form.split() and not last.entry.known:
        # "Security double-checks", where no dictionary has the verb.
        return True
    clausal = any(
        "ed" in t.entry.form.split() and words[at].has("noun") and words[at + 2].is_("to", "by")
        for at, t in enumerate(words[1:-1])
        if t.has("verb") and not t.has("noun")
    )
    told = len(words) > 1 and words[-1].entry.form == "ed" and not words[-1].has("noun", "adj")
    return (
        bool(finite)
        or inner
        or unfinished
        or told
        or clausal
        or acts
        or any(t.among("placing.doubtful") for t in words)
    )


def _doubtful_roles(plan: Plan, before: Workflow, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a doubt for who does it in words that do not stand together, and for somebody who is nowhere."""
    said = _plain(plan.text)
    for who in dict.fromkeys(_people(plan.edits)):
        parts = _plain(who).split()
        if f" {' '.join(parts)} " not in f" {said} " and len(parts) > 1 and any(t.lower in parts for t in tokens):
            yield f"I am not sure that “{who}” is who does it"
        words = read_tokens(who)
        infinitive = any(b.is_("to", "into") and t.lower == who for b, t in itertools.pairwise(tokens))
        is_verb = len(words) == 1 and infinitive and words[0].has("verb") and not is_actor_word(words[0])
        starts = len(words) > 1 and "base" in words[0].entry.form.split() and not is_somebody(plan.workflow, words)
        # "Out the owner", and not "head of the baths".
        inner = any(t.has("det") for t in words[1:]) and not any(t.is_("of") for t in words)
        if inner or (who == who.lower() and (is_verb or starts)):
            yield f"I am not sure that “{who}” is who does it"
    if all(edit["op"] == "update_transition" for edit in plan.edits):
        return
    made = _plain(str([*plan.edits, *plan.unread]))
    touched = [step for step in (*before.steps, *plan.workflow.steps) if f" {_plain(step.id)} " in f" {made} "]
    known = {*made.split(), *content_of(plan.workflow.name)}
    known |= {word for s in touched for one in (s.name, s.assignee, s.escalate_to) for word in _plain(one).split()}
    for token in tokens:
        if token.kind != "word" or token.has("pron") or token.among("doubts.nobody") or not is_actor_word(token):
            continue
        if token.text.casefold() not in known and not any(akin(token.lower, one) for one in known):
            yield f"I did not use “{token.text}”"


def _other_work(edits: Sequence[JsonObject], before: Workflow, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a doubt where a step is named by work that its name has at its end: "loading" of "Repair load"."""
    for step in filter(None, (before.step(str(edit.get("step"))) for edit in edits)):
        verb, *rest = content_of(step.name)
        said = [t for t in tokens if t.kind == "word" and any(akin(t.lower, one) for one in (verb, *rest))]
        if said and all(t.entry.form == "ing" and not akin(t.lower, verb) for t in said):
            yield f"I am not sure that “{said[0].text}” is **{step.name}**"


def _cut_off(before: Workflow, after: Workflow) -> Iterator[str]:
    """Yield a doubt for each step that is there still and is never reached any more, though what led to it is."""
    lost = reach(before, before.start) - reach(after, after.start)
    for step in after.steps:
        if step.id in lost and step.type != "end" and all(after.step(e.from_) for e in before.incoming(step.id)):
            yield f"“{step.name}” would never be reached"


def _other_places(edits: Sequence[JsonObject], before: Workflow, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a doubt where "after the release" may be behind the approval of it, or where it is made."""
    behind = next((at for at, token in enumerate(tokens) if token.is_("after")), len(tokens))
    said = [t.lower for t in tokens[behind:] if t.is_content]
    for edit in edits:
        step = before.step(str(edit.get("after"))) if edit["op"] == "insert_step" else None
        name = content_of(step.name) if step else []
        if step is None or not said or len(name) < 2 or any(akin(word, name[0]) for word in said):
            continue
        for one in before.steps:
            if one.type == "end" and all(any(akin(word, own) for own in content_of(one.name)) for word in said):
                yield f"“{said[0]}” may be **{step.name}** or **{one.name}**"


def _people(edits: Sequence[JsonObject]) -> Iterator[str]:
    for part in (part for edit in edits for part in _parts_of(edit)):
        yield from (str(part[key]) for key in ("assignee", "escalate_to") if part.get(key))


def _unmet(plan: Plan, words: Sequence[Token]) -> Iterator[str]:
    """Yield a doubt for each word that restricts an order, of which no edit shows anything."""
    cases = [_plain(one) for one in _conditions(plan.edits)]
    operations = {str(edit["op"]) for edit in plan.edits}
    late = any("escalate_to" in str(edit) for edit in plan.edits)
    parts = operations & {"parallelize", "add_error_path", "add_trigger"}
    unread = _plain(" ".join(plan.unread)).split()
    for at, token in enumerate(words):
        if token.kind != "word" or token.lower in unread or any(token.lower in one.split() for one in cases):
            continue
        bounds = any(t.value is not None for t in words[at + 1 : at + 3]) or operations & {
            "set_assignee",
            "set_permission",
        }
        if token.is_("without") and at and words[at - 1].is_("do") and "remove_step" in operations:
            # "We can do without the survey."
            continue
        if token.is_("only") and not cases and not bounds:
            yield "I am not sure what “only” says here"
        elif token.among("doubts.restricting") and not cases and not late and not parts:
            yield f"I am not sure what “{token.text}” says here"
        elif token.among("doubts.ordinals") and not parts and any(t.lower == "day" for t in words[at + 1 : at + 2]):
            yield f"I did not use “{token.text} day”"


def _conditions(edits: Sequence[JsonObject]) -> Iterator[str]:
    for part in (part for edit in edits for part in _parts_of(edit)):
        if isinstance(when := part.get("when"), dict):
            yield str(cast("JsonObject", when).get("text") or "")


def _turned(edits: Sequence[JsonObject], tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a doubt where a message says "below" of a number, and an edit "above", or the other way round."""
    said = dict(_directions(tokens))
    for condition in _conditions(edits):
        for number, direction in _directions(read_tokens(condition)):
            if said.get(number, direction) != direction:
                yield f"I am not sure that “{condition}” is the case you mean"


def _directions(tokens: Sequence[Token]) -> Iterator[tuple[float, str]]:
    """Yield the amounts in words, each with whether those above or those below it are meant."""
    for at, token in enumerate(tokens):
        if token.kind != "number" or token.value is None:
            continue
        for first in range(max(at - _AS_FAR_AS, 0), at):
            _, kinds = phrase_at(tokens, first, "markers.tsv")
            if tokens[first].is_("up") and any(t.among("doubts.raising") for t in tokens):
                # "Raise it up to 100".
                continue
            if found := [kind for kind in kinds if kind in _DIRECTIONS]:
                yield token.value, found[0]
                break


def _plain(text: str | None) -> str:
    return _NO_WORD.sub(" ", (text or "").casefold()).strip()
