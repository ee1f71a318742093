"""Units of size, weight, volume and temperature, as recipes and instructions write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

UNITS = frozenset(
    {
        "inch",
        "foot",
        "yard",
        "mile",
        "millimeter",
        "millimetre",
        "centimeter",
        "centimetre",
        "meter",
        "metre",
        "cm",
        "mm",
    }
    | {"cm", "mm", "kilometer", "km", "ft", "in", "c", "f", "°c", "°f", "degree", "percent"}
    | {"gram", "g", "kilogram", "kg", "mg", "ounce", "oz", "pound", "lb", "lbs"}
    | {"liter", "litre", "l", "ml", "milliliter", "millilitre", "dl", "cl", "quart", "pint", "gallon"}
    | {"cup", "teaspoon", "tablespoon", "tsp", "tbsp", "tbs"}
)
"""Lemmas, in lower case."""


def is_size(modifier: Token) -> bool:
    """Whether a word is a unit behind its number, or both: "20 cm tin", "two tablespoon oil", "23x33cm dish"."""
    if modifier.text[:1].isdigit():
        return True
    before = modifier.nbor(-1) if modifier.i else modifier
    return modifier.lemma_.lower() in UNITS and (before.text[:1].isdigit() or before.pos_ == "NUM")
