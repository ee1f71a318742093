"""Resolution of labels, titles and file names to the 200 listed scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import defusedxml.ElementTree
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.scenarios.labels import is_listed, resolve, scenario_of
from kgscripts.corpora.xml_records import scenario_of_file
from kgscripts.titles.keys import gerund
from schemas.errors import InputError
from schemas.records import Document, Passage, PassageKind
from schemas.scenario_documents import ScenarioConcept, concept_scheme, linked_scenarios


def test_there_are_200_and_all_labels_differ() -> None:
    assert len(concept_scheme()) == 200
    assert len({concept.label for concept in concept_scheme()}) == 200


def test_every_label_and_alternative_label_resolves_to_its_own_concept() -> None:
    for concept in concept_scheme():
        for label in (concept.label, *concept.alternative_labels):
            assert resolve(label) == concept.label, label


def test_links_are_between_listed_scenarios_and_of_one_kind() -> None:
    concepts = {concept.label: concept for concept in concept_scheme()}
    for label, concept in concepts.items():
        above = _above(concepts, label)
        assert label not in above
        assert len(set(concept.related)) == len(concept.related)
        for other in concept.related:
            assert label in concepts[other].related
            assert other not in above  # skos:related is disjoint with skos:broaderTransitive.
            assert label not in _above(concepts, other)
        assert linked_scenarios()[label] >= {*concept.broader, *concept.related}
        assert all(label in linked_scenarios()[other] for other in linked_scenarios()[label])


def _above(concepts: Mapping[str, ScenarioConcept], label: str) -> set[str]:
    found: set[str] = set()
    waiting = list(concepts[label].broader)
    while waiting:
        if (other := waiting.pop()) not in found:
            found.add(other)
            waiting += concepts[other].broader
    return found


def test_links_that_the_literature_names() -> None:
    concepts = {concept.label: concept for concept in concept_scheme()}
    assert "going shopping" in concepts["shopping for clothes"].broader
    assert "checking in at an airport" in concepts["flying in a plane"].related
    assert "renovating a room" in concepts["papering a room"].broader
    assert "making a dinner reservation" in concepts["eating in a restaurant"].related


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("How to cook pasta", "cooking pasta"),
        ("  How to  Cook the Pasta? ", "cooking pasta"),
        ("HOW TO: bake a cake", "baking a cake"),
        ("Cook pasta", "cooking pasta"),
        ("borrow a book from the library", "borrow a book from the library"),
        ("Borrowing a book from the library", "borrow a book from the library"),
        ("fyling in an airplane", "flying in a plane"),
        ("washing one's hair", "washing ones hair"),
        ("Washing one’s hair", "washing ones hair"),
        ("sending food back (in a restaurant)", "sending food back"),
        ("answering the doorbell", "Answering the doorbell"),
        ("train", "going on a train"),
        ("haircut", "getting a haircut"),
        ("change batteries", "change batteries in an alarm clock"),
        ("changing the batteries in an alarm clock", "change batteries in an alarm clock"),
        ("buying from a vending machine", "buy from a vending machine"),
        ("removing and replacing a garbage bag", "remove and replace garbage bag"),
        ("giving a medicine to someone", "give a medicine to someone"),
    ],
)
def test_spellings_of_listed_scenarios(text: str, label: str) -> None:
    assert is_listed(text)
    assert resolve(text) == label


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("How to carve a pumpkin?", "carving a pumpkin"),
        ("how do I tie   a tie", "tying a tie"),
        ("Carving a Pumpkin", "carving a pumpkin"),
        ("A day at the zoo.", "a day at the zoo"),
        ("**How to unclog a drain**", "unclogging a drain"),
    ],
)
def test_other_titles_are_normalised(title: str, label: str) -> None:
    assert not is_listed(title)
    assert resolve(title) == label


@pytest.mark.parametrize("text", ["", "  ", "?!", "***"])
def test_nothing_is_no_scenario(text: str) -> None:
    with pytest.raises(InputError):
        resolve(text)


@given(st.text(max_size=40))
def test_resolving_is_stable(text: str) -> None:
    try:
        once = resolve(text)
    except InputError:
        return
    assert resolve(once) == once or once.startswith("how ")  # "how to how to x"


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        *[("bake", "baking"), ("put", "putting"), ("tie", "tying"), ("see", "seeing"), ("dye", "dyeing")],
        *[("open", "opening"), ("fix", "fixing"), ("sew", "sewing"), ("unclog", "unclogging"), ("begin", "beginning")],
        *[
            ("bring", "bringing"),
            ("baking", "baking"),
            ("picnic", "picnicking"),
            ("be", "being"),
            ("clean", "cleaning"),
        ],
        *[("quit", "quitting"), ("buy", "buying"), ("preheat", "preheating"), ("re-tie", "re-tie"), ("", "")],
    ],
)
def test_gerunds(verb: str, form: str) -> None:
    assert gerund(verb) == form


def _document(*, title: str = "", scenario: str = "", kind: PassageKind = PassageKind.PARAGRAPH) -> Document:
    passage = Passage(kind=kind, start=0, end=1)
    return Document(name="x", format="text", text="x", title=title, scenario=scenario, passages=[passage])


def test_what_a_document_says_it_is_about() -> None:
    step = PassageKind.STEP
    assert scenario_of(_document(scenario="Borrowing a book from the library", title="How to bake a cake")) == (
        "borrow a book from the library"
    )
    assert scenario_of(_document(title="Bake a cake")) == "baking a cake"
    assert scenario_of(_document(title="How to carve a pumpkin")) == "carving a pumpkin"
    assert scenario_of(_document(title="Carving a pumpkin", kind=step)) == "carving a pumpkin"
    assert scenario_of(_document(title="My first day at the office")) == ""
    assert scenario_of(_document(title="?!", kind=step)) == ""
    assert scenario_of(_document()) == ""
    manual = evolve(_document(title="Alpino 3 / EN", kind=step), text="Alpino 3 / EN\nPage 1\nSetting up your tent\nx")
    assert scenario_of(manual) == "setting up your tent"
    assert scenario_of(evolve(manual, title="Pitch the Alpino: 3 Steps")) == "pitching the alpino"


def test_all_scenarios_of_the_corpora_are_listed(shared_corpora: Path) -> None:
    names = {scenario_of_file(path.name) for path in (shared_corpora / "descript" / "esds").iterdir()}
    names |= {path.name for path in (shared_corpora / "inscript" / "val").iterdir()}
    stories = defusedxml.ElementTree.fromstring((shared_corpora / "mcscript" / "labelled-data.xml").read_bytes())
    names |= {instance.get("scenario", "") for instance in stories.iter("instance")}
    listed = [line.split("\t")[1] for line in (shared_corpora / "scenarios.tsv").read_text("utf-8").splitlines()[1:]]
    assert [concept.label for concept in concept_scheme()] == listed
    assert {name for name in names if not is_listed(name)} == set()
