"""Microdata, RDFa and microformats (hRecipe, h-recipe) of a page as the objects that JSON-LD would give."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from lxml.etree import _Element

from kgscripts.corpora.web.json_ld import Item, linked, term_of
from kgscripts.corpora.web.limits import PageTooLargeError
from kgscripts.corpora.web.markup import found_by, lines_of_element

_MOST_LINKS = 200_000
_DEEPEST = 20
_ADDRESS = {"a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "video": "src", "iframe": "src"}
_PREFIX = re.compile(r"([\w-]+):\s+(\S+)")
_MICROFORMAT = re.compile(
    r"h-(?:adr|app|card|cite|entry|event|feed|food|geo|item|listing|product|recipe|resume|review)"
    r"|hrecipe|hreview|hproduct|hentry|vcard|vevent"
)
_OF_RECIPES = {
    **dict.fromkeys(("p-name", "fn"), "name"),
    **dict.fromkeys(("p-ingredient", "ingredient"), "recipeIngredient"),
    **dict.fromkeys(("e-instructions", "p-instructions", "instructions", "instruction"), "recipeInstructions"),
    **dict.fromkeys(("dt-duration", "duration"), "totalTime"),
    **dict.fromkeys(("p-yield", "yield"), "recipeYield"),
    "preptime": "prepTime",
    "cooktime": "cookTime",
}

Marks = Callable[[_Element], tuple[dict[str, Any] | None, list[str]]]
"""The object that an element begins, None if it begins none, and the properties that it is a value of."""


def marked_elements(tree: _Element) -> Iterator[tuple[str, list[Item]]]:
    """The name and objects of each syntax of a page: microdata, RDFa, microformats; in order, outer before inner.

    Objects have ``@type`` and lists of values by property; the text of an element has one line for each block in it. An
    object in an object is its value. Raises PageTooLargeError.
    """
    said = (pair for value in found_by(tree, "//@prefix") for pair in _PREFIX.findall(str(value)))
    prefixes = {"schema": "https://schema.org/", **dict(said)}

    def microdata(element: _Element) -> tuple[dict[str, Any] | None, list[str]]:
        types = {"@type": (element.get("itemtype") or "").split(), "@id": element.get("itemid")}
        return types if "itemscope" in element.attrib else None, (element.get("itemprop") or "").split()

    def rdfa(element: _Element) -> tuple[dict[str, Any] | None, list[str]]:
        if (types := element.get("typeof")) is None:
            return None, (element.get("property") or "").split()
        name = element.get("resource") or element.get("about")
        names = (element.get("property") or element.get("rel") or "").split()
        return {"@type": [term_of(one, prefixes) for one in types.split()], "@id": name}, names

    def microformats(element: _Element) -> tuple[dict[str, Any] | None, list[str]]:
        classes = (element.get("class") or "").split()
        names = [_OF_RECIPES[name] for name in classes if name in _OF_RECIPES]
        if not any(map(_MICROFORMAT.fullmatch, classes)):
            return None, names
        return {"@type": ["Recipe"] if {"hrecipe", "h-recipe"} & set(classes) else [], "@id": None}, names

    yield "microdata", _read(found_by(tree, "//*[@itemscope or @itemprop]"), microdata, prefixes)
    yield "rdfa", _read(found_by(tree, "//*[@typeof or @property]"), rdfa, prefixes)
    yield "microformats", _read(found_by(tree, "//*[@class]"), microformats, {})


def _read(elements: list[_Element], marks: Marks, prefixes: dict[str, str]) -> list[Item]:
    items: dict[_Element, dict[str, Any]] = {}
    names: dict[_Element, list[str]] = {}
    owners_by_id: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for element in elements:
        item, names[element] = marks(element)
        if item is not None:
            items[element] = item
            item["@id"] = item["@id"] or f"_:{len(items)}"
            for name in dict.fromkeys((element.get("itemref") or "").split()):
                owners_by_id[name].append(item)
    left = _MOST_LINKS
    for element in elements if items else ():
        if not names[element]:
            continue
        owners = [*owners_by_id.get(element.get("id") or "", ())]
        above: list[str] = []
        depth = 0
        for parent in element.iterancestors():
            if parent in items:
                owners.append(items[parent])
                break
            above += names.get(parent, ())
            depth += bool(names.get(parent))
            owners += owners_by_id.get(parent.get("id") or "", ())
        left -= len(owners)
        if left < 0 or depth > _DEEPEST:
            raise PageTooLargeError(f"more than {_MOST_LINKS:,} marked values, or marked values {_DEEPEST} deep")
        own = items.get(element)
        value = {"@id": own["@id"]} if own else _value(element, addresses=bool(prefixes)) if owners else ""
        for name in {term_of(name, prefixes) for name in names[element] if name not in above}:
            for owner in owners:
                if owner is not own:
                    owner.setdefault(name, []).append(value)
    return linked(list(items.values()))


def _value(element: _Element, *, addresses: bool) -> Any:
    """The value of an element; that of a link is an address in microdata and RDFa, and its words in microformats."""
    if (content := element.get("content")) is not None:
        return content
    if (resource := element.get("resource")) is not None:
        return {"@id": resource}
    if addresses and element.tag in _ADDRESS:
        return element.get(_ADDRESS[element.tag]) or ""
    marked = {"time": "datetime", "data": "value", "meter": "value", "abbr": "title"}.get(element.tag, "datetime")
    if not addresses and (titles := found_by(element, ".//*[@class='value-title']/@title")):
        return str(titles[0])
    return element.get(marked) or "\n".join(lines_of_element(element))
