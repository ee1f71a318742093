"""Durable things that an event is done in, on or to: "put the pasta in the pot", "line a tin", "heat the grill".

They are containers, supports and appliances. Each is also a participant: the place, or the patient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.tools.tool_phrases import phrases_of, whole_of
from kgscripts.text.amounts import is_size
from kgscripts.text.lexicon import classes_of, foods, is_a, is_tool, verbs
from kgscripts.text.syntax import lemma, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Token

PLACING = frozenset(
    {"in", "into", "inside", "inside of", "on", "onto", "on top of", "upon", "over", "under", "from", "out of"}
    | {"off", "off of", "to", "around", "between", "through", "at", "among"}
)
_NO_USE = (
    verbs("having")
    | verbs("perception")
    | verbs("dwelling")
    | verbs("reporting")
    | {"glance", "look", "stare", "test", "try"}
)
_BRINGING = frozenset({"bring", "carry", "take"})
_COOKING = frozenset(
    {"preheat", "heat", "reheat", "warm", "grease", "oil", "butter", "flour", "line", "sterilise", "sterilize", "rim"}
)
_READYING = _COOKING | (
    {"light", "prepare", "fill", "start", "switch", "turn", "invert", "bring", "cover", "coat"}
    | {"boil", "replace", "remove", "tilt", "swirl", "shake", "operate", "uncover"}
)
"""Verbs with which a thing is made ready, operated or put in its place for what follows, where nothing else is the
tool: "grease a tin", "heat the grill", "put a pan on the heat"."""
_PUTTING = frozenset({"put", "place", "set", "return", "screw"})
_FROM = frozenset({"off", "off of", "from", "to", "around", "at", "among"})
"""Prepositions after which only containers, machines and sieves are tools: "take the cake from the oven"."""
_FOODS = ("food", "head")
_OF_FOOD = frozenset(
    {"mixture", "filling", "liquid", "dough", "foil", "paper", "parchment", "greaseproof", "lid", "pancake"}
)
_NO_FOOD = frozenset(
    {"consumable", "clothing", "implement", "information", "person", "animal", "vessel", "appliance", "piece"}
)
"""Classes of things that are no food, unless they are listed as food."""
_SOURCES = ("vessel", "appliance", "filter", "surface")
_COATING = frozenset({"boil", "grease", "oil", "butter", "flour", "coat", "line", "fill", "cover", "rim", "bring"})
_COATED = ("vessel", "surface", "work_surface", "appliance", "heat_source")
_KITCHENWARE = (
    {
        "pan",
        "saucepan",
        "pot",
        "casserole",
        "skillet",
        "wok",
        "griddle",
        "bowl",
        "dish",
        "tin",
        "tray",
        "sheet",
        "mould",
    }
    | {"ramekin", "rack", "board", "jug", "plate", "platter", "blender", "processor", "mixer", "microwave", "steamer"}
    | {"fridge", "refrigerator", "freezer", "cooker", "machine", "lid", "colander", "sieve", "shaker", "thermos", "mug"}
    | {"cup", "glass", "kettle", "barbecue", "fryer", "toaster", "towel", "container", "jar", "glasses"}
)
"""Last words of what food is worked on in or with."""
_GUIDING = {
    "run": frozenset({"around", "round", "along", "over", "through", "between", "under"}),
    "insert": frozenset({"in", "into"}),
}
"""Verbs and prepositions with which an implement is moved along a thing, or put into it."""
SURFACES = frozenset({"surface", "work surface", "worktop"})
_AMOUNTS = frozenset({"tablespoon", "teaspoon", "ball", "wedge", "stick", "sheet", "layer", "strip", "patch", "string"})
_WHICH = frozenset({"this", "that", "any", "each", "which", "no"})
_DISCARDING = frozenset({"throw", "discard", "dump", "chuck"})
_MOVED = frozenset({"go", "come", "walk", "drive", "run", "ride", "travel", "move", "arrive", "sit", "stand", "lie"})


def places_of(frame: Frame) -> Iterator[Token]:
    """The durable things in, on, from or to which the event is done."""
    verb = lemma(frame.verb)
    if verb in _NO_USE | _DISCARDING or (verb in _MOVED and not frame.objects):
        return
    is_place = _place_of_work(frame)
    for phrase in phrases_of(frame):
        if phrase.preposition not in PLACING or not is_place(phrase.head):
            continue
        if phrase.preposition == "to" and verb in _BRINGING:
            continue  # "brought the mug to the kettle"
        name = noun_lemma(whole_of(phrase.head))
        if phrase.preposition not in _FROM or name in SURFACES or is_a(name, *_SOURCES):
            yield from durable(phrase.head)
        for inner in prepositional_phrases(phrase.head):
            if inner.preposition in {"in", "on", "over"}:
                yield from durable(inner.head)
    for acted in frame.objects:
        for phrase in prepositional_phrases(acted):
            if phrase.preposition in PLACING - _FROM and is_place(phrase.head):
                yield from durable(phrase.head)


def _place_of_work(frame: Frame) -> Callable[[Token], bool]:
    """Which things are places where the event works on something, and does not only stow it ("clothes in a suitcase").

    Food is worked on in whatever it is; what may be food, in kitchenware; and all that is heated, on the heat.
    """
    things = list(frame.nouns())
    if any(map(_is_food, things)):
        return lambda _: True
    if all(_may_be_food(thing) or _is_kitchenware(thing) for thing in things):  # "place the bowl over a pan of water"
        return _is_kitchenware
    return lambda place: is_a(noun_lemma(place), "heat_source")


def _is_kitchenware(noun: Token) -> bool:
    names = {noun_lemma(noun), noun_lemma(whole_of(noun))}  # both of "a pot of water"
    return any(n.rsplit(" ", 1)[-1] in _KITCHENWARE or is_a(n, "heat_source") or n in SURFACES for n in names)


def _is_food(noun: Token) -> bool:
    words = noun_lemma(noun).split(" ")
    return words[-1] in _OF_FOOD or any(word in foods(label) for word in words for label in _FOODS)


def _may_be_food(noun: Token) -> bool:
    """Whether a thing is not known to be no food."""
    name = noun_lemma(noun)
    known = classes_of(name) | classes_of(name.rsplit(" ", 1)[-1])
    return _is_amount(noun) or _is_food(noun) or not known & _NO_FOOD


def operated(frame: Frame) -> Iterator[Token]:
    """The durable things that the event makes ready, operates or takes to hand."""
    if lemma(frame.verb) not in _READYING and not (_is_put_on_heat(frame) or _is_guided(frame)):
        return
    if frame.recipients or frame.instruments:
        return
    if any(phrase.preposition == "with" and is_a(noun_lemma(phrase.head), "implement") for phrase in frame.phrases):
        return
    verb, with_what = lemma(frame.verb), [phrase.head for phrase in frame.phrases if phrase.preposition == "with"]
    if verb == "fill" and not all(map(_may_be_food, with_what)):
        return  # "filled the tank with diesel"
    for acted in frame.objects:
        wholes = {noun_lemma(noun) for noun in (acted, whole_of(acted))}
        if not is_noun(acted) or (verb in _COATING and not any(is_a(name, *_COATED) for name in wholes)):
            continue
        readied = verb in _COOKING | {"bring", "boil"} or is_a(noun_lemma(acted), "appliance")
        if readied or _is_kitchenware(acted) or _is_guided(frame):
            yield from durable(acted)


def _is_put_on_heat(frame: Frame) -> bool:
    """Whether a thing is put where it is heated, or on what is: "put a pan on the hob", "put the lid on", "place a
    towel over the potatoes"."""
    over = {phrase.preposition for phrase in frame.phrases} & {"over", "on top of"}
    covering = {"lid", "towel", "cloth"} if over else {"lid"}
    if lemma(frame.verb) in _PUTTING and any(lemma(noun) in covering for noun in frame.objects):
        return True
    heads = (noun_lemma(phrase.head) for phrase in frame.phrases if phrase.preposition in {"on", "over", "in", "to"})
    return lemma(frame.verb) in _PUTTING and any(name == "heat" or is_a(name, "heat_source") for name in heads)


