"""The enricher of vectors of actions and scenarios, by MiniLM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attrs import frozen

from kgscripts.enrichers.protocol import Enricher
from kgscripts.models.encoder import MINILM_SHA256, shared_minilm
from kgscripts.models.stored_vectors import encoded
from kgscripts.score_files import read_scores, scores_of_package
from kgscripts.settings import device_setting
from schemas.provenance import BenchmarkScore, Model
from schemas.records import ActionVector, Record

MINILM = Model(
    name="all-MiniLM-L6-v2",
    version="1",
    digest=MINILM_SHA256,
    task="vectors of actions and scenarios",
    licence="Apache-2.0",
)


@frozen(kw_only=True)
class ActionVectorSettings:
    """The settings of the enricher of vectors."""

    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


class ActionVectors(Enricher):
    """Gives the vectors of the actions of all scenarios, and of the scenarios, whose targets are negative."""

    name = "action-vectors"
    rules = "1"
    task = "vectors of actions and scenarios"
    requires: ClassVar[tuple[str, ...]] = ("steps",)
    gives = ActionVector
    settings: ActionVectorSettings = ActionVectorSettings()
    query = """
        SELECT action AS target, [label] AS content FROM action
        WHERE action IN (SELECT action FROM occurrence WHERE scenario > 0)
        UNION ALL SELECT -scenario, [label] FROM scenario WHERE scenario IN (SELECT scenario FROM occurrence)
        ORDER BY target
    """
    reader_of: ClassVar = {"CLOSE_MATCH": 'SELECT start, "end", similarity AS score FROM close_match_pair'}

    @property
    def networks(self) -> tuple[Model, ...]:
        """MiniLM."""
        return (MINILM,)

    def scores(self) -> Sequence[BenchmarkScore]:
        """Those of typicality, which is made of the vectors."""
        return read_scores(scores_of_package(self.name))

    def enrich(self, contents: Sequence[Sequence[str]], _: Sequence[str]) -> list[Sequence[Record]]:
        """One vector for each text."""
        from kgscripts.models.sentence_vectors import quantised_vectors

        vectors = quantised_vectors([label for [label] in contents], shared_minilm(self.settings.device))
        return [[ActionVector(values=encoded(vector))] for vector in vectors]
