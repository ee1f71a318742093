"""How-tos and recipes as documents: a text with headings of its own, in which each declared thing has its span."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import field, frozen

from schemas.declared import Declared, DeclaredTime, Span, TimeKind
from schemas.records import Document, Passage, PassageKind

_SHORTEST_LIST = 4
_TIME_NAMES = {
    TimeKind.PREPARATION: "Preparation time",
    TimeKind.PERFORMANCE: "Cooking time",
    TimeKind.TOTAL: "Total time",
}


@frozen(kw_only=True)
class Section:
    """Steps in order, and the heading above them, "" if there is none."""

    name: str = ""
    steps: tuple[str, ...] = field(converter=tuple[str, ...])


@frozen(kw_only=True)
class Time:
    """A declared time: an ISO 8601 duration, and the same in words."""

    kind: TimeKind
    duration: str
    words: str


@frozen(kw_only=True)
class HowTo:
    """What a source gives of a how-to, every text on one line. `food` says that its supplies are ingredients."""

    title: str = ""
    tools: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    supplies: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    food: bool = True
    times: tuple[Time, ...] = field(default=(), converter=tuple[Time, ...])
    makes: str = ""
    sections: tuple[Section, ...] = field(converter=tuple[Section, ...])

    @property
    def steps(self) -> tuple[str, ...]:
        """All steps in order."""
        return tuple(step for section in self.sections for step in section.steps)


class LinedText:
    """A text that is put together of lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self.end = 0

    def add(self, line: str) -> Span:
        """Add a line and return its span."""
        start = self.end
        self._lines.append(line)
        self.end += len(line) + 1
        return Span(start=start, end=start + len(line))

    def blank(self) -> None:
        """Add an empty line, unless it would be the first."""
        if self._lines:
            self._lines.append("")
            self.end += 1

    def __str__(self) -> str:
        return "\n".join(self._lines)


def document_of_how_to(
    how_to: HowTo, *, name: str, format: str, url: str = "", licence: str = "", scenario: str = ""
) -> Document:
    """The document of a how-to: its title, times and yield, lists of needed things, and its steps.

    Each list is one passage of the kind *needs*, each step a *step*; steps below a heading of their own lie in a
    *section*. Other lines belong to no passage, and are not parsed. `declared` refers to the items of the lists.
    """
    text = LinedText()
    passages: list[Passage] = []
    if how_to.title:
        text.add(how_to.title)
    times, makes = _facts(text, how_to)
    tools = _listed(text, passages, "Equipment" if how_to.food else "Tools", how_to.tools)
    supplies = _listed(text, passages, "Ingredients" if how_to.food else "Materials", _told_once(how_to.supplies))
    text.blank()
    text.add("Instructions")
    for section in how_to.sections:
        _add_section(text, passages, section)
    return Document(
        name=name,
        format=format,
        text=str(text),
        title=how_to.title,
        scenario=scenario,
        passages=passages,
        declared=Declared(tools=tools, supplies=supplies, times=times, makes=makes),
        url=url,
        licence=licence,
    )


def _facts(text: LinedText, how_to: HowTo) -> tuple[list[DeclaredTime], Span | None]:
    if how_to.times or how_to.makes:
        text.blank()
    times = []
    for time in how_to.times:
        span = _value(text.add(f"{_TIME_NAMES[time.kind]}: {time.words}"), time.words)
        times.append(DeclaredTime(kind=time.kind, duration=time.duration, span=span))
    makes = _value(text.add(f"Makes: {how_to.makes}"), how_to.makes) if how_to.makes else None
    return times, makes


def _value(line: Span, value: str) -> Span:
    """The span of the value at the end of a line."""
    return Span(start=line.end - len(value), end=line.end)


def _listed(text: LinedText, passages: list[Passage], heading: str, items: Sequence[str]) -> Iterable[Span]:
    if not items:
        return ()
    text.blank()
    start = text.add(heading).start
    spans = [text.add(item) for item in items]
    passages.append(Passage(kind=PassageKind.NEEDS, start=start, end=spans[-1].end))
    return spans


def _add_section(text: LinedText, passages: list[Passage], section: Section) -> None:
    start = text.add(section.name).start if section.name else text.end
    steps = [text.add(step) for step in section.steps]
    if section.name:
        passages.append(Passage(kind=PassageKind.SECTION, start=start, end=steps[-1].end))
    passages += [Passage(kind=PassageKind.STEP, start=step.start, end=step.end) for step in steps]


def _told_once(items: Sequence[str]) -> Sequence[str]:
    """The first of lists that tell the same things in other units or for another size ("8.8 oz flour", "250 g flour"):
    two thirds of their items end alike."""
    ends = [item.rsplit(None, 1)[-1].casefold() for item in items]
    for size in range(_SHORTEST_LIST, len(items) // 2 + 1):
        again = sum(one == other for one, other in zip(ends[:size], ends[size : 2 * size], strict=True))
        if len(items) % size == 0 and 3 * again >= 2 * size:
            return items[:size]
    return items
