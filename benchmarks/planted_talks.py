"""Long conversations made by rule: facts of ten kinds among small talk, told and asked about in many voices.

A question shares few words with its answer: what is talked of has two names, one in the talk and often
the other in the question, and four in ten facts are told of "it", which the message before names. Two sets have no
wording in common: what is tuned is tuned on `dev`, and `held_out` tells how good it is.
"""

from dataclasses import dataclass
from random import Random
from typing import Literal

Set = Literal["dev", "held_out"]
TURNS = 300
_EVERY = 9
"""Messages from one fact to the next."""
_TOLD_OF_IT = 0.4
_OTHER_NAME = 0.5


@dataclass(frozen=True, slots=True)
class Planted:
    """What is asked, the message that answers it, and the words of the answer."""

    text: str
    message: int
    answer: str


THINGS = (
    ("forklift", "lifting truck"),
    ("canteen", "staff restaurant"),
    ("archive", "document store"),
    ("crane", "hoist"),
    ("label printer", "sticker machine"),
    ("warehouse", "depot"),
    ("fleet", "company cars"),
    ("gate", "entrance"),
    ("scanner", "barcode reader"),
    ("heating", "boiler"),
    ("newsletter", "monthly mailing"),
    ("payroll", "salary run"),
    ("helpdesk", "support line"),
    ("roof", "top cover"),
    ("website", "web pages"),
    ("fire drill", "evacuation exercise"),
)
PLACES = (
    ("Lyon", "the French branch"),
    ("Porto", "the Portuguese branch"),
    ("Graz", "the Austrian branch"),
    ("Ghent", "the Belgian branch"),
    ("Turku", "the Finnish branch"),
    ("Bergen", "the Norwegian branch"),
    ("Cork", "the Irish branch"),
    ("Gdansk", "the Polish branch"),
    ("Malmo", "the Swedish branch"),
)
FIRMS = (
    ("Hartmann", "the tyre people"),
    ("Brandt", "the paper mill"),
    ("Ostler", "the caterer"),
    ("Quill", "the print shop"),
    ("Vance", "the cleaners"),
    ("Merula", "the insurer"),
    ("Tarn", "the hauler"),
    ("Dorset", "the law office"),
    ("Kestrel", "the agency"),
    ("Fjord", "the power company"),
)
PEOPLE = ("Irene", "Tomas", "Yuki", "Farid", "Greta", "Olu", "Pilar", "Sven", "Noor", "Bruno", "Katja", "Liam", "Ada")
_COLOURS = ("crimson", "teal", "ochre", "violet", "ivory", "cobalt")
_MONTHS = ("March", "April", "June", "October")

# A kind: how it is told, how it is asked, what answers it; the first half of each is `dev`'s.
_KINDS: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...] = (
    (
        (
            "{person} looks after {x}.",
            "{x} is with {person} now.",
            "I handed {x} to {person}.",
            "{person} took {x} on.",
        ),
        ("Who is responsible for {x}?", "Whose job is {x}?", "Who do I turn to about {x}?", "Who runs {x} for us?"),
        "{person}",
    ),
    (
        (
            "We can go up to {n} euros on {x}.",
            "{x} may cost {n} at most.",
            "Keep {x} under {n}.",
            "{n} is all {x} gets.",
        ),
        (
            "What is the limit for {x}?",
            "How much may we spend on {x}?",
            "What budget was set for {x}?",
            "How costly may {x} be?",
        ),
        "{n}",
    ),
    (
        ("In the end we took {firm} for {x}.", "{firm} won {x}.", "{x} goes to {firm}.", "It will be {firm} for {x}."),
        (
            "Which supplier was chosen for {x}?",
            "Who got the contract on {x}?",
            "Who delivers {x}?",
            "Whom did we pick for {x}?",
        ),
        "{firm}",
    ),
    (
        (
            "I like {x} in {colour}.",
            "For {x} I would rather have {colour}.",
            "{x} looks best {colour}.",
            "Make {x} {colour}.",
        ),
        (
            "What colour do I want for {x}?",
            "How should {x} be painted?",
            "Which shade suits me for {x}?",
            "How do I prefer {x} to look?",
        ),
        "{colour}",
    ),
    (
        (
            "From now on {person} signs anything on {x}.",
            "Nothing on {x} without {person}.",
            "{person} has to okay {x}.",
            "Ask {person} before {x} moves.",
        ),
        (
            "Who must approve {x}?",
            "Whose signature does {x} need?",
            "Who gives the green light for {x}?",
            "Whom must I consult first for {x}?",
        ),
        "{person}",
    ),
    (
        (
            "{x} has to be done by {day} {month}.",
            "They want {x} on {day} {month}.",
            "{day} {month} and {x} is over.",
            "{x} ends {day} {month}.",
        ),
        (
            "When is the deadline for {x}?",
            "By which date must we finish {x}?",
            "How long have we got for {x}?",
            "When is {x} due?",
        ),
        "{day} {month}",
    ),
    (
        (
            "The number of {x} is {code}.",
            "{x} runs under {code}.",
            "Write {code} on everything for {x}.",
            "They filed {x} as {code}.",
        ),
        (
            "Under what reference is {x}?",
            "Which code belongs to {x}?",
            "How do I label papers about {x}?",
            "What identifier has {x}?",
        ),
        "{code}",
    ),
    (
        (
            "Do not send {x} through {place}.",
            "{x} must not touch {place}.",
            "Keep {x} away from {place}.",
            "No {place} for {x}.",
        ),
        (
            "Which town is ruled out for {x}?",
            "Where must {x} never go?",
            "What spot does {x} avoid?",
            "Which site is forbidden to {x}?",
        ),
        "{place}",
    ),
    (
        (
            "{person} has not said yes to {x} yet.",
            "We still wait for {person} on {x}.",
            "{x} hangs on {person}.",
            "No word from {person} about {x}.",
        ),
        (
            "Whose answer is outstanding on {x}?",
            "Who is holding up {x}?",
            "Who has yet to decide on {x}?",
            "Whose reply do we lack for {x}?",
        ),
        "{person}",
    ),
    (
        (
            "First {place} got {x}, then {other}.",
            "{x} came to {place} before {other}.",
            "After {place} it was {other} for {x}.",
            "{place} had {x}, {other} followed.",
        ),
        (
            "Where did {x} arrive second?",
            "Which branch came later with {x}?",
            "Who had {x} next, after the first?",
            "What was the second stop of {x}?",
        ),
        "{other}",
    ),
)
_NAMED = (
    ("Now about {x}.", "One more thing, {x}.", "Then there is {x}.", "You asked about {x}."),
    ("What about {x}?", "Where are we with {x}?", "Let us turn to {x}.", "So, {x}."),
)
_CHATTER: tuple[tuple[str, ...], ...] = (
    (
        "Morning! Did anybody call about the {thing}?",
        "I had lunch with {person} and we laughed a lot.",
        "The weather in {place} was awful.",
        "Somebody from {firm} left a card.",
        "How is your week going?",
        "Let me look at that in a moment.",
        "{person} says hello from {place}.",
        "That sounds fine to me.",
        "I saw a {colour} car by the {thing}.",
        "They are moving desks around again.",
        "Was it {n} people at the party?",
        "Right, we said that before.",
        "I would not worry about the {thing} today.",
        "{firm} sent calendars, nice ones.",
    ),
    (
        "hey, quick one",
        "ok noted",
        "{person} is off until {month}",
        "train to {place} late again, sigh",
        "lol the {thing} made that noise",
        "need coffee",
        "{firm} phoned, nothing important",
        "can u believe it",
        "brb, door",
        "{colour} sticky notes everywhere",
        "that took me {n} steps on the counter",
        "sure, why not",
        "who moved the chairs near the {thing}",
        "{person} brought cake",
    ),
)


