"""Derive the list of artefacts, ``kgscripts/text/data/artefacts.txt``, from WordNet 3.0.

``python -m kgscripts.training.text.artefacts /usr/share/wordnet`` (the folder of ``data.noun``, Debian's wordnet-base).
Each noun gets the class of its most frequent sense among the artefacts, if that sense is common enough; the class is
that of the closest hypernym in ``data/hypernyms.txt``.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path

from attrs import frozen

from kgscripts.text.lexicon import word_classes
from schemas.input_files import open_input
from schemas.terminal import echo

ARTEFACT = 6
"""The number of the file ``noun.artifact``."""

CLASSES = word_classes("kgscripts.training.text", "hypernyms.txt")
"""Hypernyms of each class, by the first of their words; those of `_NONE` lead to no class."""
_NONE = "none"

_HEADING = """\
# Artefacts by class, derived from WordNet 3.0 by `python -m kgscripts.training.text.artefacts FOLDER`; do not edit.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Licence: WEIGHTS.md.
# Classes are those of nouns.txt, which takes precedence. A carrier transports things and people.
"""
_LEAST_SHARE = 0.25
"""The least share of the tagged occurrences of a noun that have the sense; of nouns without tagged occurrences, the
sense is one of the first `_FIRST_SENSES`."""
_FIRST_SENSES = 2
_ALIVE_OR_USED_UP = frozenset({5, 8, 13, 18, 20, 27})
"""The files of animals, body parts, food, people, plants and substances."""
_ALIVE = frozenset({5, 18})
"""Those of animals and people."""
_OTHER_SENSES = 3
_MOST_WORDS = 3
_NAME = re.compile(r"[a-z][a-z-]*( [a-z][a-z-]*)*")


@frozen
class Synset:
    """The words of a synset, its file, and its hypernyms."""

    words: tuple[str, ...]
    file: int
    hypernyms: tuple[str, ...]


def read_synsets(folder: Path) -> dict[str, Synset]:
    """The synsets of ``data.noun`` by their offset (wndb(5WN))."""
    found = {}
    for line in _lines(folder / "data.noun"):
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        words = tuple(word.replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
        pointers = fields[5 + 2 * count :]
        hypernyms = [
            pointers[start + 1]
            for start in range(0, 4 * int(fields[4 + 2 * count]), 4)
            if pointers[start].startswith("@") and pointers[start + 2] == "n"
        ]
        found[fields[0]] = Synset(words, int(fields[1]), tuple(hypernyms))
    return found


def read_senses(folder: Path) -> dict[str, list[tuple[str, int]]]:
    """The senses of each noun in order: offset of the synset, number of tagged occurrences."""
    tagged: dict[tuple[str, int], int] = {}
    for line in _lines(folder / "cntlist.rev"):
        key, number, count = line.split()
        if "%1:" in key:
            tagged[key.split("%")[0], int(number)] = int(count)
    found = {}
    for line in _lines(folder / "index.noun"):
        name, *fields = line.split()
        offsets = fields[-int(fields[1]) :]
        counts = [tagged.get((name, number), 0) for number in range(1, len(offsets) + 1)]
        found[name.replace("_", " ")] = list(zip(offsets, counts, strict=True))
    return found


def _lines(path: Path) -> Iterator[str]:
    with TextIOWrapper(open_input(path), encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith("  "))


def class_of(offset: str, synsets: Mapping[str, Synset]) -> str:
    """The class of a synset, by its closest hypernym that has one; "" if it leads to none."""
    layer, seen = [offset], {offset}
    while layer:
        for place in layer:
            synset = synsets[place]
            if synset.file != ARTEFACT:
                continue
            for label, hypernyms in CLASSES.items():
                if synset.words[0] in hypernyms:
                    return "" if label == _NONE else label
        layer = [above for place in layer for above in synsets[place].hypernyms if above not in seen]
        seen.update(layer)
    return ""


def artefacts(folder: Path) -> dict[str, list[str]]:
    """The nouns of each class, by alphabet."""
    synsets, senses = read_synsets(folder), read_senses(folder)
    found: dict[str, list[str]] = defaultdict(list)
    for name, offsets in sorted(senses.items()):
        if not _NAME.fullmatch(name) or len(name.split()) > _MOST_WORDS:
            continue
        total = sum(count for _, count in offsets)
        for number, (offset, count) in enumerate(offsets):
            if synsets[offset].file != ARTEFACT:
                continue
            agentive = _is_agentive(name, offsets, number, synsets)
            if not agentive and _names_another(offsets, number, synsets):
                break
            if not agentive and number and (count < _LEAST_SHARE * total if total else number >= _FIRST_SENSES):
                continue
            if name not in {word.lower() for word in synsets[offset].words if word.islower()}:
                continue
            label = class_of(offset, synsets)
            if label:
                found[label].append(name)
            break
    return dict(found)


def _is_agentive(name: str, offsets: Sequence[tuple[str, int]], number: int, synsets: Mapping[str, Synset]) -> bool:
    """Whether a noun is derived from a verb, names a tool as well as who does it ("beater"), and occurs in no text."""
    others = [synsets[offset].file for offset, _ in offsets[:number]]
    unseen = not any(count for _, count in offsets)
    return unseen and name.endswith(("er", "or")) and number < _OTHER_SENSES and all(file in _ALIVE for file in others)


def _names_another(offsets: Sequence[tuple[str, int]], number: int, synsets: Mapping[str, Synset]) -> bool:
    """Whether the noun is as often the name of a living thing, of food or of a substance as of this sense."""
    others = [count for offset, count in offsets[:_OTHER_SENSES] if synsets[offset].file in _ALIVE_OR_USED_UP]
    return bool(others) and max(others) >= offsets[number][1]


def main() -> None:
    """Write the list to the standard output."""
    echo(_HEADING.rstrip("\n"))
    for label, names in artefacts(Path(sys.argv[1])).items():
        echo(f"\n[{label}]\n{', '.join(names)}")


if __name__ == "__main__":
    main()
