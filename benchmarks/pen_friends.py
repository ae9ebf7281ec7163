"""Conversations of two people over many dated sessions, in the shape of public sets for `eval_memory --file`.

    python -m benchmarks.pen_friends SEED > talk.json

What one of them tells has a place, a thing, a person or a day in it, and is asked about later in other words: once
for one message, where something was told twice for both of them, and by when it was told. Each message begins with
who says it, and each session with its day, as such sets have it.
"""

import argparse
import json
from datetime import date, timedelta
from random import Random
from typing import Any

_NAMES = ("Ayaka", "Bruno", "Chidi", "Dagny", "Emre", "Fiona", "Goran", "Hanne", "Ivo", "Jamila")
_SESSIONS, _FACTS_OF_A_SESSION, _TELLINGS = 18, 2, (1, 2)
# What is told, what the other says to it, what is asked of one telling and of several, and what is told of.
_KINDS = (
    (
        "I finally signed up for {} lessons",
        "Good for you! Learning something new at our age keeps us young",
        "What is {who} learning?",
        "Which skills has {who} taken up?",
        "ukulele;pottery;archery;fencing;sign language",
    ),
    (
        "We spent the long weekend in {}, it poured the whole time",
        "Still, a trip is a trip. I have not travelled in ages",
        "Where did {who} travel to?",
        "Which trips did {who} make?",
        "Trieste;Galway;Lucerne;Tallinn;Bilbao",
    ),
    (
        "My sister {} is expecting in autumn",
        "A baby in the family, how lovely! You will be spoiling it",
        "Who in the family of {who} will have a baby?",
        "Which relatives of {who} have a baby to come?",
        "Odile;Ruta;Mirela;Sanja;Pilar",
    ),
    (
        "I brought home a rescue {} on Saturday, total chaos",
        "Another animal! Your flat is turning into a zoo of pets",
        "What animal does {who} keep?",
        "Which pets has {who} adopted?",
        "greyhound;parrot;tortoise;ferret;terrier",
    ),
    (
        "The boss moved me over to {}, new desk and all",
        "Is that a step up at the office, or just another department?",
        "What does {who} do at the office now?",
        "In which departments has {who} worked?",
        "procurement;packaging;compliance;logistics;training",
    ),
    (
        "I burnt the {} again, smoke alarm and everything",
        "Stay out of the kitchen! How can a dish go that wrong",
        "What went wrong in the kitchen of {who}?",
        "Which dishes did {who} ruin?",
        "lasagne;risotto;crumble;goulash;paella",
    ),
    (
        "Doctor says no more {} for me, allergy",
        "What a pity, so many foods one must not eat these days",
        "What must {who} not eat?",
        "Which foods does {who} have to leave out?",
        "walnuts;shellfish;celery;sesame;strawberries",
    ),
    (
        "I picked up an old {} at the flea market for nothing",
        "You and your second hand bargains, what else did you buy",
        "What did {who} buy second hand?",
        "Which bargains did {who} find?",
        "gramophone;typewriter;samovar;barometer;rocking chair",
    ),
    (
        "Our team lost to {} by one point, gutted",
        "They beat everybody this season, nobody plays well against them",
        "Who beat the side of {who}?",
        "Against whom did {who} play?",
        "Rovers;Albion;Wanderers;Thistle;Harriers",
    ),
    (
        "Granddad left me his {} in the will",
        "To inherit something of his must mean a lot, a real heirloom",
        "What did {who} inherit?",
        "Which heirlooms does {who} own?",
        "pocket watch;accordion;stamp album;telescope;sailing boat",
    ),
    (
        "I have to give a talk about {} on Monday, shaking already",
        "You speak so well in public, and it is your subject",
        "What will {who} speak about in public?",
        "What subjects did {who} present?",
        "beekeeping;tides;glaciers;bookbinding;moss",
    ),
    (
        "Gave up {} for good, three weeks now",
        "That habit was hard to quit for me as well, well done",
        "What habit has {who} dropped?",
        "What has {who} quit?",
        "smoking;coffee;sugar;biting my nails;fizzy drinks",
    ),
)
_SMALL_TALK = (
    "Ha, you would!", "That sounds like you.", "And how is everything else?", "Same here, honestly.",
    "I have been meaning to write all week.", "Work was a lot again.", "Did you sleep at all?", "Oh no, poor you.",
    "Tell me all about it next time.", "My back still hurts from the garden.", "It has been raining for days.",
    "I owe you a call, I know.", "We should really meet up soon.", "You make me laugh.", "No way, really?",
    "The neighbours are drilling again.", "I am so happy for you.", "Lunch was cold but the company was good.",
    "Anyway, enough about me.", "What are you up to this weekend?", "Fingers crossed.", "I almost forgot to say.",
)  # fmt: skip


def pen_friends(seed: int) -> dict[str, Any]:
    """Return a conversation with its sessions and questions, the same for a seed."""
    random = Random(f"pen friends {seed}")
    two = random.sample(_NAMES, 2)
    day = date(2024, random.randint(1, 12), random.randint(1, 28))
    sessions: list[dict[str, Any]] = []
    held: dict[tuple[str, str, str], list[tuple[str, str, date]]] = {}
    facts = [
        (who, kind, what)
        for who in two
        for kind in _KINDS
        for what in random.sample(kind[4].split(";"), random.choice(_TELLINGS))
    ]
    random.shuffle(facts)
    for number in range(_SESSIONS):
        told = facts[number * _FACTS_OF_A_SESSION : (number + 1) * _FACTS_OF_A_SESSION]
        turns = [{"id": f"{number}:0", "text": f"{two[0]}: Hello {two[1]}, it is {day:%A, %d %B %Y} already!"}]
        for who, kind, what in told:
            telling, reply, one, several, _ = kind
            for _ in range(random.randint(4, 12)):
                _say(turns, random.choice(two), _small_talk(random))
            _say(turns, who, f"{_small_talk(random)} {telling.format(what)}. {_small_talk(random)}")
            held.setdefault((who, one, several), []).append((str(turns[-1]["id"]), what, day))
            other = two[who == two[0]]
            _say(turns, other, f"{reply}. {_small_talk(random)}")
        sessions.append({"date": day.isoformat(), "turns": turns})
        day += timedelta(days=random.randint(3, 25))
    return {"sessions": sessions, "questions": list(_questions(held))}


def _say(turns: list[dict[str, str]], who: str, text: str) -> None:
    turns.append({"id": f"{turns[0]['id'].partition(':')[0]}:{len(turns)}", "text": f"{who}: {text}"})


def _small_talk(random: Random) -> str:
    return " ".join(random.sample(_SMALL_TALK, random.randint(1, 3)))


def _questions(held: dict[tuple[str, str, str], list[tuple[str, str, date]]]) -> Any:
    for (who, one, several), tellings in held.items():
        answer = " ".join(what for _, what, _ in tellings)
        asked = one if len(tellings) == 1 else several
        yield {"text": asked.format(who=who), "evidence": [at for at, _, _ in tellings], "answer": answer}
        at, what, day = tellings[0]
        yield {"text": f"When did {who} tell of {what}?", "evidence": at, "answer": f"{what} {day:%B}"}


def main() -> None:
    """Print one conversation as JSON."""
    parser = argparse.ArgumentParser(description="A conversation over many sessions.")
    parser.add_argument("seed", type=int)
    print(json.dumps(pen_friends(parser.parse_args().seed), ensure_ascii=False))


if __name__ == "__main__":
    main()
