"""The objects of verbs: counts of verbs and the heads of their objects over the corpora.

``data/verb_objects.tsv`` has a line for each verb, with its particle if it has one: its count, its count with an
object, and its objects with their counts. ``kgscripts train verb-objects`` writes it.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections import Counter
from collections.abc import Mapping
from importlib import resources

from attrs import field, frozen

from kgscripts.text.lexicon import classes_of

FILE = "verb_objects.tsv"
_PRIOR = 8.0
"""The weight of the classes of a noun, in observations of the verb."""
_UNSEEN = 0.5
"""The count of a noun that never was an object."""


@frozen
class Uses:
    """The count of a verb, its count with an object, and its count with each noun as its object."""

    total: int
    transitive: int
    nouns: Mapping[str, int] = field(factory=dict)
    nouns_total: int = 0
    classes: Mapping[str, int] = field(factory=dict)


class VerbObjects:
    """The counts, and probabilities from them."""

    def __init__(self, uses: Mapping[str, tuple[int, int, Mapping[str, int]]]) -> None:
        self._nouns: Counter[str] = Counter()
        self._classes: Counter[str] = Counter()
        self._uses: dict[str, Uses] = {}
        for verb, (total, transitive, nouns) in uses.items():
            classes: Counter[str] = Counter()
            for noun, count in nouns.items():
                for label in classes_of(noun):
                    classes[label] += count
            self._uses[verb] = Uses(total, transitive, nouns, sum(nouns.values()), classes)
            if " " not in verb:
                self._nouns.update(nouns)
                self._classes.update(classes)
        self._total = max(1, self._nouns.total())

    def transitivity(self, verb: str, particle: str = "") -> float:
        """The share of the uses of a verb that have an object; 0.5 for a verb without counts."""
        uses = self._of(verb, particle)
        return (uses.transitive + 1) / (uses.total + 2)

    def count(self, verb: str, noun: str) -> int:
        """How often the noun was the object of the verb."""
        found = self._uses.get(verb)
        return found.nouns.get(noun, 0) if found is not None else 0

    def is_rather_noun(self, word: str) -> bool:
        """Whether a word was an object more often than a verb."""
        uses = self._uses.get(word)
        return self._nouns[word] > (uses.total if uses is not None else 0)

    def preference(self, verb: str, particle: str, noun: str) -> float:
        """How much more probable the noun is as an object of the verb than of any verb, as a natural logarithm.

        A verb with a particle is looked up with it if it has counts, else without the particle. Nouns that are rare
        with the verb are judged by their classes in the lexicon.
        """
        uses = self._of(verb, particle)
        of_any = max(_UNSEEN, self._nouns[noun]) / self._total
        of_class = self._class_ratio(uses, noun)
        seen = uses.nouns.get(noun, 0)
        return math.log((seen / of_any + _PRIOR * of_class) / (uses.nouns_total + _PRIOR))

    def _class_ratio(self, uses: Uses, noun: str) -> float:
        labels = classes_of(noun)
        if not labels:
            return 1.0
        ratios = [
            ((uses.classes.get(label, 0) + 1) / (uses.nouns_total + _PRIOR))
            / ((self._classes[label] + _PRIOR) / (self._total + _PRIOR * _PRIOR))
            for label in labels
        ]
        return max(0.05, sum(ratios) / len(ratios))

    def _of(self, verb: str, particle: str) -> Uses:
        found = self._uses.get(f"{verb} {particle}") if particle else None
        return found or self._uses.get(verb) or _NEVER


_NEVER = Uses(0, 0)


@functools.cache
def verb_objects() -> VerbObjects:
    """The counts that ship."""
    return VerbObjects(parse_counts(_content()))


@functools.cache
def verb_objects_digest() -> str:
    """SHA-256 of the file that ships."""
    return hashlib.sha256(_content().encode("utf-8")).hexdigest()


def _content() -> str:
    return (resources.files("kgscripts.text") / "data" / FILE).read_text(encoding="utf-8")


def parse_counts(content: str) -> dict[str, tuple[int, int, dict[str, int]]]:
    """By verb, its uses, those with an object, and its objects."""
    found: dict[str, tuple[int, int, dict[str, int]]] = {}
    for line in content.splitlines():
        verb, total, transitive, nouns = line.split("\t")
        pairs = (pair.split(":") for pair in nouns.split())
        found[verb] = (int(total), int(transitive), {noun: int(count) for noun, count in pairs})
    return found
