"""What is read in everyday steps against lists: by hand, by the command, and what the lists are."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import cli
from kgscripts.evaluation import step_changes
from kgscripts.evaluation.step_changes import GoldStep, evaluate_step_changes, gold_steps, is_denied, is_named
from schemas.changes import Change
from schemas.provenance import Exposure
from tests.evaluation.test_every_command import check
from tests.extractors.test_state_changes import FixedModel

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


def test_the_figures_of_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_changes, "gold_steps", _gold)
    found = evaluate_step_changes(FixedModel(default=[_WET, _CLEAN]), "unseen", "fixed")
    assert (found.exposure, found.items["changes"], found.items["non-changes"]) == (Exposure.UNSEEN, 2, 2)
    answers = found.systems[-1]
    assert (answers["recall"], answers["named"], answers["non-changes"], answers["changes"]) == (0.5, 0.5, 0.5, 2)
    assert answers["precision"] == 0.5
    read = next(system for system in found.systems if system.name == "certain and likely")
    assert read["recall"] == 0.5  # the verb says that what is washed is wet afterwards
    assert read["changes"] == sum(system["changes"] for system in found.systems if system.name in ("certain", "likely"))
    assert sum(row[-1] for row in found.tables["reliability"].rows) == found.items["judged"]  # type: ignore[misc]


def test_the_command_gives_what_the_schema_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_changes, "gold_steps", _gold)
    result = CliRunner().invoke(cli.app, ["evaluate", "step-changes", "--examples", "1"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "recall" in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    result = CliRunner().invoke(cli.app, ["evaluate", "step-changes", "--json"], catch_exceptions=False)
    (found,) = check(json.loads(result.stdout))
    assert found.dataset == step_changes.DATASET


@pytest.mark.parametrize("split", ["development", "unseen"])
def test_the_lists_that_ship(split: str) -> None:
    steps = gold_steps(split)
    assert len(steps) == len({step.id for step in steps}) == 75
    for step in steps:
        assert step.step
        assert len(step.changes) >= 4
        assert len(step.non_changes) == 3
        assert all(item["entity"] and item["attribute"] and item["after"] for item in step.changes)
        assert bool(step.judged) <= (split == "unseen")
