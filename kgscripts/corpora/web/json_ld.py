"""Objects of a page's markup: JSON-LD, microdata, RDFa and microformats."""

from __future__ import annotations

import json
import re
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lxml.etree import _Element

from kgscripts.corpora.web.markup import PageTooLargeError, found_by, lines_of_element

Item = Mapping[str, Any]

_WRAPPING = re.compile(
    r"\A\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)+|(?://\s*)?(?:-->|\]\]>)\s*\Z"
)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_MOST_VALUES = 200_000
_MOST_CHARACTERS = 4 * 1024 * 1024
_DEEPEST = 64
_DECODER = json.JSONDecoder(strict=False)
_SCHEMA = re.compile(r"https?://(?:www\.)?schema\.org/#?", re.IGNORECASE)
_KEYWORDS = {"type": "@type", "id": "@id", "schema": "https://schema.org/"}
"""What the context of schema.org calls these."""


def json_ld(tree: _Element) -> list[Item]:
    """All objects of a page's JSON-LD in document order, outer before inner: those of lists, of ``@graph``, of values.

    Scripts that are no JSON are skipped; line breaks in strings, commas at the end of lists, comments around a script
    and several values in one script are accepted, since pages have them. Objects of one ``@id`` are one object, and
    references to it are the object itself, so that objects may contain themselves. Raises PageTooLargeError.
    """
    scripts = tree.iter("script")
    return objects_of(*(script.text or "" for script in scripts if "ld+json" in (script.get("type") or "").lower()))


def objects_of(*texts: str) -> list[Item]:
    """The same of texts of JSON-LD; none if they are no JSON."""
    plain = _Plain()
    return linked([plain.value(value, ChainMap(_KEYWORDS), 0) for text in texts for value in _values(text)])


def _values(text: str) -> Iterator[Any]:
    if len(text) > _MOST_CHARACTERS:
        raise PageTooLargeError(f"JSON-LD of more than {_MOST_CHARACTERS:,} characters")
    text = _WRAPPING.sub("", text).strip().rstrip(";")
    # As it is first: the pattern would also remove a comma within a string.
    for attempt in (text, _TRAILING_COMMA.sub("", text)):
        values, position = [], 0
        try:
            while position < len(attempt):
                value, position = _DECODER.raw_decode(attempt, position)
                values.append(value)
                while position < len(attempt) and attempt[position] in " \t\r\n,;":
                    position += 1
        except (ValueError, RecursionError):
            if not values:
                continue
        yield from values
        return


def term_of(name: str, terms: Mapping[str, str]) -> str:
    """The key of schema.org for a key of a page: ``step`` for ``schema:step``, ``http://schema.org/step`` and terms."""
    name = terms.get(name, name)
    prefix, colon, rest = name.partition(":")
    return _SCHEMA.sub("", terms[prefix] + rest if colon and prefix in terms else name)


def _terms(context: Any) -> dict[str, str]:
    """The terms and prefixes of a context."""
    terms: dict[str, str] = {}
    for one in context if isinstance(context, list) else [context]:
        for name, term in one.items() if isinstance(one, dict) else ():
            iri = term.get("@id") if isinstance(term, dict) else term
            if isinstance(iri, str) and not name.startswith("@"):
                terms[name] = iri
    return terms


class _Plain:
    """Replaces keys by those of schema.org, and wrapped values by what they wrap; counts the values."""

    def __init__(self) -> None:
        self._left = _MOST_VALUES

    def value(self, value: Any, terms: ChainMap[str, str], depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise PageTooLargeError(f"JSON-LD of more than {_MOST_VALUES:,} values, or nested {_DEEPEST} deep")
        if isinstance(value, list):
            plain = [self.value(one, terms, depth + 1) for one in value]
            return [inner for one in plain for inner in listed(one)]
        if not isinstance(value, dict):
            return value
        if "@context" in value:
            terms = terms.new_child(_terms(value["@context"]))
        members: dict[str, Any] = {}
        for name, inner in value.items():
            if (key := term_of(name, terms)) == "@context":
                continue
            inner = self.value(inner, terms, depth + 1)
            if key == "@type":
                inner = [term_of(one, terms) for one in listed(inner) if isinstance(one, str)]
            members[key] = [*listed(members[key]), *listed(inner)] if key in members else inner
        return next((members[key] for key in ("@value", "@list", "@set") if key in members), members)


def listed(value: Any) -> list[Any]:
    """A value as a list: none of None, one of a single value."""
    return value if isinstance(value, list) else [] if value is None else [value]


def linked(values: Sequence[Any]) -> list[Item]:
    """The objects in values, outer before inner, those of one ``@id`` merged; references become the objects."""
    items = list(_objects(values))
    first: dict[str, dict[str, Any]] = {}
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        # What has only an id refers to an object that is elsewhere.
        if not isinstance(name := item.get("@id"), str) or len(item) == 1:
            continue
        is_first = first.setdefault(name, item) is item
        for key, value in item.items():
            for one in listed(value):
                said, known = json.dumps(one, sort_keys=True), seen[name, key]
                if not is_first and said not in known:
                    held = first[name].get(key)
                    first[name][key] = held = held if isinstance(held, list) else listed(held)
                    held.append(one)
                known.add(said)

    def target(value: Any) -> Any:
        name = value.get("@id") if isinstance(value, dict) else value
        return first.get(name, value) if isinstance(name, str) else value

    for item in items:
        for key, value in item.items():
            if key not in ("@id", "@type"):
                item[key] = [target(one) for one in value] if isinstance(value, list) else target(value)
    return [item for item in items if target(item) is item]


def _objects(values: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The objects in values, depth first."""
    waiting = list(reversed(values))
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)


_MOST_LINKS = 200_000
_DEEPEST_MARK = 20
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
        if left < 0 or depth > _DEEPEST_MARK:
            raise PageTooLargeError(f"more than {_MOST_LINKS:,} marked values, or marked values {_DEEPEST_MARK} deep")
        own_item = items.get(element)
        value = {"@id": own_item["@id"]} if own_item else _value(element, addresses=bool(prefixes)) if owners else ""
        for name in {term_of(name, prefixes) for name in names[element] if name not in above}:
            for owner in owners:
                if owner is not own_item:
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
