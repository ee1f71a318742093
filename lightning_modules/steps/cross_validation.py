"""How well steps are merged in a scenario that the model was not trained on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from kgscripts.evaluation.result import Evaluation
from kgscripts.evaluation.steps.gold import GoldScenario
from kgscripts.evaluation.steps.merging import DESCRIPT, INSCRIPT, score_scenarios
from kgscripts.models.registry import load
from kgscripts.models.steps.encoder import StepEncoder
from kgscripts.models.steps.merger import StepMerger
from lightning_modules.configuration import Configuration
from lightning_modules.hardware import Hardware
from lightning_modules.steps.task import ScenarioPairs, StepScenarios, StepTask
from lightning_modules.training import train


def cross_validate(
    scenarios: StepScenarios,
    configuration: Configuration,
    encoder: StepEncoder,
    *,
    hardware: Hardware | None = None,
    on_scenario: Callable[[], object] | None = None,
    thresholds: Sequence[float] = (),
) -> list[Evaluation]:
    """Evaluate on DeScript and on InScript, also with other thresholds; the model of each scenario has seen no text
    about it.

    The encoder is the same for all: it was trained on none of these scenarios.

    Raises as `train` does.
    """
    pairs = ScenarioPairs(encoder)
    models: dict[str, StepMerger] = {}

    def merger_of(scenario: GoldScenario) -> StepMerger:
        name = scenario.scenario
        if name not in models:
            with tempfile.TemporaryDirectory() as folder:
                task = StepTask(configuration, scenarios.without({name}), encoder, pairs)
                train(task, configuration.training, Path(folder) / "model", hardware=hardware)
                models[name] = load("steps", Path(folder) / "model")
                models[name].vectors = pairs.vectors
            if on_scenario is not None:
                on_scenario()
        return models[name]

    return [
        score_scenarios(
            own, merger_of, dataset=dataset, split="each scenario left out", source="steps", thresholds=thresholds
        )
        for dataset, own in ((DESCRIPT, scenarios.descript), (INSCRIPT, scenarios.inscript))
    ]
