"""Settings of extractors: attrs classes that people see, and what cannot be one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from attrs import asdict, frozen

from kgscripts.changes.levels import LEAST
from kgscripts.extractors.changes.state_changes import StateChangeExtractor
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.settings import KINDS, model_setting, models_of, settings_of, version_of
from schemas.changes import Level
from schemas.errors import ModelError
from tests.pipeline.tuned import LETTERS, LetterSettings
from tests.plugins import install


@frozen(kw_only=True)
class LoudLetterSettings(LetterSettings):
    """A class that derives from another one."""

    loud: bool = True
    """Whether they are loud."""
    model: str = model_setting("steps")


def test_people_see_name_type_default_and_docstring() -> None:
    found = [asdict(setting) for setting in settings_of(LetterSettings())]
    least = {"name": "least", "kind": "int", "default": 1, "help": "Shorter words are left out.", "task": ""}
    assert found[0] == least
    assert {row["name"]: row["default"] for row in found} == LETTERS
    assert {row["kind"] for row in found} == set(KINDS)
    loud = {setting.name: setting for setting in settings_of(LoudLetterSettings())}
    assert (loud["loud"].help, loud["loud"].default) == ("Whether they are loud.", True)
    assert (loud["least"].help, loud["model"].help) == ("Shorter words are left out.", "")
    assert (loud["model"].default, loud["model"].task) == ("default", "steps")


def test_models_are_no_part_of_a_version() -> None:
    settings = LoudLetterSettings(model="elsewhere")
    assert version_of(settings) == {**LETTERS, "loud": True}
    assert models_of(settings) == {"model": ("steps", "elsewhere")}


def test_every_setting_that_ships_has_help() -> None:
    for name in EXTRACTORS.names():
        assert all(setting.help for setting in settings_of(EXTRACTORS.open(name).settings))
    assert version_of(StateChangeExtractor().settings) == {
        "least_certain": LEAST[Level.CERTAIN],
        "least_likely": LEAST[Level.LIKELY],
    }


EXTRACTOR = """
from attrs import define, field, frozen
from kgscripts.extractors.protocol import Extractor

@frozen
class Settings:
    least: {type} = {default}

{decorator}
class Broken(Extractor):
    name, rules, task, gives = "broken", "1", "test", ()
    {settings}

    def read(self, documents):
        return [[] for _ in documents]
"""
USUAL = {"type": "int", "default": "1", "decorator": "", "settings": "settings = Settings()"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, ""),
        ({"decorator": "@define", "settings": "settings: Settings = field(factory=Settings)"}, ""),
        ({"settings": "settings = {'least': 1}"}, "no instance of an attrs class"),
        ({"type": "list", "default": "()"}, "the type of its setting 'least' is none of str, int, float, bool"),
        ({"type": "int | None"}, "the type of its setting 'least' is none of"),
        ({"decorator": "@define"}, "unexpected keyword argument 'settings'"),
        ({"settings": "settings = Settings()\n    def __init__(self): pass"}, "unexpected keyword argument 'settings'"),
    ],
)
def test_an_extractor_declares_its_settings(
    change: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_settings.py").write_text(EXTRACTOR.format(**USUAL | change), encoding="utf-8")
    install(tmp_path, "kgscripts.extractors", {"broken": "broken_settings:Broken"}, monkeypatch)
    try:
        if message:
            with pytest.raises(ModelError, match="broken") as caught:
                EXTRACTORS.open("broken", {"least": 2})
            assert message in caught.value.message
        else:
            assert version_of(EXTRACTORS.open("broken", {"least": 2}).settings) == {"least": 2}
            assert version_of(EXTRACTORS.open("broken").settings) == {"least": 1}
    finally:
        sys.modules.pop("broken_settings", None)
