"""Attributes that mean the same: how they are found, and the list that ships."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.attribute_names import Pairs, clustered_pairs, same_names, score, values_of_attributes
from kgscripts.changes.attributes import attribute_names, leading_attribute


def test_a_name_leads_those_that_take_the_same_values() -> None:
    attributes = {
        "moisture": Counter({("dry", "wet"): 9, ("wet", "dry"): 3}),
        "wetness": Counter({("dry", "wet"): 5, ("wet", "dry"): 2}),
        "cleanness": Counter({("dirty", "clean"): 20, ("dry", "wet"): 1}),
    }
    assert same_names(attributes) == {"moisture": ["wetness"]}
    assert same_names(attributes, 1.0) == {}


def test_precision_and_recall_of_pairs() -> None:
    same = Counter({("moisture", "wetness"): 3, ("power", "state"): 1})
    found = score({"moisture": ["wetness", "dryness"]}, Pairs(same, Counter({("dryness", "wetness"): 1})))
    assert (found.precision, found.recall) == (0.75, 0.75)


def test_no_name_leads_and_is_led() -> None:
    names = attribute_names()
    others = [other for each in names.values() for other in each]
    assert len(set(others)) == len(others)
    assert not names.keys() & set(others)
    assert leading_attribute("wetness") == "moisture" == leading_attribute("moisture")
    assert leading_attribute("never heard of") == "never heard of"


def test_the_list_that_ships_is_the_one_of_the_train_split(shared_corpora: Path) -> None:
    names = same_names(values_of_attributes(shared_corpora / "openpi/gold/train"))
    assert {name: tuple(others) for name, others in names.items()} == attribute_names()
    measured = score(names, clustered_pairs(shared_corpora / "openpi/v2.0/dev-data-reformatted-v4.json"))
    assert (round(measured.precision, 3), round(measured.recall, 3)) == (0.745, 0.144)
