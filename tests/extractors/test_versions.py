"""What each built-in extractor reads in a fixed text is pinned to its version: no change of it goes unnoticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import distribution
from typing import Any

import pytest
from attrs import asdict

from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.registry import EXTRACTORS, choose
from kgscripts.text import lexicon
from kgscripts.text.pipeline import describe_pipeline
from schemas.records import Document, Record

TEXTS: Sequence[str | Mapping[str, Any]] = (
    "# How to cook pasta\n\n1. Fill a pot with water.\n2. Boil the water on the stove.\n"
    "3. Drain the pasta with a strainer.\n4. Put it into a bowl.\n",
    {
        "scenario": "painting a fence",
        "text": "My sister and I painted the fence. We did not use a roller. She opened the can with a screwdriver. "
        "I wanted to wash the brush. If it rains, we will cover the fence. The brushes were washed by my sister.",
    },
    {
        "abstract": "Drain the pasta and slice the bread.",
        "concrete": "Put a colander into the sink. Pour the pasta into the colander. Cut the bread with a sharp knife.",
    },
    "You will need: a spade, 2 stakes, young trees\n\nStep 1: Use the spade.\nStep 2: Take a hammer\n",
)

SCRIPT = """\
scenario: making tea
steps:
  - {id: boil, name: boil the water, importance: essential, tools: [{thing: kettle, role: container}]}
  - {id: pour, name: pour the water into the cup}
order: [boil < pour]
"""
"""A written script, the only text for one of the extractors."""

PINS: dict[str, tuple[str, str]] = {
    "decompositions": (
        "9799924e5dd6433fe9058a27f2c464c1a673c3195a3390752218d22a1193b714",
        "8f3843a9fc833f905c68c4303b8bfe6a12dada76a42f11c62d325e651d302f55",
    ),
    "events": (
        "981fed4784ae060a9a21a506773c35f42a20bfa699abd25275fbacc1a9e68bf0",
        "a7506eb263ffdb7b5c2718a96cf433dbd55785f6cc1b78ac36ce5c0fd8affab9",
    ),
    "labels": (
        "483ed0ada0eb4f0ac9f2a9928758f24bc786bfbcac8fe3c298ce4636b560466f",
        "20d1d5f5842e13f941efceaa37be21d9a5b998079dece345d50ec570f12ea661",
    ),
    "scenarios": (
        "bbdad5066321dc8ef9c5d6afd259d00bc67311a2c2bf1645ffacf8a633d07fee",
        "fcd9381925e35687405ef7dbb3b81d0f2cc5d7fe67fc7b5b230c729d9c9c53da",
    ),
    "scripts": (
        "0fdce738aa607acfd54296a690c85544903a7205dd3861d2fec90297a29e1a99",
        "ec54e0a5678edc2905e5319326119ca634841d0926bdb3df5b253fdc9407433d",
    ),
    "sentences": (
        "65739973655c7e01d9b1cb786b047d7f088c90b9bbdf26c9f68035ab28da0993",
        "db24017ead43eff07371aa3c6a4dbce005f48870d19e109c4563905d5ae1fc77",
    ),
    "state-changes": (
        "518ebc162bc4ec0ee2a25232fc25b01ac2cd1403518b7a9e12f5e257e45a3854",
        "7bd70bfe7eefac15deba8971d3c409085e92be958c4169d1c5517296e083db42",
    ),
}
"""Version of each extractor, and digest of its records, by its name."""


def _digest(records: Sequence[Sequence[Record]]) -> str:
    """SHA-256 of records, with the numbers of networks to one decimal, since the last ones differ between processors,
    and without vectors."""
    content = [[[type(record).__name__, _rounded(asdict(record))] for record in items] for items in records]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: round(item, 1) if key in ("log_probability", "confidence") else _rounded(item)
            for key, item in value.items()
            if key != "values"
        }
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value


@cache
def _found() -> dict[str, tuple[str, str]]:
    """Version, and digest of the records of `TEXTS`, of each built-in extractor."""
    documents = [item for item in documents_from_strings(TEXTS) if isinstance(item, Document)]
    assert len(documents) == len(TEXTS)
    documents += [item for item in documents_from_strings([SCRIPT], format="script") if isinstance(item, Document)]
    names = [entry.name for entry in distribution("kgscripts").entry_points if entry.group == EXTRACTORS.group]
    chosen = choose(names, (), describe_pipeline)
    readings = (
        DocumentReader(chosen, strict=True).read(Batch(documents, frozenset(item.version for item in chosen))).readings
    )
    records = {(reading.extractor, reading.subject): reading.records for reading in readings}
    return {
        item.extractor.name: (item.version, _digest([records[item.version, document.digest] for document in documents]))
        for item in chosen
    }


def _problem(name: str, found: tuple[str, str], pinned: tuple[str, str] | None) -> str:
    """What has to be done before the pin holds again; "" if it holds."""
    if pinned is not None and found[0] == pinned[0] and found[1] != pinned[1]:
        return (
            f"what {name!r} reads has changed and its version has not: bump `rules` of {name!r}, so that texts are "
            "read again, and update its pin"
        )
    return "" if found == pinned else f"the version of {name!r} has changed: update its pin to {found}"


def test_every_built_in_extractor_has_a_pin() -> None:
    assert set(_found()) == set(PINS)


@pytest.mark.parametrize("name", sorted(PINS))
def test_a_version_goes_with_what_is_read(name: str) -> None:
    problem = _problem(name, _found()[name], PINS.get(name))
    assert not problem, problem


def test_every_extractor_finds_something_in_the_text() -> None:
    nothing = _digest([[] for _ in (*TEXTS, SCRIPT)])
    assert nothing not in {output for _, output in _found().values()}


def test_a_forgotten_bump_is_a_problem() -> None:
    version, output = _found()["events"]
    assert "bump `rules` of 'events'" in _problem("events", (version, "other"), (version, output))
    assert "update its pin" in _problem("events", ("newer", "other"), (version, output))
    assert "update its pin" in _problem("events", ("newer", output), (version, output))
    assert not _problem("events", (version, output), (version, output))


def test_comments_and_layout_of_a_word_list_change_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = lexicon.word_list_digests()
    lists = {name: lexicon._load(name) for name in before}

    def digests(change: Mapping[str, str]) -> dict[str, str]:
        """The digests of the word lists written anew, with more lines at the end of some."""
        texts = {
            name: "# another comment\n"
            + "\n".join(f"[{label}]\n{', '.join(sorted(words))}" for label, words in classes.items())
            for name, classes in lists.items()
        }
        with monkeypatch.context() as patch:
            patch.setattr(
                lexicon, "_load", lambda name: lexicon.parse_classes(texts[name] + change.get(name, ""), name)
            )
            return lexicon.word_list_digests.__wrapped__()

    assert digests({}) == before
    assert digests({"nouns.txt": "\n# one more\n\n"}) == before
    changed = digests({"nouns.txt": "\n[implement]\nfrobnicator\n"})
    assert {name for name in before if changed[name] != before[name]} == {"nouns.txt"}
