"""Recipe and HowTo of schema.org, from JSON-LD or microdata, as how-tos (https://schema.org/HowTo)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kgscripts.corpora.blocks import without_marker
from kgscripts.corpora.how_tos import HowTo, Section, Time
from kgscripts.corpora.web.durations import duration_of
from kgscripts.corpora.web.json_ld import Item
from kgscripts.corpora.web.markup import line_of, lines_of
from schemas.declared import TimeKind

_HOW_TOS = frozenset({"recipe", "howto"})
_TIMES = (
    (TimeKind.PREPARATION, ("prepTime",)),
    (TimeKind.PERFORMANCE, ("cookTime", "performTime")),
    (TimeKind.TOTAL, ("totalTime",)),
)
_NUMBERED = re.compile(r"(?<=[.!?)])\s+(?=\d{1,2}[.)]\s+\S)")
_DEEPEST = 12
_MOST_STEPS = 20_000


def how_tos_of(items: Sequence[Item]) -> list[HowTo]:
    """The recipes and how-tos with at least one step among the objects of a page, without repetitions.

    Wrong types are tolerated: a value that is none is skipped, a single value is a list of one.
    """
    by_id = {item["@id"]: item for item in items if isinstance(item.get("@id"), str) and len(item) > 1}
    found: dict[tuple[str, ...], HowTo] = {}
    for item in items:
        if types := _types(item) & _HOW_TOS:
            how_to = _how_to(item, by_id, food="recipe" in types)
            if how_to.sections:
                found.setdefault(how_to.steps, how_to)
    return list(found.values())


def _types(item: Item) -> set[str]:
    return {
        re.split(r"[/:#]", value)[-1].lower()
        for value in _listed(item.get("@type"))
        if isinstance(value, str) and value
    }


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _how_to(item: Item, by_id: Mapping[str, Item], *, food: bool) -> HowTo:
    reader = _StepReader(by_id)
    for key in ("recipeInstructions", "step", "steps"):
        if not reader.sections:
            reader.read(item.get(key))
    supplies = [key for key in ("recipeIngredient", "ingredients", "supply") if _lines(item.get(key))]
    return HowTo(
        title=next(iter(_lines(item.get("name")) or _lines(item.get("headline"))), ""),
        tools=_distinct([*_lines(item.get("tool")), *reader.tools]),
        supplies=[*(_lines(item.get(supplies[0])) if supplies else ()), *reader.supplies],
        food=food,
        times=[
            Time(kind=kind, duration=duration[0], words=duration[1])
            for kind, keys in _TIMES
            if (duration := next(filter(None, (_duration(item.get(key)) for key in keys)), None))
        ],
        makes=_makes(item),
        sections=reader.sections,
    )


def _lines(value: Any) -> list[str]:
    """The texts of a value: strings, and objects by their quantity and name."""
    found = []
    for one in _listed(value):
        if isinstance(one, Mapping):
            quantity = " ".join(_quantity(one.get("requiredQuantity")))
            name = " ".join(_lines(one.get("name")) or _lines(one.get("text")) or _lines(one.get("item")))
            one = f"{quantity} {name}" if name else ""
        if isinstance(one, str):
            found += [line for line in map(without_marker, lines_of(one)) if line]
    return found


def _quantity(value: Any) -> Iterator[str]:
    for one in _listed(value):
        if isinstance(one, Mapping):
            for key in ("value", "unitText"):
                yield from _quantity(one.get(key))
        elif isinstance(one, str | int | float) and not isinstance(one, bool):
            yield line_of(str(one))


def _distinct(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def _duration(value: Any) -> tuple[str, str] | None:
    for one in _listed(value):
        if isinstance(one, Mapping):
            one = one.get("maxValue") or one.get("value")
        if isinstance(one, str) and (found := duration_of(one)):
            return found
    return None


def _makes(item: Item) -> str:
    """The yield in words: the longest value, since pages give "12" and "12 pancakes"."""
    values = [line_of(text) for key in ("recipeYield", "yield") for text in _quantity(item.get(key))]
    best = max(values, key=len, default="")
    return f"{best} servings" if best.isdecimal() else best


class _StepReader:
    """Reads the value of ``recipeInstructions`` or ``step``: text, steps, sections, and lists of these."""

    def __init__(self, by_id: Mapping[str, Item]) -> None:
        self.sections: list[Section] = []
        self.tools: list[str] = []
        self.supplies: list[str] = []
        self._by_id = by_id
        self._left = _MOST_STEPS

    def read(self, value: Any, name: str = "", depth: int = 0) -> None:
        """Add the steps of a value below a heading."""
        if depth > _DEEPEST:
            return
        for one in _listed(value):
            self._left -= 1
            if self._left < 0:
                return
            if isinstance(one, str):
                self._add(name, _split(lines_of(one)))
            elif isinstance(one, Mapping):
                if set(one) == {"@id"} and isinstance(one["@id"], str):
                    one = self._by_id.get(one["@id"], {})
                self._read_item(one, name, depth)

    def _read_item(self, item: Item, name: str, depth: int) -> None:
        types = _types(item)
        if "howtotip" in types:
            return
        self.tools += _lines(item.get("tool"))
        self.supplies += _lines(item.get("supply"))
        own = " ".join(_lines(item.get("name")))
        inner = next((item[key] for key in ("itemListElement", "item", "step", "steps") if item.get(key)), None)
        texts = _split([line for text in _listed(item.get("text")) if isinstance(text, str) for line in lines_of(text)])
        if "howtosection" in types or ("howtostep" not in types and inner is not None and not texts):
            self.read(inner, own or name, depth + 1)
        elif inner is not None and not texts:
            self.read(inner, own if own and not _repeats(own, _first_text(inner)) else name, depth + 1)
        elif not texts:
            self._add(name, [own] if own else _split(lines_of(_text(item.get("description")))))
        elif own and not _repeats(own, texts[0]):
            self._add(own, texts, own=True)
        else:
            self._add(name, texts)

    def _add(self, name: str, steps: Iterable[str], *, own: bool = False) -> None:
        """Add steps to the last section, or to a new one if it has another name; a heading of its `own` begins one."""
        steps = [step for step in map(without_marker, steps) if step]
        if not steps:
            return
        if self.sections and self.sections[-1].name == name and not own:
            steps = [*self.sections.pop().steps, *steps]
        self.sections.append(Section(name=name, steps=steps))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _first_text(value: Any) -> str:
    """The text that a list of directions begins with."""
    first = next(iter(_listed(value)), "")
    return line_of(_text(first.get("text") or first.get("name")) if isinstance(first, Mapping) else _text(first))


def _repeats(name: str, text: str) -> bool:
    """Whether the name of a step is the beginning of its text, as many pages have it, or only a number."""
    plain = re.sub(r"[\W_]+", "", name).lower()
    return not without_marker(name) or re.sub(r"[\W_]+", "", text).lower().startswith(plain)


def _split(lines: Iterable[str]) -> list[str]:
    """The lines; one that holds numbered steps is several: "1. Mix. 2. Bake."."""
    return [part for line in lines for part in (_NUMBERED.split(line) if re.match(r"1[.)]\s", line) else [line])]
