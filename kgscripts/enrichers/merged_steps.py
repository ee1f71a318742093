"""The enricher that merges steps: which actions of a scenario are the same step, by a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from attrs import field, fields, frozen, validators

from kgscripts.enrichers.protocol import Enricher
from kgscripts.models.registry import load
from kgscripts.models.steps import LEAST_COSINE
from kgscripts.settings import device_setting, model_setting
from schemas.records import Action, Record, StepCluster

if TYPE_CHECKING:
    from kgscripts.models.steps.merger import StepMerger
    from kgscripts.models.steps.script_match import ScriptStep


_TASK = "steps"


@frozen(kw_only=True)
class StepEnricherSettings:
    """The settings of the enricher that merges steps."""

    model: str = model_setting(_TASK)
    """The model: the name of one that ships, or the directory of a checkpoint."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""
    least_cosine: float = field(default=LEAST_COSINE, validator=[validators.ge(-1.0), validators.le(1.0)])
    """Two actions whose words have a smaller cosine are never joined."""
    threshold: float = field(default=0.0, validator=[validators.ge(0.0), validators.le(0.98)])
    """The mean probability that the pairs of a step need: a higher one joins less. 0 is that of the model."""


class StepEnricher(Enricher):
    """Merges the actions of each scenario that mean the same. The result does not depend on other scenarios."""

    name = "steps"
    rules = "3"
    task = "merging of steps"
    gives = StepCluster
    settings: StepEnricherSettings = StepEnricherSettings()
    # One row for each text of a scenario: its actions in order, those of written scripts with their wordings.
    query = """
        WITH content AS (
            SELECT o.scenario, o.document,
                   to_json(list(list_concat(
                       [a.predicate, a.particle, a.object, a.preposition, a.prepositional_object],
                       list_concat([w.name], w.wordings)) ORDER BY o.mention))::VARCHAR AS told
            FROM occurrence o JOIN action a USING (action)
                 LEFT JOIN written_step_record w ON w.document = o.document AND w.start = o.start
            WHERE o.scenario > 0 GROUP BY o.scenario, o.document
        )
        SELECT scenario AS target, list(told ORDER BY document) AS content FROM content
        GROUP BY scenario ORDER BY target
    """
    # The probability that the actions of a step are the same step.
    reader_of: ClassVar = {
        "EXPRESSED_AS": 'SELECT step AS start, action AS "end", probability AS score FROM merged_wording',
        "HAS_SUB_EVENT": """
            SELECT s.scenario AS start, m.step AS "end", max(m.probability) AS score
            FROM merged_wording m JOIN named_step s USING (step) GROUP BY ALL
        """,
    }

    @cached_property
    def _model(self) -> StepMerger:
        from kgscripts.models.sentence_vectors import RememberedVectors

        shared: StepMerger = load(_TASK, self.settings.model, self.settings.device)
        # A copy, since other builds of this process have the same model.
        model = shared.at(self.settings.threshold) if self.settings.threshold else copy(shared)
        # Scenarios share many actions.
        model.vectors = RememberedVectors(model.vectors)
        model.least_cosine = self.settings.least_cosine
        return model

    def enrich(self, contents: Sequence[Sequence[str]], _: Sequence[str]) -> list[Sequence[Record]]:
        """For each scenario the clusters of two or more actions."""
        scenarios = [[json.loads(text) for text in content] for content in contents]
        actions = [[[tuple(action[:_PARTS]) for action in text] for text in texts] for texts in scenarios]
        scripts = [_script(texts) for texts in scenarios]
        from kgscripts.models.steps.contexts import words_of

        # In one go, since the batches of a single scenario are seldom full.
        self._model.vectors([words_of(action) for texts in actions for text in texts for action in text])
        return [
            [
                StepCluster(actions=[_action(parts) for parts in group.actions], probability=group.probability)
                for group in self._model.merge(texts, script)
            ]
            for texts, script in zip(actions, scripts, strict=True)
        ]


_PARTS = len(fields(Action))


def _script(texts: Sequence[Sequence[Sequence[str | None]]]) -> list[ScriptStep]:
    """The steps of the first written script among the texts of a scenario."""
    from kgscripts.models.steps.script_match import ScriptStep

    return next(
        (
            [ScriptStep(tuple(map(str, step[:_PARTS])), tuple(filter(None, step[_PARTS:]))) for step in text]
            for text in texts
            if text and any(text[0][_PARTS:])
        ),
        [],
    )


def _action(parts: Sequence[str]) -> Action:
    return Action(**{item.name: part for item, part in zip(fields(Action), parts, strict=True)})
