"""Texts in another language are set aside by a build; English of any kind and short texts are not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kgscripts.building.inputs import file_input, text_input
from kgscripts.corpora import text_kinds
from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.corpora.text_kinds import other_language
from schemas.errors import ModelError
from schemas.records import Discard, DiscardReason, Document
from tests.corpora.languages import ENGLISH, OTHER, OTHER_STYLES, SHORT
from tests.corpora.other_kinds import PROSE

STORY = "I fed the cat and then I watered the plants. " * 3


@pytest.mark.parametrize("language", OTHER)
def test_other_languages(language: str) -> None:
    assert other_language(OTHER[language]) == language
    assert other_language(OTHER[language] * 100) == language


@pytest.mark.parametrize("name", OTHER_STYLES)
def test_other_languages_in_other_styles(name: str) -> None:
    assert other_language(OTHER_STYLES[name]) == name[:2].lower().replace("ge", "de").replace("du", "nl")


@pytest.mark.parametrize("name", ENGLISH)
def test_english(name: str) -> None:
    assert other_language(ENGLISH[name]) == ""


@pytest.mark.parametrize("text", [*SHORT, *PROSE.values(), "12 -- !! " * 50, "\ud83c " * 100])
def test_texts_without_a_language(text: str) -> None:
    assert other_language(text) == ""


def test_only_the_text_in_another_language_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps({"id": n, "text": text}) for n, text in enumerate([STORY, OTHER["de"]])))
    given = file_input(InputFile(path, "a.jsonl"), None)
    english, german = given.items()
    assert isinstance(english, Document)
    assert isinstance(german, Discard)
    assert (german.reason, german.where) == (DiscardReason.OTHER_LANGUAGE, "a.jsonl#1")
    assert "'de'" in german.detail


def test_a_document_in_another_language_is_set_aside() -> None:
    (document,) = documents_from_strings([OTHER["de"]])
    assert isinstance(document, Document)
    (discard,) = text_input(document, None).items()
    assert isinstance(discard, Discard)


def test_english_needs_no_detector() -> None:
    """Loading it takes longer than reading a short story."""
    program = (
        "import sys; from kgscripts.corpora.text_kinds import other_language as of; "
        f"assert of({STORY!r}) == of('short') == ''; assert 'py3langid' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_detector_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    text_kinds._detector.cache_clear()
    monkeypatch.setattr("py3langid.langid.MODEL_FILE", "missing.npz.xz")
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        other_language(OTHER["de"])
    assert "reinstall py3langid" in str(caught.value.remedy)
