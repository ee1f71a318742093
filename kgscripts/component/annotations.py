"""What the component leaves in a Doc: plain data, groups of spans, and extension attributes that read both.

The data are in `Doc.user_data["kgscripts"]`: ``records``, by kind, as dictionaries whose offsets are characters of the
Doc, and ``parser``, the pipeline. Events and scores are also kept by the span, as spaCy keeps attributes that are set,
so that `Doc.from_docs` and `Span.as_doc` carry them over. Everything in it is of the types that msgpack knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from cattrs import Converter
from spacy.tokens import Doc, Span, SpanGroup

from kgscripts.building.docs import PARSER, USER_DATA
from kgscripts.records.kinds import kind_name
from schemas.errors import ConfigurationError, InputError
from schemas.provenance import Model
from schemas.records import INFERRED, Action, EventMention, Record, Segment, StateChange, Tool

EVENTS = "kgscripts/events"
TOOLS = "kgscripts/tools"
SCENARIOS = "kgscripts/scenarios"
_RECORDS = "records"
_SCORES = "scores"
_CHARACTERS = "characters"
"""The length of the Doc that was read: a part of it, which has the same data, has other offsets."""
_BY_SPAN = ("._.", "kgscripts_span")
_OF_PARSER = ("name", "version", "digest", "task", "licence", "language")
_CONVERTER = Converter(detailed_validation=False)

R = TypeVar("R", bound=Record)


def plain(record: Record, start: int) -> dict[str, Any]:
    """A record of a document that begins at character `start`, as plain data whose offsets are those of the whole."""
    shifted: dict[str, Any] = _shifted(_CONVERTER.unstructure(record), start)
    return shifted


def _shifted(value: Any, by: int) -> Any:
    if isinstance(value, Mapping):
        return {
            key: item + by if key in ("start", "end") and item is not None else _shifted(item, by)
            for key, item in value.items()
        }
    return [_shifted(item, by) for item in value] if isinstance(value, list | tuple) else value


Plain = Mapping[type[Record], Sequence[dict[str, Any]]]
"""Records by kind, as `plain` gives them."""


def annotate(doc: Doc, records: Plain, parser: Model, groups: Iterable[str]) -> None:
    """Add records to a Doc, and their spans to the named groups."""
    doc.user_data[USER_DATA] = {
        _RECORDS: {kind_name(kind): list(of_kind) for kind, of_kind in records.items()},
        PARSER: {name: getattr(parser, name) for name in _OF_PARSER},
        _CHARACTERS: len(doc.text),
    }
    for key in _span_keys(doc):
        del _user_data(doc)[key]
    events = records_of(doc, EventMention)
    spans = {
        EVENTS: [(event.start, event.end, event.action.label, event.score) for event in events],
        TOOLS: _tool_spans(events),
        SCENARIOS: [(item.start, item.end, item.scenario, item.confidence) for item in records_of(doc, Segment)],
    }
    for name in groups:
        doc_spans = [span_of(doc, *item[:3], f"{name}/{number}") for number, item in enumerate(spans[name])]
        scores = [score for *_, score in spans[name]]
        for number, (span, score) in enumerate(zip(doc_spans, scores, strict=True)):
            event = plain(events[number], -span.start_char) if name == EVENTS else None
            _user_data(doc).setdefault((*_BY_SPAN, span.start_char, span.end_char), {})[span.id_] = [score, event]
        doc.spans[name] = SpanGroup(doc, name=name, spans=doc_spans, attrs={_SCORES: scores})


def _tool_spans(events: Iterable[EventMention]) -> list[tuple[int, int, str, float]]:
    """Each tool once, with the highest score of its events; a tool that an event only takes over scores less there."""
    scores: dict[tuple[int, int, str], float] = {}
    for event in events:
        for tool in event.tools:
            score = round(event.score * INFERRED, 4) if tool.inferred else event.score
            key = (tool.start, tool.end, tool.lemma)
            scores[key] = max(score, scores.get(key, 0.0))
    return [(*key, score) for key, score in sorted(scores.items())]


def span_of(doc: Doc, start: int, end: int, label: str, id_: str = "") -> Span:
    """The tokens of a stretch of characters, those included that lie in it only in part."""
    span = doc.char_span(start, end, label=label, span_id=id_, alignment_mode="expand")
    assert span is not None  # the offsets of records lie in the text
    return span


def records_of(doc: Doc, kind: type[R]) -> list[R]:
    """The records of a kind.

    Raises
    ------
    InputError
        If the component has not read the Doc.
    """
    return [_CONVERTER.structure(item, kind) for item in _data(doc).get(kind_name(kind), ())]


def _data(doc: Doc) -> Mapping[str, Any]:
    stored = doc.user_data.get(USER_DATA)
    if stored and stored.get(_CHARACTERS, len(doc.text)) == len(doc.text):
        data: Mapping[str, Any] = stored[_RECORDS]
        return data
    # Made of other Docs, or of a part of one.
    ours = _span_keys(doc)
    if not ours and not stored:
        raise InputError(
            "this Doc was not read by the component kgscripts, or lost its user data",
            remedy='add it to the pipeline: nlp.add_pipe("kgscripts"); keep the user data: '
            "DocBin(store_user_data=True), span.as_doc(copy_user_data=True)",
        )
    # Places of what was cut off lie outside of this Doc.
    inside = sorted(key for key in ours if key[2] >= 0 and key[3] <= len(doc.text))
    kept = [_event_at(doc, event, key[2]) for key in inside for _, event in _user_data(doc)[key].values() if event]
    return {kind_name(EventMention): kept}


def _user_data(doc: Doc) -> dict[Any, Any]:
    """All user data; the stubs of spaCy know only keys that are strings."""
    return doc.user_data


def _span_keys(doc: Doc) -> list[tuple[str, str, int, int]]:
    return [key for key in _user_data(doc) if isinstance(key, tuple) and key[:2] == _BY_SPAN]


def _event_at(doc: Doc, event: Mapping[str, Any], start: int) -> dict[str, Any]:
    """The event of a span that begins at `start`, without what lies outside of the Doc: a tool of another sentence."""

    def inside(item: Any) -> bool:
        return not isinstance(item, Mapping) or ((item.get("start") or 0) >= 0 and (item.get("end") or 0) <= size)

    size = len(doc.text)
    shifted: dict[str, Any] = _shifted(event, start)
    return {
        name: [item for item in value if inside(item)] if isinstance(value, list) else value
        for name, value in shifted.items()
    }


def _of_span(span: Span) -> tuple[float | None, Mapping[str, Any] | None]:
    """The score of a span, and its event with offsets in the span, if there are any."""
    kept = _user_data(span.doc).get((*_BY_SPAN, span.start_char, span.end_char), {})
    score, event = kept.get(span.id_, (None, None))
    return score, event


def _event_of(span: Span) -> EventMention | None:
    _, event = _of_span(span)
    return _CONVERTER.structure(_event_at(span.doc, event, span.start_char), EventMention) if event else None


def _action(span: Span) -> Action | None:
    event = _event_of(span)
    return event.action if event else None


def _tools(span: Span) -> tuple[Tool, ...]:
    event = _event_of(span)
    return event.tools if event else ()


_GETTERS: tuple[tuple[type[Doc] | type[Span], str, Callable[[Any], Any]], ...] = (
    (Doc, "script_events", partial(records_of, kind=EventMention)),
    (Doc, "script_changes", partial(records_of, kind=StateChange)),
    (Span, "action", _action),
    (Span, "tools", _tools),
    (Span, "script_score", lambda span: _of_span(span)[0]),
)


def set_extensions() -> None:
    """Set the extension attributes; those that are set already stay.

    Raises
    ------
    ConfigurationError
        If another package has set one of these names.
    """
    for owner, name, getter in _GETTERS:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter)
        elif owner.get_extension(name)[2] is not getter:
            raise ConfigurationError(
                f"{owner.__name__}._.{name} is set by another package",
                remedy=f"remove that before: spacy.tokens.{owner.__name__}.remove_extension({name!r})",
            )
