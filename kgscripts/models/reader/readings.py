"""What the reader says of a text; importing this loads no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from kgscripts.models.reader.labels import HAPPENS


@frozen
class Thing:
    """A word that has a part in an event: an `EventRole`, or what stands for one that the text leaves out."""

    word: int
    label: str
    probability: float


@frozen
class ReadEvent:
    """A word with the probability of each of its labels, which are realities in the annotation of a graph.

    `conditional` is the probability that it stands under a condition.
    """

    word: int
    labels: Mapping[str, float]
    conditional: float
    things: tuple[Thing, ...]

    @property
    def probability(self) -> float:
        """That the word tells an event, real or not."""
        return sum(self.labels.values())

    @property
    def happens(self) -> float:
        """That it is a part of what the text tells or instructs."""
        return sum(share for label, share in self.labels.items() if label in HAPPENS)

    def parts(self, least: float) -> list[Thing]:
        """The words that have a part in it with at least this probability, each with the most probable one."""
        of_word: dict[int, list[Thing]] = {}
        for thing in self.things:
            of_word.setdefault(thing.word, []).append(thing)
        return [
            max(of_one, key=lambda thing: thing.probability)
            for of_one in of_word.values()
            if sum(thing.probability for thing in of_one) >= least
        ]

    @property
    def label(self) -> str:
        """The most probable one."""
        return max(self.labels, key=lambda label: self.labels[label])


@frozen
class Reading:
    """What a text says: events in their order, and the probabilities of words of needs and of conditions, (words,)."""

    events: tuple[ReadEvent, ...]
    needed: Sequence[float]
    condition: Sequence[float]
