"""The enricher of predicted tools of steps, by the tool ranker."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from attrs import evolve, frozen

from kgscripts.enrichers.protocol import Enricher
from kgscripts.models.registry import load
from kgscripts.settings import device_setting, model_setting
from kgscripts.text.lexicon import role_of
from schemas.records import Action, PredictedTool, Record

if TYPE_CHECKING:
    from kgscripts.models.tools.ranker import ToolRanker

MOST_PREDICTED = 3
"""The most predicted tools of a step, besides those that texts name."""


_TASK: Final = "tools"


@frozen(kw_only=True)
class ToolPredictorSettings:
    """The settings of the enricher that predicts tools."""

    model: str = model_setting(_TASK)
    """The tool ranker: the name of one that ships, or the directory of a checkpoint."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


class ToolPredictor(Enricher):
    """Predicts tools of steps, from the words of the action that names the step.

    A verb alone says too little: "wrap" may be a present or a sandwich.
    """

    name = "predicted-tools"
    rules = "2"
    task = "tools that no text names"
    by_default = False
    gives = PredictedTool
    settings: ToolPredictorSettings = ToolPredictorSettings()
    query = """
        SELECT s.step AS target,
               [a.predicate, a.particle, a.object, a.preposition, a.prepositional_object] AS content
        FROM step s JOIN action a ON a.action = s.leader
        WHERE a.object <> '' OR a.prepositional_object <> ''
        ORDER BY target
    """
    # Tools that no text names there.
    predicts: ClassVar = {
        "USES": f"""
            SELECT target AS start, tool AS "end", probability, role
            FROM (SELECT o.target, t.tool, o.probability, o.role,
                         row_number() OVER (PARTITION BY o.target ORDER BY o.ordinal) AS place
                  FROM predicted_tool_of o JOIN tool t ON t.label = o.lemma
                       ANTI JOIN uses_counted u ON u.start = o.target AND u."end" = t.tool
                                 AND u.support >= least_support())
            WHERE place <= {MOST_PREDICTED}
                  AND target IN (SELECT key FROM step_total WHERE support >= least_support())
        """
    }

    @cached_property
    def _model(self) -> ToolRanker:
        return load(_TASK, self.settings.model, self.settings.device)

    def enrich(self, contents: Sequence[Sequence[str]], _: Sequence[str]) -> list[Sequence[Record]]:
        """For each action the tools of at least the ranker's `LEAST_PROBABILITY`, best first."""
        from kgscripts.models.tools.ranker import LEAST_PROBABILITY

        names = ("predicate", "particle", "object", "preposition", "prepositional_object")
        events = [" ".join(words_of(Action(**dict(zip(names, content, strict=True))))) for content in contents]
        return [
            [evolve(tool, role=role_of(tool.lemma)) for tool in tools]
            for tools in self._model.rank(events, least=LEAST_PROBABILITY)
        ]


def words_of(action: Action) -> list[str]:
    """An action in the words of an instruction: "drain the pasta", "pour out the water into the sink"."""
    words = [action.predicate, *action.particle.split(), *_phrase(action.object)]
    return [*words, *action.preposition.split(), *_phrase(action.prepositional_object)]


def _phrase(noun: str) -> list[str]:
    return ["the", *noun.split()] if noun else []
