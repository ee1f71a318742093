"""Training of the tool ranker on a few events, and files of events that cannot be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cli
from kgscripts.models.registry import load
from lightning_modules.learning.tool_ranker import RankerSettings, read_events, shipped_events, train_ranker
from schemas.errors import InputError

_ROWS = (
    ("drain the pasta; drain the rice; pour off the water", "colander; sieve"),
    ("mop the floor; wash the floor; clean the tiles", "mop; bucket"),
    ("cut the bread; slice the ham; carve the roast", "knife; cutting board"),
    ("pump up the tyre; inflate the ball; blow up the mattress", "pump"),
    ("greet the guests; say goodbye; laugh at a joke; thank the host", "-"),
    ("sew on a button; mend the shirt; hem the skirt", "needle; scissors"),
    ("write a letter; sign the form; fill in the form", "pen"),
)


def _file(path: Path, rows: tuple[tuple[str, str], ...] = _ROWS) -> Path:
    path.write_text("domain\tevents\ttools\n" + "".join(f"home\t{events}\t{tools}\n" for events, tools in rows))
    return path


def test_a_ranker_is_trained_saved_and_ranks(tmp_path: Path) -> None:
    file = _file(tmp_path / "few.tsv")
    result = CliRunner().invoke(cli.app, ["train", "tools", "--train", str(file), "--out", str(tmp_path / "model")])
    assert result.exit_code == 0, result.output
    assert "22 events in 7 groups with 10 tools, of few.tsv" in result.output
    ranker = load("tools", tmp_path / "model")
    for event, tool in (("drain the noodles", "colander"), ("wash the kitchen floor", "mop"), ("sign it", "pen")):
        assert tool in {one.lemma for one in ranker.rank([event])[0][:3]}


def test_the_same_events_give_the_same_weights(tmp_path: Path) -> None:
    groups = read_events(_file(tmp_path / "few.tsv"))
    settings = RankerSettings(epochs=2, folds=2, size=16)
    (ranker, held_out), (again, _) = (train_ranker(groups, settings, lambda _: None) for _ in range(2))
    assert sum(scores.events for scores in held_out.values()) == 22
    assert ranker.projection.shape == (16, 384)
    np.testing.assert_array_equal(ranker.weights, again.weights)
    np.testing.assert_array_equal(ranker.bilinear.tools, again.bilinear.tools)


def test_the_events_that_ship_can_be_read() -> None:
    groups = read_events(shipped_events())
    assert sum(len(group.events) for group in groups) > 4_000
    assert sum(not group.tools for group in groups) > 40
    for group in groups:
        for text in (*group.events, *group.tools):
            assert text == " ".join(text.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not the expected columns"),
        ("event\ttools\n", "not the expected columns"),
        ("domain\tevents\ttools\nhome\tmop\n", "few.tsv:2: a row needs a domain, events and tools"),
        ("domain\tevents\ttools\nhome\tmop\t\n", "few.tsv:2: a row needs a domain, events and tools"),
        ("domain\tevents\ttools\nhome\tmop\tmop\nhome\tsweep; mop\tbroom\n", "few.tsv:3: 'mop' is listed twice"),
        ("domain\tevents\ttools\nhome\tmop; mop\tmop\n", "few.tsv:2: 'mop' is listed twice"),
        ("domain\tevents\ttools\nhome\tmop; \tmop\n", "an empty entry, or a tool twice"),
        ("domain\tevents\ttools\nhome\tmop\tmop; mop\n", "an empty entry, or a tool twice"),
    ],
)
def test_events_that_cannot_be_read(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "few.tsv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as refused:
        read_events(tmp_path / "few.tsv")
    assert refused.value.remedy


def test_a_file_of_events_must_be_text(tmp_path: Path) -> None:
    (tmp_path / "few.tsv").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "few.tsv", tmp_path / "none.tsv", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read_events(path)
