"""Units of size, weight, volume and temperature, as recipes and instructions write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

LENGTHS = frozenset(
    {"inch", "foot", "ft", "yard", "mile", "mm", "millimeter", "millimetre", "cm", "centimeter", "centimetre"}
    | {"m", "meter", "metre", "km", "kilometer"}
)
WEIGHTS = frozenset({"mg", "gram", "g", "kilogram", "kg", "ounce", "oz", "pound", "lb", "lbs"})
VOLUMES = frozenset(
    {"milliliter", "millilitre", "ml", "cl", "dl", "liter", "litre", "l", "pint", "quart", "gallon"}
    | {"cup", "teaspoon", "tablespoon", "tsp", "tbsp", "tbs"}
)
UNITS = LENGTHS | WEIGHTS | VOLUMES | {"in", "c", "f", "°c", "°f", "degree", "percent"}
"""Lemmas, in lower case; those that are other words too are no unit without a number."""
NO_THINGS = frozenset(
    {"mm", "cm", "m", "km", "mg", "g", "kg", "oz", "lb", "lbs", "ml", "cl", "dl", "l", "tsp", "tbsp", "tbs", "ft"}
    | {"c", "f", "°c", "°f", "degree", "percent"}
)
"""Units that are the name of no thing, unlike "cup"."""
TIMES = frozenset({"second", "minute", "hour", "day", "night", "week", "month", "year"})
PARTITIVES = frozenset({
    "all", "amount", "any", "armful", "bag", "bar", "batch", "bead", "bit", "blob", "block", "both", "bottle",
    "bowl", "box", "bucket", "bulb", "bunch", "can", "capful", "carton", "chunk", "clove", "couple", "crate",
    "cube", "cup", "cupful", "dab", "dash", "dollop", "dose", "dozen", "drop", "each", "ear", "few", "fistful",
    "fold", "gallon", "glass", "gram", "half", "handful", "head", "heap", "inch", "jar", "jug", "kind", "knob",
    "ladle", "ladleful", "layer", "length", "liter", "litre", "load", "loaf", "lot", "lump", "majority", "many",
    "most", "mouthful", "mug", "number", "one", "ounce", "pack", "package", "packet", "pail", "pair", "panful",
    "part", "piece", "pile", "pinch", "pint", "pitcher", "plate", "plenty", "portion", "pot", "pound", "quantity",
    "quart", "quarter", "rack", "ream", "remainder", "rest", "roll", "sack", "scoop", "set", "sheet", "sip", "skein",
    "slice", "some", "sort", "splash", "spool", "spoon", "spoonful", "sprig", "squirt", "stack", "stalk", "stick",
    "strand", "strip", "tablespoon", "teaspoon", "third", "tin", "tube", "type", "variety", "wad", "wedge",
    "squeeze", "dusting", "helping", "glug", "sprinkling",
})  # fmt: skip
"""Words before "of" that measure a thing or name a part of it: "a bowl of rice", "most of the rice"."""


def is_size(modifier: Token) -> bool:
    """Whether a word is a unit behind its number, or both: "20 cm tin", "two tablespoon oil", "23x33cm dish"."""
    return modifier.lower_[:1].isdigit() or (modifier.lemma_.lower() in UNITS and _is_counted(modifier))


def is_time(modifier: Token) -> bool:
    """Whether a word is a unit of time behind its number: "20 minute nap"."""
    return modifier.lemma_.lower() in TIMES and _is_counted(modifier)


def is_no_thing(word: Token) -> bool:
    """Whether a word is the unit of a number and names no thing by itself: "g" of "200 g", "375ml"."""
    return word.lemma_.lower().lstrip("0123456789.,/-x") in NO_THINGS and is_size(word)


def _is_counted(unit: Token) -> bool:
    before = unit.nbor(-1) if unit.i else unit
    if before.lower_ == "-" and before.i:  # "9-inch"
        before = before.nbor(-1)
    return before.lower_[:1].isdigit() or before.pos_ == "NUM"
