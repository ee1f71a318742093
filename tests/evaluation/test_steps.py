"""Sub-events against gold sets of paraphrases: a file written for it, and wrong ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.evaluation.result import Role, System, as_json
from kgscripts.reproductions.steps.gold import GoldStep, GoldSteps
from kgscripts.reproductions.steps.merging import _share_meant, evaluate_steps
from schemas.errors import InputError

ITEM = '<item source="1" script="{}" slot="{}" total_slots="3" original="{}"/>'
GOLD = {
    "water": [(1, 1, "boil water"), (2, 1, "boil the water"), (3, 1, "heat water")],
    "pasta": [(1, 2, "add pasta"), (2, 2, "Add pasta")],
    "other_chat": [(3, 2, "call a friend")],
    "UnrelEv": [(2, 3, "drink wine")],
    "drain": [(1, 3, "drain pasta")],
}


def _file(folder: Path, sets: str) -> Path:
    path = folder / "cooking pasta.new.xml"
    path.write_text(f"<scripts>\n{sets}\n</scripts>\n", "utf-8")
    return path


def _sets() -> str:
    return "\n".join(
        f'<label type="PARAPHRASE" event="{event}">' + "".join(ITEM.format(*item) for item in items) + "</label>"
        for event, items in GOLD.items()
    )


def _b_cubed(system: System) -> tuple[float, float, float]:
    return system["B-cubed precision"], system["B-cubed recall"], system["B-cubed F1"]


def test_merged_steps_are_compared_with_gold_sets(tmp_path: Path) -> None:
    (found,) = evaluate_steps(descript=_file(tmp_path, _sets()))
    assert found.items == {"steps": 6, "groups": 3, "clusters found": 5}
    merged, alone, words = map(_b_cubed, found.systems[:3])
    assert alone == pytest.approx((1, 3 / 6, 2 / 3))
    # "Add pasta" and "add pasta" have the same words; those of the others depend on what is read.
    assert words[:2] == pytest.approx((1, (2 + 3 * 1 / 3 + 1) / 6))
    assert merged[0] == 1
    assert [system.role for system in found.systems] == [Role.MODEL, *5 * [Role.BASELINE]]
    for system in found.systems:  # There is one annotation, so the mean is its own.
        (annotation,) = system.parts
        assert system.value("B-cubed F1", annotation) == system["B-cubed F1"]


def test_the_command_says_the_same_as_the_function(tmp_path: Path) -> None:
    path = str(_file(tmp_path, _sets()))
    printed = CliRunner().invoke(app, ["steps", "--descript", path])
    assert printed.exit_code == 0, printed.output
    assert "6 steps, 3 groups" in printed.output
    assert all(len(line) <= 80 for line in printed.output.splitlines())
    shown = json.loads(CliRunner().invoke(app, ["steps", "--descript", path, "--json", "--examples", "2"]).output)
    expected = as_json(item.with_examples(2) for item in evaluate_steps(descript=path))
    assert shown == json.loads(json.dumps(expected))
    assert len(shown["evaluations"][0]["examples"]) == 2


@pytest.mark.parametrize("sets", ["", "<label/>", '<label event="a"><item/></label>', "<label", "&lol;"])
def test_files_that_are_no_gold_sets_are_refused(tmp_path: Path, sets: str) -> None:
    with pytest.raises(InputError):
        evaluate_steps(descript=_file(tmp_path, sets))


def test_steps_mean_the_label_if_they_are_in_the_group_of_their_clusters_most_frequent_action() -> None:
    boil, heat, pour = ("boil", "", "water", "", ""), ("heat", "", "water", "", ""), ("pour", "", "water", "", "")
    told = [("boil", boil)] * 3 + [("boil", heat)] + [("pour", pour)] * 2 + [("pour", None)]
    annotation = GoldSteps("one", [GoldStep(group, action, "") for group, action in told])
    assert _share_meant(annotation, {boil: 1, heat: 1, pour: 2}) == 1.0
    assert _share_meant(annotation, {boil: 1, heat: 2, pour: 1}) == pytest.approx(4 / 6)
    assert _share_meant(annotation, {boil: 1, heat: 2, pour: 2}) == pytest.approx(5 / 6)
