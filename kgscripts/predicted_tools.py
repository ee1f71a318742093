"""The enricher of predicted tools: what the cloze model says that an abstract event is done with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kgscripts.enrichment import Enricher, Stage
from kgscripts.extractors.tool_prediction import predict_tools, words_of
from kgscripts.models.registry import describe, load
from schemas.provenance import Model
from schemas.records import Action, PredictedTool, Record

if TYPE_CHECKING:
    from kgscripts.models.cloze import ClozeModel

LEAST_PROBABILITY = 0.05


class ToolPredictor(Enricher):
    """Predicts tools of the sub-events that decompose, among the single-word tools of the graph."""

    name = "predicted-tools"
    rules = "1"
    stage = Stage.CLUSTERS
    gives = PredictedTool
    query = """
        SELECT s.step AS target,
               [a.predicate, a.particle, a.object, a.preposition, a.prepositional_object] AS content
        FROM step s JOIN action a ON a.action = s.leader
        WHERE s.step IN (SELECT r.step FROM aligned_step w JOIN realization r ON r.mention = w.abstract)
        ORDER BY target
    """
    candidates = """
        SELECT label FROM tool n JOIN tool_total t ON t.key = n.tool
        WHERE NOT contains(label, ' ') AND support >= least_support() ORDER BY label
    """

    @property
    def networks(self) -> tuple[Model, ...]:
        """The masked cloze model that ships."""
        return (describe("masked"),)

    @cached_property
    def _model(self) -> ClozeModel:
        return load("cloze", "masked")

    def enrich(self, contents: Sequence[Sequence[str]], candidates: Sequence[str]) -> list[Sequence[Record]]:
        """For each action the tools of at least `LEAST_PROBABILITY`, best first."""
        names = ("predicate", "particle", "object", "preposition", "prepositional_object")
        events = [words_of(Action(**dict(zip(names, content, strict=True)))) for content in contents]
        found = predict_tools(self._model, events, candidates)
        return [[tool for tool in tools if tool.probability >= LEAST_PROBABILITY] for tools in found]
