"""The enrichers of vectors by MiniLM: of actions, and of scenarios that labels and titles of a graph name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from attrs import frozen

from kgscripts.enrichers.protocol import Enricher
from kgscripts.models.stored_vectors import MINILM_SHA256, SCALE, encoded
from kgscripts.score_files import read_scores, scores_of_package
from kgscripts.settings import device_setting
from schemas.provenance import BenchmarkScore, Model
from schemas.records import ActionVector, Record, ScenarioVector, SentenceVector

MINILM = Model(
    name="all-MiniLM-L6-v2",
    version="1",
    digest=MINILM_SHA256,
    task="vectors of actions and scenarios",
    licence="Apache-2.0",
)


@frozen(kw_only=True)
class VectorSettings:
    """The settings of the enrichers of vectors."""

    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


class ActionVectors(Enricher):
    """Gives the vectors of the actions of all scenarios, and of the scenarios, whose targets are negative."""

    name = "action-vectors"
    rules = "1"
    task = "vectors of actions and scenarios"
    requires: ClassVar[tuple[str, ...]] = ("steps",)
    gives = ActionVector
    settings: VectorSettings = VectorSettings()
    query = """
        SELECT action AS target, [label] AS content FROM action
        WHERE action IN (SELECT action FROM occurrence WHERE scenario > 0)
        UNION ALL SELECT -scenario, [own] FROM scenario WHERE scenario IN (SELECT scenario FROM occurrence)
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
        from kgscripts.models.encoder import shared_minilm
        from kgscripts.models.sentence_vectors import quantised_vectors

        vectors = quantised_vectors([label for [label] in contents], shared_minilm(self.settings.device))
        return [[ActionVector(values=encoded(vector))] for vector in vectors]


MOST_SENTENCES = 16
"""At most this number of sentences describe a scenario: the first of its texts."""


class ScenarioVectors(Enricher):
    """Gives a vector of each offered scenario: of its name and of sentences of the texts that name it."""

    name = "scenario-vectors"
    rules = "1"
    task = "vectors of scenarios that labels and titles name"
    reads = (SentenceVector,)
    gives = ScenarioVector
    settings: VectorSettings = VectorSettings()
    query = f"""
        WITH sentence AS (
            SELECT DISTINCT o.offered, s.document, s.start, s."end"
            FROM offered_text o JOIN sentence_record s USING (document)
        ), chosen AS (
            SELECT *, row_number() OVER (PARTITION BY offered ORDER BY document, start, "end") AS place
            FROM sentence QUALIFY place <= {MOST_SENTENCES}
        )
        SELECT o.offered AS target,
               list_prepend(o.name, list(substr(t.text, c.start + 1, c."end" - c.start) ORDER BY c.place)) AS content
        FROM offered_scenario o JOIN chosen c USING (offered) JOIN text t USING (document)
        GROUP BY o.offered, o.name ORDER BY target
    """

    @property
    def networks(self) -> tuple[Model, ...]:
        """MiniLM."""
        return (MINILM,)

    def enrich(self, contents: Sequence[Sequence[str]], _: Sequence[str]) -> list[Sequence[Record]]:
        """One vector for each name with its sentences."""
        from kgscripts.models.encoder import shared_minilm
        from kgscripts.models.scenarios.list import passages_centre, scenario_point
        from kgscripts.models.sentence_vectors import quantised_vectors

        texts = [" ".join(text.split()) for content in contents for text in content]
        vectors = quantised_vectors(texts, shared_minilm(self.settings.device)).astype(float)
        records: list[Sequence[Record]] = []
        for own in np.split(vectors, np.cumsum([len(content) for content in contents])[:-1]):
            point = scenario_point(own[0] / np.linalg.norm(own[0]), passages_centre([own[1:]]))
            records.append([ScenarioVector(values=encoded((point * SCALE).round().clip(-127, 127).astype(np.int8)))])
        return records
