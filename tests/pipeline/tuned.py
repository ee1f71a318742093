"""An extractor and an enricher with settings, as a package brings them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from attrs import define, field, frozen, validators

from kgscripts.enrichers.predicted_tools import ToolPredictor
from kgscripts.enrichers.protocol import Enricher
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from schemas.provenance import Model
from schemas.records import Action, EventMention, PredictedTool, Record
from tests.plugins import install_groups

LETTERS: Mapping[str, object] = {"least": 1, "share": 1.0, "loud": False, "verb": "write"}
"""The settings of the extractor, with their defaults."""


@frozen(kw_only=True)
class LetterSettings:
    """Of every type that a setting can have."""

    least: int = field(default=1, validator=validators.ge(1))
    """Shorter words are left out."""
    share: float = field(default=1.0, validator=[validators.gt(0.0), validators.le(1.0)])
    """The score of an event."""
    loud: bool = False
    """Whether only words in capitals are read."""
    verb: str = field(default="write", validator=validators.min_len(1))
    """What is done with a word."""


@define
class LetterExtractor(Extractor):
    """Reads every word as an event of writing it."""

    name = "letters"
    rules = "1"
    task = "words"
    gives = (EventMention,)

    settings: LetterSettings = field(factory=LetterSettings, kw_only=True)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [
                EventMention(
                    action=Action(predicate=self.settings.verb, object=word.group().lower()),
                    start=word.start(),
                    end=word.end(),
                    score=self.settings.share,
                )
                for word in re.finditer(r"\w+", item.document.text)
                if len(word.group()) >= self.settings.least and (word.group().isupper() or not self.settings.loud)
            ]
            for item in documents
        ]


@frozen(kw_only=True)
class PencilSettings:
    """Of the enricher."""

    probability: float = field(default=0.5, validator=[validators.gt(0.0), validators.le(1.0)])
    """Of the tool of every step."""


class PencilEnricher(Enricher):
    """Says that every step is done with the tools that some other step has."""

    name = "pencils"
    rules = "1"
    task = "tools"
    by_default = False
    gives = PredictedTool
    settings: PencilSettings = PencilSettings()
    query = "SELECT step AS target, [a.label] AS content FROM step JOIN action a ON a.action = leader ORDER BY target"
    candidates = "SELECT label FROM tool ORDER BY label"
    predicts = ToolPredictor.predicts
    networks = (Model(name="pencils", version="1", digest="e" * 64, task="tools"),)
    log: ClassVar[list[str]] = []

    def enrich(self, contents: Sequence[Sequence[str]], candidates: Sequence[str]) -> list[Sequence[Record]]:
        self.log.extend(label for [label] in contents)
        found = [PredictedTool(lemma=tool, probability=self.settings.probability) for tool in candidates]
        return [found for _ in contents]


def install_tuned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install both."""
    module = "tests.pipeline.tuned"
    groups = {
        "kgscripts.extractors": {"letters": f"{module}:LetterExtractor"},
        "kgscripts.enrichers": {"pencils": f"{module}:PencilEnricher"},
    }
    install_groups(folder, groups, monkeypatch)
    PencilEnricher.log.clear()
