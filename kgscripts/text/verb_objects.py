"""How often verbs have an object: counts over the corpora.

``data/verb_objects.tsv`` has a line for each verb, with its particle if it has one: its count, and its count with an
object, counted in corpora (``git show 9c5b47d4:kgscripts/training/text/verb_objects.py``).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from importlib import resources

from attrs import frozen

FILE = "verb_objects.tsv"


@frozen
class VerbObjects:
    """By verb, or verb and particle, its uses and those with an object."""

    uses: Mapping[str, tuple[int, int]]

    def transitivity(self, verb: str, particle: str = "") -> float:
        """The share of the uses of a verb that have an object; 0.5 for a verb without counts.

        A verb with a particle is looked up with it if it has counts, else without the particle.
        """
        with_particle = self.uses.get(f"{verb} {particle}") if particle else None
        total, transitive = with_particle or self.uses.get(verb, (0, 0))
        return (transitive + 1) / (total + 2)


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


def parse_counts(content: str) -> dict[str, tuple[int, int]]:
    """By verb, its uses and those with an object."""
    rows = (line.split("\t") for line in content.splitlines())
    return {verb: (int(total), int(transitive)) for verb, total, transitive in rows}
