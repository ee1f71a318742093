"""The scripts that ship keep their own checklist, as far as a program can tell."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kgscripts import everyday_scripts
from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.scenarios.labels import is_listed
from kgscripts.corpora.scripts.format import Script
from kgscripts.corpora.scripts.reader import written_script
from schemas.records import Document, Importance
from schemas.scenario_documents import concept_scheme

FILES = sorted(everyday_scripts.folder().glob("*.yaml"))


@pytest.fixture(scope="module")
def scripts() -> dict[str, Script]:
    return {path.stem: written_script(path.read_text(encoding="utf-8"), path.name)[0] for path in FILES}


def test_every_listed_scenario_has_a_script(scripts: dict[str, Script]) -> None:
    assert len(scripts) == 250
    names = {script.scenario for script in scripts.values()}
    assert {concept.label for concept in concept_scheme()} <= names
    assert sum(map(is_listed, names)) >= 200


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_script_keeps_the_checklist(path: Path) -> None:
    script, _ = written_script(path.read_text(encoding="utf-8"), path.name)
    assert path.stem == script.scenario.replace(" ", "_").replace("'", "").lower()
    assert script.generated
    assert (script.licence, script.language) == ("CC0-1.0", "en")
    assert script.about
    assert 10 <= len(script.steps) <= 25
    said = Counter(words.lower() for step in script.all_steps() for words in (step.name, *step.wordings))
    assert [words for words, count in said.items() if count > 1] == []
    assert all(len(set(step.wordings)) >= 5 for step in script.all_steps())
    assert sum(step.importance is Importance.ESSENTIAL for step in script.steps) >= 4
    listed = {thing for need in script.needs for thing in (need.thing, *need.instead)}
    certain = (step for step in script.steps if step.importance is not Importance.OPTIONAL and not step.if_)
    assert {tool.thing for step in certain for tool in step.tools} <= listed
    assert len(script.pairs()) >= 6


def test_steps_stand_in_an_order_that_works(scripts: dict[str, Script]) -> None:
    """No step stands before one that must precede it."""
    wrong = []
    for name, script in scripts.items():
        places = {step.id: place for place, step in enumerate(script.steps)}
        pairs = ((a, b) for a, b in script.pairs() if a in places and b in places)
        wrong += [f"{name}: {a} < {b}" for a, b in pairs if places[a] > places[b]]
    assert wrong == []


def test_everyday_is_an_input_unless_a_path_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [file.name for file in find_files(["everyday"])] == [path.name for path in FILES]
    (tmp_path / "everyday").write_text("Boil water.", encoding="utf-8")
    assert [file.path for file in find_files(["everyday"])] == [Path("everyday")]


def test_a_file_is_read_as_a_document() -> None:
    (found,) = read_file(InputFile(FILES[0], FILES[0].name))
    assert isinstance(found, Document)
    assert found.scenario == FILES[0].stem.replace("_", " ")