def _is_guided(frame: Frame) -> bool:
    """Whether an implement is moved along a thing, or put into it: "run a knife around the edge", "insert a skewer into
    the centre"."""
    phrases = [*frame.phrases, *(phrase for noun in frame.objects for phrase in prepositional_phrases(noun))]
    moved = _GUIDING.get(lemma(frame.verb), frozenset())
    return any(phrase.preposition in moved for phrase in phrases) and any(
        is_a(noun_lemma(noun), "implement") for noun in frame.objects
    )


def durable(noun: Token) -> Iterator[Token]:
    """The durable things that a noun phrase names: a thing, and the whole of which it is a part ("the bottom of a tin",
    "the pan of the bread machine", "a pot of water")."""
    for candidate in dict.fromkeys((noun, whole_of(noun))):
        name = noun_lemma(candidate)
        if is_noun(candidate) and _is_durable(name) and not (_is_amount(candidate) or _is_circumstance(candidate)):
            yield candidate


def _is_durable(name: str) -> bool:
    return (is_tool(name) or name in SURFACES) and not is_a(name, "vehicle")


def _is_circumstance(noun: Token) -> bool:
    """ "In this case"; the surface of a thing is none of its own."""
    if lemma(noun) == "surface":
        return noun_lemma(noun) == "surface" and not any(child.lower_ in {"a", "another"} for child in noun.lefts)
    return lemma(noun) == "case" and any(child.lower_ in _WHICH for child in noun.lefts)


def _is_amount(noun: Token) -> bool:
    """Whether a noun is a unit or a shape: "two tablespoons of batter", "roll into balls"."""
    is_meat = lemma(noun) == "rack" and content_head(noun) != noun  # "racks of lamb"
    return noun_lemma(noun) in _AMOUNTS or is_size(noun) or is_meat