def planted_talk(seed: int, which: Set) -> tuple[list[str], list[Planted]]:
    """Return the messages of a conversation, and what is asked about them; the same for a seed and a set."""
    random = Random(f"{which} {seed}")
    half = 0 if which == "dev" else 1

    def filling() -> dict[str, str]:
        place, other = random.sample(PLACES, 2)
        return {
            "person": random.choice(PEOPLE),
            "firm": random.choice(FIRMS)[0],
            "thing": random.choice(THINGS)[0],
            "place": place[0],
            "other": other[0],
            "colour": random.choice(_COLOURS),
            "month": random.choice(_MONTHS),
            "n": str(random.randint(100, 99_999)),
            "day": str(random.randint(1, 28)),
            "code": f"{random.choice('ABCDEF')}{random.choice('KLMNP')}-{random.randint(1_000, 9_999)}",
        }

    def chatter(most: int) -> str:
        said = (
            random.choice(_CHATTER[random.randrange(2)]).format(**filling()) for _ in range(random.randint(1, most))
        )
        return " ".join(said)

    def one_of(pool: tuple[str, ...]) -> str:
        return random.choice(pool[half * len(pool) // 2 : (half + 1) * len(pool) // 2])

    messages = [chatter(3) for _ in range(TURNS * 2)]
    planted: list[Planted] = []
    asked: set[str] = set()
    for at in range(3, TURNS * 2 - 40, _EVERY):
        told, questions, answer = _KINDS[len(planted) % len(_KINDS)]
        filled = filling()
        thing, owner = random.choice(THINGS), random.choice((*PLACES, *FIRMS))
        x, asked_x = _names(random, thing, owner)
        question = one_of(questions).format(x=asked_x)
        if owner[0] in (filled["place"], filled["other"], filled["firm"]) or asked_x in asked:
            continue
        asked.add(asked_x)
        of_it = random.random() < _TOLD_OF_IT
        if of_it:
            messages[at - 1] = f"{chatter(1)} {random.choice(_NAMED[half]).format(x=x)}"
        told_of = one_of(told).format(**filled, x="it" if of_it else x)
        messages[at] = (
            f"{chatter(1)} {told_of[0].upper()}{told_of[1:]} {chatter(1) if random.random() < 0.5 else ''}".strip()
        )
        planted.append(Planted(question, at, answer.format(**filled)))
    return messages, planted


def _names(random: Random, thing: tuple[str, str], owner: tuple[str, str]) -> tuple[str, str]:
    """Return what something of somebody is called when it is told of, and when it is asked about."""
    told = f"the {thing[0]} of {owner[0]}"
    other_thing, other_owner = random.random() < _OTHER_NAME, random.random() < _OTHER_NAME
    if other_thing and other_owner:
        # One of the two is said alike, or no words could find it.
        other_owner = False
    return told, f"the {thing[other_thing]} of {owner[other_owner]}"
