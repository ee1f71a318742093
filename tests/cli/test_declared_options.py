"""A field of `BuildOptions` is all that an option of a build needs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from attrs import field, frozen
from typer.testing import CliRunner

from kgscripts.building.configuration import read_configuration
from kgscripts.building.declared_options import called_with, options_of
from kgscripts.building.options import BuildOptions
from kgscripts.commands import build, pieces
from kgscripts.commands.options import with_options
from kgscripts.pipeline import build_graph
from schemas.errors import ConfigurationError


def _options_table(cls: Any) -> str:
    """The options of a class as a table of Markdown."""
    lines = ["| option | what it does |", "|---|---|"]
    for item in options_of(cls).values():
        words, text = (cell.replace("|", r"\|") for cell in (f"{item.flag} {item.metavar}".rstrip(), item.help))
        lines.append(f"| `{words}` | {text} |")
    return "\n".join(lines) + "\n"


@frozen(kw_only=True)
class More(BuildOptions):
    """A class with more options, one of each type."""

    cups: int = 1
    """The number of cups."""
    warm: bool = False
    """Warm them."""
    colour: str | None = None
    """Their colour."""
    recipe: str | Path | None = None
    """How to fill them."""
    guests: Iterable[str] = ()
    """Who drinks."""
    litres: float | None = field(default=None, metadata={"metavar": "a|b", "parser": float})
    """How much."""


VALUES = {"cups": 2, "warm": True, "colour": "blue", "guests": ["Ada", "Bo"], "litres": 0.5}
LINE = "--cups 2 --warm --colour blue --guests Ada,Bo --litres 0.5 --recipe tea.txt"
FILE = 'cups = 2\nwarm = true\ncolour = "blue"\nguests = ["Ada", "Bo"]\nlitres = "0.5"\nrecipe = "tea.txt"\n'


def test_a_field_is_an_option_of_the_command_line() -> None:
    found: dict[str, Any] = {}

    @with_options(More, without=["device"])
    def command(options: dict[str, Any], other: Annotated[bool, typer.Option()] = False) -> None:
        found.update(options, other=other)

    app = typer.Typer()
    app.command()(command)
    for line, expected in ((LINE, VALUES | {"recipe": "tea.txt", "other": False}), ("--other", {"other": True})):
        found.clear()
        assert CliRunner().invoke(app, line.split(), catch_exceptions=False).exit_code == 0
        assert found == expected
    assert CliRunner().invoke(app, ["--cups", "0"]).exit_code == 2
    assert CliRunner().invoke(app, ["--device", "cpu"]).exit_code == 2


def test_a_field_is_a_key_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "build.toml"
    file.write_text(FILE, encoding="utf-8")
    assert read_configuration(file, More).options == VALUES | {"recipe": tmp_path / "tea.txt"}
    for line, message in (("cups = 0", "cups is 0"), ("warm = 1", "warm is 1"), ("guests = 'Ada'", "guests is 'Ada'")):
        file.write_text(line, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=message):
            read_configuration(file, More)
    file.write_text("cups = 1", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="unknown option cups"):
        read_configuration(file)


def test_a_field_is_an_argument_with_help_in_python() -> None:
    @called_with(More)
    def build(more: More) -> dict[str, Any]:
        """Build."""
        return more.changed()

    assert build(cups=2, guests=iter(["Ada"])) == {"cups": 2, "guests": ("Ada",)}
    assert inspect.signature(build).parameters["cups"].annotation is int
    assert "cups:\n    The number of cups." in str(build.__doc__)
    for wrong in ({"cups": 0}, {"warm": "yes"}, {"colour": 3}, {"guests": "Ada"}):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            build(**wrong)


def test_type_checkers_know_the_arguments_of_a_build() -> None:
    with pytest.raises(TypeError, match="min_supprt"):
        build_graph("texts", min_supprt=2)  # type: ignore[call-arg]
    with pytest.raises(ConfigurationError, match="jobs"):
        build_graph("texts", jobs="many")  # type: ignore[arg-type]


def test_the_commands_have_all_options_that_apply_to_them() -> None:
    of_build, of_pieces = (
        set(inspect.signature(command).parameters) for command in (build.build_graph, pieces.split_reading)
    )
    assert set(options_of(BuildOptions)) - of_build == set()
    assert set(options_of(BuildOptions)) - of_pieces == {"limit", "corrections", "jobs", "memory"}


def test_the_page_on_builds_has_the_table_of_the_options() -> None:
    page = Path(__file__).parents[2] / "docs" / "guide" / "building.md"
    assert _options_table(BuildOptions) in page.read_text(encoding="utf-8")
    assert "| `--cups N` | The number of cups. |\n" in _options_table(More)
    assert r"| `--litres a\|b` | How much. |" in _options_table(More)
