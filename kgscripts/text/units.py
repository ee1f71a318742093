"""Units of size, weight, volume and temperature, as recipes and instructions write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

LENGTHS = frozenset(
    {"inch", "foot", "ft", "yard", "mile", "mm", "millimeter", "millimetre", "cm", "centimeter", "centimetre"}
    | {"meter", "metre", "km", "kilometer"}
)
WEIGHTS = frozenset({"mg", "gram", "g", "kilogram", "kg", "ounce", "oz", "pound", "lb", "lbs"})
VOLUMES = frozenset(
    {"milliliter", "millilitre", "ml", "cl", "dl", "liter", "litre", "l", "pint", "quart", "gallon"}
    | {"cup", "teaspoon", "tablespoon", "tsp", "tbsp", "tbs"}
)
UNITS = LENGTHS | WEIGHTS | VOLUMES | {"in", "c", "f", "°c", "°f", "degree", "percent"}
"""Lemmas, in lower case; those that are other words too are no unit without a number."""


def is_size(modifier: Token) -> bool:
    """Whether a word is a unit behind its number, or both: "20 cm tin", "two tablespoon oil", "23x33cm dish"."""
    if modifier.text[:1].isdigit():
        return True
    before = modifier.nbor(-1) if modifier.i else modifier
    return modifier.lemma_.lower() in UNITS and (before.text[:1].isdigit() or before.pos_ == "NUM")
