"""The objects of a verb: nouns of quantities, objects behind a particle, and verbs that share no object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.text.amounts import LENGTHS, PARTITIVES
from kgscripts.text.lexicon import classes_of, is_a, is_tool_after, verbs
from kgscripts.text.syntax import OBJECT, PARTICLE, lemma, objects_of, prepositional_phrases
from kgscripts.text.verb_objects import verb_objects

if TYPE_CHECKING:
    from spacy.tokens import Token

_UNITS = LENGTHS | {"ml", "oz", "lb", "tsp", "tbsp", "block", "degree", "percent", "time", "lap"}
_MEASURES = frozenset(
    {"cup", "glass", "bottle", "bowl", "can", "spoonful", "teaspoon", "tablespoon", "scoop", "slice", "piece", "dozen"}
    | {
        "handful",
        "capful",
        "drop",
        "pinch",
        "dash",
        "pound",
        "ounce",
        "gram",
        "liter",
        "litre",
        "gallon",
        "quart",
        "pint",
    }
)
_MEASURED = frozenset({"add", "drink", "eat", "measure", "pour", "mix", "use", "need", "sip", "swallow", "combine"})
_UNTIL_PARTICLE = frozenset({"up", "off", "out", "down", "away", "over", "in", "on"})
_APPROXIMATELY = frozenset({"about", "around", "nearly", "almost", "roughly"})
_ADDING = frozenset({"put", "throw", "toss", "drop", "mix", "stir", "fold", "pour"})
_LIQUIDS = frozenset({"water", "oil", "milk", "sauce", "soup", "broth", "batter", "mixture"})
_PLACING = frozenset({"in", "on", "over"})
# Verbs that have an object less often than this share none with a verb behind them.
_LEAST_TRANSITIVE = 0.25
# Verbs that have an object more often than this are taken to have one wherever a noun can be it.
_NEEDS_OBJECT = 0.75
_WHERE = ("place", "vessel", "surface", "carrier", "body", "time", "abstract", "appliance")
# Verbs with an object this often have it behind a particle that the parser took for a preposition.
_MOSTLY_TRANSITIVE = 0.6


def acted_upon(verb: Token) -> tuple[list[Token], list[Token]]:
    """The heads of the objects of an active verb, and of its recipients ("showed the guard our tickets")."""
    if lemma(verb) in verbs("objectless"):
        return [], []
    found = objects_of(verb, shared=_shares_object(verb)) or _approximate(verb)
    addressed: list[Token] = []
    direct = [child for child in verb.children if child.dep_ in OBJECT]
    if len(direct) > 1 and _is_person(direct[0]) and _is_thing(direct[1], verb):
        addressed = [direct[0]]
    if (
        found
        and not _takes_objects(verb)
        and any(other.dep_ == "conj" and other.i < found[0].i for other in verb.rights)
    ):
        return [], addressed  # "sat and ate an apple", where parsers attach the object to the first verb
    kept = [_measured(noun) for noun in found if noun not in addressed and not _is_quantity(noun, verb)]
    if len(kept) > 1 and _measures(found[-1]):  # "a cup and a half of lentils"
        kept = [noun for noun in kept if _measures(noun) or lemma(noun) not in _MEASURES | _UNITS]
    return kept, addressed


def _approximate(verb: Token) -> list[Token]:
    """ "Water" of "drain about a third of the water", where the parser takes "about" for a preposition."""
    return [
        phrase.head
        for phrase in prepositional_phrases(verb)
        if phrase.preposition in _APPROXIMATELY and phrase.head.i > verb.i and _measures(phrase.head)
    ]


def _measures(noun: Token) -> bool:
    return content_head(noun) != noun or _measured(noun) != noun


def _is_person(noun: Token) -> bool:
    return noun.pos_ == "PRON" or is_a(noun_lemma(noun), "person")


def _is_thing(noun: Token, verb: Token) -> bool:
    return is_noun(noun) and not _is_quantity(noun, verb) and not is_a(noun_lemma(noun), "time")


def _takes_objects(verb: Token) -> bool:
    word = lemma(verb)
    return word not in verbs("intransitive") and verb_objects().transitivity(word) >= _LEAST_TRANSITIVE


def _shares_object(verb: Token) -> bool:
    """Whether a verb may share a following object: "wash and chop the carrots", not "sit down and read a book"."""
    if not _takes_objects(verb):
        return False
    allowed = PARTICLE | {"conj", "cc", "punct", "advmod"}
    return all(child.dep_ in allowed and child.lower_ not in _DIRECTIONS for child in verb.rights)


_DIRECTIONS = frozenset(
    {"on", "off", "down", "out", "in", "away", "back", "over", "around", "apart", "along", "through", "together"}
    | {"home", "inside", "outside", "upstairs", "downstairs", "indoors", "outdoors", "aside", "forward"}
)


def _measured(noun: Token) -> Token:
    """The noun or pronoun that a quantity belongs to: "eggs" of "two of the eggs", "it" of "some of it"."""
    if noun.lemma_.lower() in PARTITIVES or noun.pos_ == "NUM":
        for phrase in prepositional_phrases(noun):
            if phrase.preposition == "of" and (not is_noun(phrase.head) or not is_noun(noun)):
                return phrase.head
    return noun


def _is_quantity(noun: Token, verb: Token) -> bool:
    """Whether the noun is only an amount or a distance: "two inches", "three cups" without their content."""
    name = lemma(noun)
    counted = any(child.dep_ == "nummod" or child.lower_ in {"a", "an", "every", "few"} for child in noun.lefts)
    if not counted or _measures(noun):
        return False
    if name in _UNITS:
        return True
    # "Use a bowl to mix the flour" names a bowl, "use two cups" a quantity.
    numbered = lemma(verb) != "use" or any(child.dep_ == "nummod" for child in noun.lefts)
    return name in _MEASURES and lemma(verb) in _MEASURED and numbered


def _needs(verb: str, particle: str, noun: str) -> bool:
    """Whether the object of a verb that hardly ever lacks one is a noun that is no place: "plugged in the drill"."""
    if verb_objects().transitivity(verb, particle) < _NEEDS_OBJECT or noun in _LIQUIDS:
        return False
    return bool(classes_of(noun)) and not is_a(noun, *_WHERE)


def object_behind_particle(verb: Token) -> tuple[Token, Token] | None:
    """The particle and the object of "plugged in the drill", where the parser analysed them as a phrase.

    The tagger recognises some particles. A preposition also counts as one if the verb mostly has an object, takes such
    objects, and the noun is neither a place nor a vessel in which something is done.
    """
    if verb.i + 1 == len(verb.doc):
        return None
    particle = verb.nbor(1)
    noun = particle.head
    if particle.dep_ != "case" or noun.head != verb or noun.dep_ != "obl" or not is_noun(noun):
        return None
    if particle.lower_ not in _UNTIL_PARTICLE or sum(child.dep_ == "case" for child in noun.lefts) > 1:
        return None
    name, word = noun_lemma(content_head(noun)), lemma(verb)
    worked_in = word in verbs("combining") | verbs("mixing") | verbs("heating") and is_a(name, "vessel")
    if particle.tag_ == "RP" and not worked_in:  # "mix in a bowl"
        return particle, noun
    head = name.rsplit(" ", 1)[-1]
    if is_a(name, "time", "abstract") or verb_objects().transitivity(word, particle.lower_) < _MOSTLY_TRANSITIVE:
        return None
    if particle.lower_ in _PLACING:
        added = word in _ADDING and is_a(name, "consumable", "information") and head not in _LIQUIDS
        preferred = verb_objects().preference(word, particle.lower_, head) > 0
        fits = added or preferred or _needs(word, particle.lower_, name)
        where = is_tool_after(particle.lower_, name) or is_a(name, "place", "work_surface")
        return (particle, noun) if fits and not where else None
    return (particle, noun) if verb_objects().preference(word, particle.lower_, head) > -1 else None
