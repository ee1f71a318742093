"""Microdata of a page as the objects that JSON-LD would give."""

from __future__ import annotations

from typing import Any

from lxml.etree import _Element

from kgscripts.corpora.web.json_ld import Item
from kgscripts.corpora.web.markup import found_by, lines_of_element

_MOST_ITEMS = 10_000
_ADDRESS = {"a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "video": "src", "iframe": "src"}


def microdata(tree: _Element) -> list[Item]:
    """The items of a page in document order, outer before inner, with ``@type`` and lists of values by property.

    An item's value in another item is the object itself. The text of an element has one line for each block in it.
    """
    items: dict[_Element, dict[str, Any]] = {}
    for number, element in enumerate(found_by(tree, "//*[@itemscope]")):
        if number == _MOST_ITEMS:
            break
        items[element] = {"@type": (element.get("itemtype") or "").split()}
    if not items:
        return []
    for element in found_by(tree, "//*[@itemprop]"):
        owner = next((parent for parent in element.iterancestors() if parent in items), None)
        if owner is None:
            continue
        value = items[element] if element in items else _value(element)
        for name in element.get("itemprop", "").split():
            items[owner].setdefault(name.rpartition("/")[2], []).append(value)
    return list(items.values())


def _value(element: _Element) -> str:
    if (content := element.get("content")) is not None:
        return content
    if element.tag in _ADDRESS:
        return element.get(_ADDRESS[element.tag]) or ""
    if element.tag == "time" and (time := element.get("datetime")):
        return time
    return "\n".join(lines_of_element(element))
