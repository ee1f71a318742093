"""Texts divided into passages about everyday scenarios, with their spans in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

from kgscripts.models.scenarios.protocol import ScenarioModel, detect_documents
from kgscripts.text.passages import innermost, sentence_spans
from schemas.errors import InputError
from schemas.records import Discard, Document, Passage
from schemas.scenario_documents import DetectedSegment

_CHARACTERS = 50_000
"""Short texts are read together up to this length."""


@frozen
class TextSentence:
    """A sentence at character `start` of its text, as it is written there.

    `gap` is the text between the sentence before and this one: white space, the marker of a step. `is_first` says
    whether it begins a paragraph, a line or a step.
    """

    start: int
    text: str
    gap: str = ""
    is_first: bool = False

    @property
    def end(self) -> int:
        """The end of the sentence, exclusive."""
        return self.start + len(self.text)


@frozen
class TextSegment:
    """Consecutive sentences about the same scenarios; `first` is the number of the first of them, from 0."""

    first: int
    sentences: tuple[TextSentence, ...]
    ranking: tuple[tuple[str, float], ...]
    scenarios: tuple[tuple[str, float], ...]
    """With their scores; () for none."""

    @property
    def text(self) -> str:
        """The passage as it is written."""
        first, *others = self.sentences
        return first.text + "".join(sentence.gap + sentence.text for sentence in others)

    def to_dict(self) -> dict[str, Any]:
        """For JSON. Ends are excluded; characters are Unicode code points."""
        return {
            "start": self.sentences[0].start,
            "end": self.sentences[-1].end,
            "sentences": [self.first, self.first + len(self.sentences)],
            "scenarios": [{"scenario": name, "score": score} for name, score in self.scenarios],
            "ranking": [{"scenario": name, "score": score} for name, score in self.ranking],
            "text": self.text,
        }


@frozen
class SegmentedText:
    """A text with its segments, in text order."""

    name: str
    title: str
    segments: Sequence[TextSegment]


def segment_texts(
    items: Iterable[Document | Discard],
    model: ScenarioModel,
    *,
    left_out: Callable[[Discard], None],
    progress: Callable[[int], None],
) -> Iterator[SegmentedText]:
    """Yield each text that has a sentence, with its segments, in order.

    A few short texts are read together. `left_out` is called with each discard, and `progress` with the number of
    sentences whenever some have been read.

    Raises InputError at the end if no text has a sentence.
    """
    some = False

    def count(sentences: int) -> None:
        nonlocal some
        some |= sentences > 0
        progress(sentences)

    waiting: list[Document] = []
    for item in items:
        if isinstance(item, Document):
            waiting.append(item)
            if sum(len(document.text) for document in waiting) < _CHARACTERS:
                continue
        yield from _segmented(waiting, model, count)
        waiting = []
        if isinstance(item, Discard):
            left_out(item)
    yield from _segmented(waiting, model, count)
    if not some:
        raise InputError("there is no sentence to read", remedy="give a text, or choose its format with --format")


def _segmented(
    documents: Sequence[Document], model: ScenarioModel, progress: Callable[[int], None]
) -> Iterator[SegmentedText]:
    if not documents:
        return
    split = _sentences([(document.text, document.passages) for document in documents])
    detected = detect_documents(model, [[_words(sentence) for sentence in sentences] for sentences in split])
    progress(sum(map(len, split)))
    for document, sentences, segments in zip(documents, split, detected, strict=True):
        if not sentences:
            continue
        yield SegmentedText(
            document.name,
            document.title,
            [_text_segment(segment, sentences[segment.start : segment.end]) for segment in segments],
        )


def _sentences(texts: Sequence[tuple[str, Sequence[Passage]]]) -> list[list[TextSentence]]:
    """The sentences of each text."""
    sentences = []
    for (text, passages), spans in zip(texts, sentence_spans(texts), strict=True):
        starts = {passage.start for passage in (innermost(passages) if passages else ())}
        ends = [0, *(end for _, end in spans)]
        sentences.append(
            [
                TextSentence(start, text[start:end], text[last:start], start in starts)
                for last, (start, end) in zip(ends, spans, strict=False)
            ]
        )
    return sentences


def _words(sentence: TextSentence) -> str:
    return " ".join(sentence.text.split())


def _text_segment(segment: DetectedSegment, sentences: Sequence[TextSentence]) -> TextSegment:
    scores = dict(segment.ranking)
    return TextSegment(
        segment.start,
        tuple(sentences),
        segment.ranking,
        tuple((scenario, scores.get(scenario, 0.0)) for scenario in segment.scenarios),
    )
