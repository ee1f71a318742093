"""Documents whose sentences are labelled with scenarios (Wanzare, Roth and Pinkal 2019), as gold or as detected.

The 200 scenarios themselves are a concept scheme.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from attrs import field, frozen, validators


@frozen
class ScenarioConcept:
    """A listed scenario: the label of the literature, alternative labels, and the labels of linked scenarios.

    A broader scenario includes it ("going shopping" of "shopping for clothes"); a related one shares events with it, or
    often occurs in the same text ("checking in at an airport" and "flying in a plane").
    """

    label: str
    alternative_labels: tuple[str, ...]
    broader: tuple[str, ...]
    related: tuple[str, ...]


@cache
def concept_scheme() -> tuple[ScenarioConcept, ...]:
    """The listed scenarios, in the order of the list."""
    table = files("schemas").joinpath("data/scenarios.tsv").read_text("utf-8")
    rows = {}
    for line in table.splitlines()[1:]:
        label, *cells = line.split("\t")
        rows[label] = [tuple(filter(None, cell.split("|"))) for cell in cells]
    # The table has each related pair once.
    related = {label: list(row[2]) for label, row in rows.items()}
    for label, row in rows.items():
        for other in row[2]:
            related[other].append(label)
    return tuple(ScenarioConcept(label, row[0], row[1], tuple(related[label])) for label, row in rows.items())


@cache
def linked_scenarios() -> Mapping[str, frozenset[str]]:
    """The broader, narrower and related scenarios of each listed scenario."""
    linked: dict[str, set[str]] = {concept.label: {*concept.broader, *concept.related} for concept in concept_scheme()}
    for concept in concept_scheme():
        for label in concept.broader:
            linked[label].add(concept.label)
    return {label: frozenset(others) for label, others in linked.items()}


NONE = "None"
"""The label of a sentence that refers to no listed scenario (section 3.1); in gold documents it is not written."""


def _is_span(instance: object, start: int, end: int) -> None:
    if not 0 <= start < end:
        raise ValueError(f"{type(instance).__name__}: a segment of sentences {start}:{end}")


@frozen(kw_only=True)
class LabelledSegment:
    """Consecutive sentences `start:end` (counted from 0, end excluded) that are about one or more scenarios."""

    start: int
    end: int
    scenarios: tuple[str, ...] = field(converter=tuple[str, ...], validator=validators.min_len(1))

    def __attrs_post_init__(self) -> None:
        _is_span(self, self.start, self.end)


@frozen(kw_only=True)
class ScenarioDocument:
    """A text in sentences with its gold segments, which may overlap and be nested.

    Sentences outside of all segments refer to no scenario.
    """

    id: str = field(validator=validators.min_len(1))
    sentences: tuple[str, ...] = field(converter=tuple[str, ...])
    segments: tuple[LabelledSegment, ...] = field(converter=tuple[LabelledSegment, ...], default=())

    def __attrs_post_init__(self) -> None:
        for segment in self.segments:
            if segment.end > len(self.sentences):
                raise ValueError(f"a segment ends at sentence {segment.end} of {len(self.sentences)}")

    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The scenarios of each sentence, in the order of the segments, each once; () for None."""
        of_sentences: list[dict[str, None]] = [{} for _ in self.sentences]
        for segment in self.segments:
            for sentence in range(segment.start, segment.end):
                of_sentences[sentence] |= dict.fromkeys(segment.scenarios)
        return tuple(tuple(labels) for labels in of_sentences)


@frozen(kw_only=True)
class DetectedSegment:
    """Consecutive sentences `start:end` with the labels that a model ranks first, `NONE` among them.

    `ranking` holds at least the five most probable labels (all, if there are fewer), with their probabilities,
    descending. `scenarios` are those that the segment is said to be about: () for None.
    """

    start: int
    end: int
    ranking: tuple[tuple[str, float], ...] = field(
        converter=tuple[tuple[str, float], ...], validator=validators.min_len(1)
    )
    scenarios: tuple[str, ...] = field(converter=tuple[str, ...], default=())

    def __attrs_post_init__(self) -> None:
        _is_span(self, self.start, self.end)

    @property
    def confidence(self) -> float:
        """The probability of the first label."""
        return self.ranking[0][1]
