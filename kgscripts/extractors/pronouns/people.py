"""The people and animals that "he", "she", "him" and "her" may refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscripts.text.lexicon import is_a

if TYPE_CHECKING:
    from spacy.tokens import Token

GENDERS = {**dict.fromkeys(("she", "her", "hers", "herself"), "female"), **dict.fromkeys(("he", "him", "his"), "male")}
"""The pronouns for people, with the gender of those whom they refer to."""
_FEMALE = frozenset(
    {"mother", "mum", "mom", "sister", "daughter", "aunt", "grandmother", "grandma", "niece", "wife", "girl", "woman"}
    | {"lady", "waitress", "girlfriend", "bride", "queen", "hen", "cow", "widow", "bridesmaid", "actress", "granny"}
)
_MALE = frozenset(
    {"father", "dad", "brother", "son", "uncle", "grandfather", "grandpa", "nephew", "husband", "boy", "man", "priest"}
    | {"gentleman", "waiter", "boyfriend", "groom", "king", "rooster", "bull", "widower", "policeman", "fireman"}
)


def is_living(noun: Token, name: str) -> bool:
    """Whether a noun with a lemma is a person, an animal or a name."""
    return is_a(name, "person", "animal") or noun.pos_ == "PROPN"


def gender_of(name: str) -> str:
    """Female or male where the last word of a compound says so, else ""."""
    word = name.rsplit(" ", 1)[-1]
    return "female" if word in _FEMALE else "male" if word in _MALE else ""
