"""Telling that a message is in another language than the one that is read here."""

import re
from typing import Final

from workflow_agent.agent.offline.drafting.words import word_set

_MOST_CHARS: Final = 1_000
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENGLISH: Final = word_set(
    "the a an and is are of for to with when if then in on it i my we you this that not"
)
_OTHERS: Final = (
    word_set(
        "der die das und ist ein eine einen ich du wir nicht mit für wenn dann wird werden von zu den dem "
        "des was wie kannst mir bitte erstelle erstellen mitarbeiter genehmigt antrag hallo alle alles zeige "
        "zeig lösche lösch ändere füge hinzu"
    ),
    word_set(
        "le la les et est un une je tu nous pas avec pour quand alors des du dans que qui crée créer bonjour "
        "supprime supprimez montre montrez ajoute tous toutes"
    ),
    word_set(
        "el la los las y es un una con para cuando entonces del que quiero crear hola por favor "
        "elimina borra muestra añade todos todas"
    ),
    word_set("il lo la gli e è un una con per quando allora del della che voglio crea creare ciao"),
    word_set("o os as e é um uma com para quando então do da que quero criar olá"),
    word_set("de het een en is niet met voor wanneer dan wordt van ik je wij maak hallo"),
)
"""Words that nearly every sentence has: German, French, Spanish, Italian, Portuguese, Dutch."""
_LEAST: Final = 2


def is_other_language(text: str) -> bool:
    """Say whether a text has more of the commonest words, or letters, of another language than English."""
    words = [word.casefold() for word in _WORD.findall(text[:_MOST_CHARS])]
    letters = "".join(words)
    if sum(letter > "\u036f" for letter in letters) * 2 > len(letters):
        return True
    english = sum(word in _ENGLISH for word in words)
    other = max(sum(word in known for word in words) for known in _OTHERS)
    return other >= _LEAST and other > english
