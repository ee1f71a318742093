"""What a text declares beside its steps: tools, supplies, times, and how much it makes, as spans of the text."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from attrs import field, frozen, validators

from schemas.errors import RecordError


class Spanned:
    """A record of the stretch of text from `start` to `end`. Raises RecordError unless ``0 <= start < end``."""

    __slots__ = ()
    start: int
    end: int

    def __attrs_post_init__(self) -> None:
        check_span(self, self.start, self.end)


def check_span(record: object, start: int, end: int) -> None:
    """Raise RecordError unless these are the ends of a stretch of text, which the `record` names."""
    if not 0 <= start < end:
        raise RecordError(f"{type(record).__name__} has the span {start}:{end}", remedy="0 <= start < end")


@frozen(kw_only=True)
class Span(Spanned):
    """A stretch of a document's text."""

    start: int
    end: int


class TimeKind(StrEnum):
    """What takes a declared time: preparing, performing (cooking), or everything together."""

    PREPARATION = "preparation"
    PERFORMANCE = "performance"
    TOTAL = "total"


@frozen(kw_only=True)
class DeclaredTime:
    """A time as ISO 8601 duration (``PT1H30M``), and the span of its words."""

    kind: TimeKind = field(converter=TimeKind)
    duration: str = field(validator=validators.matches_re(r"P(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?"))
    span: Span


@frozen(kw_only=True)
class Declared:
    """What a text declares; each span is that of one item in the document's text, without marker or heading.

    Tools remain (``schema:tool``), supplies are used up (``schema:supply``, ``schema:recipeIngredient``). `makes` is
    the span of the yield ("12 pancakes").
    """

    tools: tuple[Span, ...] = field(default=(), converter=tuple[Span, ...])
    supplies: tuple[Span, ...] = field(default=(), converter=tuple[Span, ...])
    times: tuple[DeclaredTime, ...] = field(default=(), converter=tuple[DeclaredTime, ...])
    makes: Span | None = None

    def spans(self) -> Iterator[tuple[str, Span]]:
        """Each span with what it is; a time has its kind and duration."""
        yield from (("tool", span) for span in self.tools)
        yield from (("supply", span) for span in self.supplies)
        yield from ((f"{time.kind} {time.duration}", time.span) for time in self.times)
        if self.makes is not None:
            yield "makes", self.makes
