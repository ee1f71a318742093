"""Recipe and HowTo of schema.org, from JSON-LD or microdata, as how-tos (https://schema.org/HowTo)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kgscripts.corpora.blocks import without_marker
from kgscripts.corpora.how_tos import HowTo, Section, Time
from kgscripts.corpora.list_markers import numbered_steps
from kgscripts.corpora.web.json_ld import Item, listed
from kgscripts.corpora.web.markup import PageTooLargeError, line_of, lines_of
from schemas.declared import TimeKind

_ISO = re.compile(
    r"P(?:(\d{1,6}(?:[.,]\d+)?)Y)?(?:(\d{1,6}(?:[.,]\d+)?)M)?(?:(\d{1,6}(?:[.,]\d+)?)W)?(?:(\d{1,6}(?:[.,]\d+)?)D)?"
    r"(?:T(?:(\d{1,6}(?:[.,]\d+)?)H)?(?:(\d{1,6}(?:[.,]\d+)?)M)?(?:(\d{1,7}(?:[.,]\d+)?)S)?)?",
    re.IGNORECASE,
)
_SECONDS = (31_536_000, 2_592_000, 604_800, 86_400, 3_600, 60, 1)
_UNITS = (("D", "day", 86_400), ("H", "hour", 3_600), ("M", "minute", 60), ("S", "second", 1))


def duration_of(value: str) -> tuple[str, str] | None:
    """A duration as ISO 8601 in days, hours, minutes and seconds, and in words; None for another text and for zero."""
    match = _ISO.fullmatch(value.strip())
    if match is None:
        return None
    numbers = [float(part.replace(",", ".")) if part else 0.0 for part in match.groups()]
    seconds = round(sum(number * unit for number, unit in zip(numbers, _SECONDS, strict=True)))
    parts: list[tuple[str, str, int]] = []
    for letter, word, unit in _UNITS:
        count, seconds = divmod(seconds, unit)
        if count:
            parts.append((letter, f"{count} {word}{'s' * (count > 1)}", count))
    if not parts:
        return None
    days = "".join(f"{count}{letter}" for letter, _, count in parts if letter == "D")
    clock = "".join(f"{count}{letter}" for letter, _, count in parts if letter != "D")
    return f"P{days}" + (f"T{clock}" if clock else ""), " ".join(words for _, words, _ in parts)


_HOW_TOS = frozenset({"recipe", "howto"})
_TIMES = (
    (TimeKind.PREPARATION, ("prepTime",)),
    (TimeKind.PERFORMANCE, ("cookTime", "performTime")),
    (TimeKind.TOTAL, ("totalTime",)),
)
_DEEPEST = 12
_MOST_VALUES = 200_000
"""The most values that are read of a page, and hundreds of their characters: objects can be referred to many times."""
_MOST_NAMES = 4
_POSITION = re.compile(r"(?:(?:step|stage)\s*)?#?(\d{1,9}(?:\.\d{1,9})?)[.):]?", re.IGNORECASE)


def how_tos_of(items: Sequence[Item]) -> list[HowTo]:
    """The recipes and how-tos with at least one step among the objects of a page, without repetitions.

    Wrong types are tolerated: a value that is none is skipped, a single value is a list of one. Raises
    PageTooLargeError.
    """
    left = _Left()
    by_steps: dict[tuple[str, ...], HowTo] = {}
    for item in items:
        if types := _types(item) & _HOW_TOS:
            how_to = _how_to(item, left, food="recipe" in types)
            if how_to.sections:
                by_steps.setdefault(how_to.steps, how_to)
    return list(by_steps.values())


def _types(item: Item) -> set[str]:
    return {
        re.split(r"[/:#]", value)[-1].lower() for value in listed(item.get("@type")) if isinstance(value, str) and value
    }


class _Left:
    """Counts the values that are read, since objects may contain themselves, and each other many times."""

    def __init__(self) -> None:
        self._values = _MOST_VALUES

    def listed(self, value: Any) -> list[Any]:
        values = listed(value)
        self._values -= len(values) + sum(len(one) // 100 for one in values if isinstance(one, str))
        if self._values < 0:
            raise PageTooLargeError(f"markup of schema.org with more than {_MOST_VALUES:,} values, or as long")
        return values

    def lines(self, value: Any, depth: int = 0) -> list[str]:
        """The texts of a value: strings, and objects by their quantity and name."""
        lines = []
        for one in self.listed(value)[: _MOST_NAMES if depth else None]:
            if isinstance(one, Mapping):
                if depth > _MOST_NAMES:
                    continue
                quantity = " ".join(_quantity(one.get("requiredQuantity")))
                names = (self.lines(one.get(key), depth + 1) for key in ("name", "text", "item"))
                name = " ".join(next(filter(None, names), ()))
                one = f"{quantity} {name}" if name else ""
            if isinstance(one, str):
                lines += [line for line in map(without_marker, lines_of(one)) if line]
        return lines


def _how_to(item: Item, left: _Left, *, food: bool) -> HowTo:
    reader = _StepReader(left)
    for key in ("recipeInstructions", "step", "steps"):
        if not reader.sections:
            reader.read(item.get(key))
    supplies = next(filter(None, map(left.lines, map(item.get, ("recipeIngredient", "ingredients", "supply")))), [])
    return HowTo(
        title=next(iter(left.lines(item.get("name")) or left.lines(item.get("headline"))), ""),
        tools=dict.fromkeys([*left.lines(item.get("tool")), *reader.tools]),
        supplies=[*supplies, *reader.supplies],
        food=food,
        times=[
            Time(kind=kind, duration=duration[0], words=duration[1])
            for kind, keys in _TIMES
            if (duration := next(filter(None, (_duration(item.get(key)) for key in keys)), None))
        ],
        makes=_makes(item),
        sections=reader.sections,
    )


def _quantity(value: Any, depth: int = 0) -> Iterator[str]:
    for one in listed(value)[:_MOST_NAMES]:
        if isinstance(one, Mapping) and depth < _MOST_NAMES:
            for key in ("value", "unitText"):
                yield from _quantity(one.get(key), depth + 1)
        elif isinstance(one, str | int | float) and not isinstance(one, bool):
            yield line_of(str(one))


def _duration(value: Any) -> tuple[str, str] | None:
    for one in listed(value):
        if isinstance(one, Mapping):
            one = one.get("maxValue") or one.get("value")
        if isinstance(one, str) and (duration := duration_of(one)):
            return duration
    return None


def _makes(item: Item) -> str:
    """The yield in words: the longest value, since pages give "12" and "12 pancakes"."""
    values = [line_of(text) for key in ("recipeYield", "yield") for text in _quantity(item.get(key))]
    best = max(values, key=len, default="")
    return f"{best} servings" if best.isdecimal() else best


class _StepReader:
    """Reads the value of ``recipeInstructions`` or ``step``: text, steps, sections, and lists of these."""

    def __init__(self, left: _Left) -> None:
        self._found: list[tuple[str, list[str]]] = []
        self.tools: list[str] = []
        self.supplies: list[str] = []
        self._left = left

    @property
    def sections(self) -> list[Section]:
        return [Section(name=name, steps=steps) for name, steps in self._found]

    def read(self, value: Any, name: str = "", depth: int = 0) -> None:
        """Add the steps of a value below a heading."""
        if depth > _DEEPEST:
            return
        for one in _in_order(self._left.listed(value)):
            if isinstance(one, str):
                self._add(name, _split(one))
            elif isinstance(one, Mapping):
                self._read_item(one, name, depth)

    def _read_item(self, item: Item, name: str, depth: int) -> None:
        types = _types(item)
        if "howtotip" in types:
            return
        self.tools += self._left.lines(item.get("tool"))
        self.supplies += self._left.lines(item.get("supply"))
        own_name = " ".join(self._left.lines(item.get("name"), depth=1))
        inner = next((item[key] for key in ("itemListElement", "item", "step", "steps") if item.get(key)), None)
        texts = self._texts(item.get("text"))
        if "howtosection" in types or ("howtostep" not in types and inner is not None and not texts):
            self.read(inner, own_name or name, depth + 1)
        elif inner is not None and not texts:
            self.read(inner, own_name if own_name and not _repeats(own_name, _first_text(inner)) else name, depth + 1)
        elif not texts:
            self._add(name, [own_name] if own_name else self._texts(item.get("description")))
        elif own_name and not _repeats(own_name, texts[0]):
            self._add(own_name, texts, own=True)
        else:
            self._add(name, texts)

    def _texts(self, value: Any) -> list[str]:
        return [step for text in self._left.listed(value) if isinstance(text, str) for step in _split(text)]

    def _add(self, name: str, steps: Iterable[str], *, own: bool = False) -> None:
        """Add steps to the last section, or to a new one if it has another name; a heading of its `own` begins one."""
        steps = [step for step in map(without_marker, steps) if step]
        if not steps:
            return
        if self._found and self._found[-1][0] == name and not own:
            self._found[-1][1].extend(steps)
        else:
            self._found.append((name, steps))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _first_text(value: Any) -> str:
    """The text that a list of directions begins with."""
    first = next(iter(listed(value)), "")
    return line_of(_text(first.get("text") or first.get("name")) if isinstance(first, Mapping) else _text(first))


def _repeats(name: str, text: str) -> bool:
    """Whether the name of a step is the beginning of its text, as many pages have it, or only a number."""
    plain = re.sub(r"[\W_]+", "", name).lower()
    return not without_marker(name) or re.sub(r"[\W_]+", "", text).lower().startswith(plain)


def _split(text: str) -> list[str]:
    """The lines of a text; one that holds numbered steps is several: "1. Mix. 2. Bake."."""
    return [part for line in lines_of(text) for part in numbered_steps(line)]


def _in_order(values: list[Any]) -> list[Any]:
    """The values by their `position`, if each step has one, else as they are."""
    steps = [value for value in values if not (isinstance(value, Mapping) and "howtotip" in _types(value))]
    positions = [
        next(iter(listed(step.get("position"))), None) if isinstance(step, Mapping) else None for step in steps
    ]
    places = [_POSITION.fullmatch(str(place).strip()) for place in positions]
    if not all(places):
        return values
    order = sorted((float(place[1]), number) for number, place in enumerate(places) if place)
    return [steps[number] for _, number in order]
