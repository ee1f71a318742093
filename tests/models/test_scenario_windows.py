"""Long texts in windows: against the whole text at once, whatever the sizes, and with bounded memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from attrs import define, evolve
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.models.scenarios import protocol as scenario_windows
from kgscripts.models.scenarios.detector import context_features
from kgscripts.models.scenarios.protocol import detect_documents, detect_stream
from kgscripts.models.stored_vectors import SCALE
from schemas.provenance import Model
from schemas.scenario_documents import NONE, DetectedSegment

_MODEL = Model(name="runs", version="1", digest="0" * 64, task="scenarios")


@define
class RunModel:
    """A segment for each run of equal sentences, which are its scenario."""

    model: Model = _MODEL
    longest: int = 0

    def detect(self, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
        self.longest = max([self.longest, *map(len, documents)])
        return [list(_runs(document)) for document in documents]


def _runs(document: Sequence[str]) -> Iterator[DetectedSegment]:
    start = 0
    for sentence, run in itertools.groupby(document):
        end = start + len(list(run))
        yield DetectedSegment(start=start, end=end, ranking=[(sentence, 1.0), (NONE, 0.0)], scenarios=[sentence])
        start = end


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenario_windows, "WINDOW", 20)
    monkeypatch.setattr(scenario_windows, "CONTEXT", 4)


def _joined(segments: Sequence[DetectedSegment]) -> list[DetectedSegment]:
    """Neighbours with the same scenarios as one."""
    found: list[DetectedSegment] = []
    for segment in segments:
        if found and found[-1].scenarios == segment.scenarios:
            found[-1] = evolve(found[-1], end=segment.end)
        else:
            found.append(segment)
    return found


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 45)), max_size=12))
def test_windows_give_what_the_whole_text_gives(lengths: list[tuple[str, int]]) -> None:
    sentences = [letter for letter, length in lengths for _ in range(length)]
    model = RunModel()
    found = list(detect_stream(model, iter(sentences)))
    assert model.longest <= 20
    assert [place for segment in found for place in range(segment.start, segment.end)] == list(range(len(sentences)))
    whole = list(_runs(sentences))
    assert _joined(found) == whole
    if all(segment.end - segment.start <= 12 for segment in whole):
        assert found == whole


def test_sentences_are_fetched_as_they_are_needed() -> None:
    fetched = itertools.count()
    stream = detect_stream(RunModel(), ("ab"[place // 3 % 2] for place in fetched))
    assert next(stream).end == 3
    assert next(fetched) <= 22


@given(st.lists(st.lists(st.sampled_from("ab"), max_size=50), max_size=5))
def test_documents_are_kept_apart(documents: list[list[str]]) -> None:
    assert detect_documents(RunModel(), documents) == [list(detect_stream(RunModel(), text)) for text in documents]


def test_what_the_detector_reads_of_a_sentence_does_not_depend_on_what_is_far_away() -> None:
    vectors = np.random.default_rng(0).integers(-127, 128, (3000, 384)).astype(np.float32) / np.float32(SCALE)
    whole = context_features(vectors)
    for start, end in ((500, 700), (2800, 3000), (0, 40)):
        first = max(0, start - 15)
        part = context_features(vectors[first : end + 15])[start - first : end - first]
        assert np.array_equal(part, whole[start:end])
