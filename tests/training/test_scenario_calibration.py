"""The calibration of a detector: what ships is calibrated, and to calibrate it again changes nothing."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

import cli
from kgscripts.models.checkpoint import read_card
from kgscripts.models.registry import find_checkpoint
from kgscripts.models.scenarios.detector import load_detector

STORIES = Path(__file__).parents[1] / "data" / "natural_stories.jsonl"


def test_the_shipped_detector_is_calibrated(tmp_path: Path) -> None:
    out = tmp_path / "model"
    arguments = ["train", "scenario-calibration", "--development", str(STORIES), "--out", str(out)]
    done = CliRunner().invoke(cli.app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    shipped, again = load_detector("default"), load_detector(out)
    assert "69 other activities, floor 0.35" in " ".join(done.output.split())
    assert again.settings == shipped.settings
    assert read_card(out)[0].scores == (), "scores belong to the model that was measured"
    assert read_card(out)[0].command == read_card(find_checkpoint("scenarios"))[0].command
