"""What is read in everyday steps against lists: by hand, by the command, and what the lists are."""

from __future__ import annotations

import json

import pytest
from attrs import evolve
from typer.testing import CliRunner

import cli
from kgscripts.evaluation import step_changes
from kgscripts.evaluation.step_changes import GoldStep, evaluate_step_changes, gold_steps, is_denied, is_named
from schemas.changes import Change
from schemas.provenance import Exposure
from tests.evaluation.test_every_command import check
from tests.extractors.fixed_generator import FixedGenerator

_WET = Change(entity="shirt", attribute="wetness", before="dry", after="wet")
_CLEAN = Change(entity="shirt", attribute="cleanliness", before="dirty", after="clean")


def _named(entity: str, attribute: str, before: str = "", after: str = "") -> dict[str, str]:
    return {"entity": entity, "attribute": attribute, "before": before, "after": after}


@pytest.mark.parametrize(
    ("entity", "attribute", "before", "after", "is_so"),
    [
        ("shirt", "wetness", "dry", "wet", True),
        ("the shirts", "moisture | dampness", "dry", "wet", True),
        ("white shirt", "state", "dry", "wet", True),
        ("shirt", "state", "dirty", "clean", False),
        ("sock", "wetness", "dry", "wet", False),
        ("sock | shirt", "wetness", "dry", "wet", True),
        ("shirt", "location", "in basket", "in machine", False),
    ],
)
def test_which_change_a_list_names(entity: str, attribute: str, before: str, after: str, is_so: bool) -> None:
    assert is_named(_WET, _named(entity, attribute, before, after)) == is_so


def test_who_does_it_is_a_person() -> None:
    tired = Change(entity="person", attribute="energy", before="rested", after="tired")
    assert all(is_named(tired, _named(name, "tiredness")) for name in ("I", "we", "person"))


def test_what_does_not_happen() -> None:
    assert is_denied(_CLEAN, _named("shirt", "cleanness"))
    assert is_denied(_CLEAN, _named("shirt", "cleanness", after="clean | spotless"))
    assert not is_denied(_CLEAN, _named("shirt", "cleanness", after="dirty"))
    assert not is_denied(_CLEAN, _named("shirt", "wetness"))


def _gold(split: str) -> list[GoldStep]:
    judged = {("shirt", "wetness", "wet"): True, ("shirt", "cleanliness", "clean"): False}
    listed = (_named("shirts", "moisture", "dry", "wet"), _named("basket", "weight", "heavier", "lighter"))
    denied = (_named("shirt", "cleanness", after="clean"), _named("shirt", "location"))
    assert split == "unseen"
    return [GoldStep("one", "Laundry", (), "Wash the shirts.", listed, denied, judged)]


def _generator(monkeypatch: pytest.MonkeyPatch) -> FixedGenerator:
    """What the extractor loads: the shirts are wet for certain, perhaps clean, and it gives what nobody lists."""
    generator = FixedGenerator(
        default=[
            ("shirts", "wetness", "dry", "wet", 0.9),
            ("shirts", "cleanliness", "dirty", "clean", 0.6),
            ("shirts", "color", "", "white", 0.8),
            ("shirts", "age", "", "old", 0.1),
        ]
    )
    monkeypatch.setattr("kgscripts.extractors.changes.state_changes.load", lambda *_: generator)
    return generator


def test_the_figures_of_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_changes, "gold_steps", _gold)
    generator = _generator(monkeypatch)
    found = evaluate_step_changes("default", "unseen")
    assert generator.predicates == [["Wash"]]
    assert (found.exposure, found.items["changes"], found.items["non-changes"]) == (Exposure.UNSEEN, 2, 2)
    systems = {system.name: system for system in found.systems}
    assert list(systems) == ["certain", "certain and likely", "likely"]
    assert {system.source for system in found.systems} == {"default"}
    figures = ("recall", "named", "non-changes", "changes", "precision")
    assert [systems["certain"][name] for name in figures] == [0.5, 0.5, 0, 2, 1]
    assert [systems["certain and likely"][name] for name in figures] == pytest.approx([0.5, 1 / 3, 0.5, 3, 0.5])
    assert [systems["likely"][name] for name in figures] == [0, 0, 0.5, 1, 0]
    assert systems["certain"]["calibration error"] == pytest.approx((0.1 + 0.6) / 2)
    assert found.items["judged"] == 2
    assert sum(row[-1] for row in found.tables["reliability"].rows) == 2  # type: ignore[misc]


def test_of_a_step_with_others_before_it_the_last_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    (step,) = _gold("unseen")
    earlier = evolve(step, context=("Soak the shirts.",), judged={})
    monkeypatch.setattr(step_changes, "gold_steps", lambda _: [earlier])
    generator = _generator(monkeypatch)
    found = evaluate_step_changes("default", "unseen")
    assert generator.predicates == [["Soak", "Wash"]]
    assert [system["changes"] for system in found.systems] == [0, 0, 0], "what soaking changes holds"
    assert (found.items["judged"], found.tables) == (0, {})


def test_the_command_gives_what_the_schema_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_changes, "gold_steps", _gold)
    result = CliRunner().invoke(cli.app, ["evaluate", "step-changes", "--examples", "1"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "recall" in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    result = CliRunner().invoke(cli.app, ["evaluate", "step-changes", "--json"], catch_exceptions=False)
    (found,) = check(json.loads(result.stdout))
    assert found.dataset == step_changes.DATASET


@pytest.mark.parametrize(("split", "with_few", "judged"), [("development", 0, 75), ("unseen", 16, 0)])
def test_the_lists_that_ship(split: str, with_few: int, judged: int) -> None:
    """Of the unseen steps, some tell to watch and to wait, which changes next to nothing."""
    steps = gold_steps(split)
    assert len(steps) == len({step.id for step in steps}) == 150
    assert sum(len(step.changes) < 4 for step in steps) == with_few
    assert sum(bool(step.judged) for step in steps) == judged
    for step in steps:
        assert step.step
        assert len(step.non_changes) == 3
        assert all(item["entity"] and item["attribute"] and item["after"] for item in step.changes)


def test_no_step_is_in_both_lists() -> None:
    development, unseen = ({step.step for step in gold_steps(split)} for split in ("development", "unseen"))
    assert not development & unseen
