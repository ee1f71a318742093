"""Training of the encoder of steps and of the model that merges them, on a few descriptions."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch

from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.registry import load
from kgscripts.models.steps.encoder import StepEncoder, StepEncoderSettings, encoder_model, read_encoder
from kgscripts.models.stored_vectors import SCALE
from kgscripts.reproductions.corpora.grouped_steps import GroupedText, read_descriptions
from kgscripts.reproductions.steps.gold import grouped_scenarios
from kgscripts.reproductions.torch_networks.bert import load_bert
from lightning_modules.configuration import read_configuration
from lightning_modules.module import split
from lightning_modules.steps.encoder_task import EncoderTask, StepBatch, StepEncoderNetwork, grouped_steps
from lightning_modules.steps.task import StepScenarios, StepTask, written_texts
from lightning_modules.task_settings import EncoderTrainingSettings, StepTrainingSettings
from lightning_modules.training import train
from schemas.errors import ConfigurationError, ModelError

SMALL = EncoderTrainingSettings(layers=1, rank=2, epochs=3, batch_size=12)
DESCRIPTION = """
fill: fill the {0}
heat: heat the {0}
pour: pour the {1} into a cup
drink: drink the {1}

fill: put water into the {0}
heat: make the {0} hot
pour: fill a cup with {1}
drink: enjoy the {1}

heat: bring the {0} to the boil
drink: have the {1}
"""


def _texts() -> list[GroupedText]:
    # Names of scenarios decide which are held out: some of each.
    names = [f"drink {number}" for number in range(30)]
    parts = split(names, str)
    chosen = parts.train[:3] + parts.held_out[:1]
    things = (("kettle", "tea"), ("pot", "coffee"), ("pan", "milk"), ("urn", "punch"))
    described = (f"# {name}\n{DESCRIPTION.format(*own)}" for name, own in zip(chosen, things, strict=True))
    return read_descriptions("\n".join(described))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("encoder") / "model"
    outcome = train(EncoderTask("small", _texts()), SMALL, out)
    assert outcome.is_finished
    return out


def test_the_encoder_is_trained_saved_and_read(encoder: Path) -> None:
    read = read_encoder(encoder)
    assert read.settings == StepEncoderSettings(layers=1, rank=2)
    assert any(np.abs(value).max() > 0 for name, value in read.adapters.items() if name.startswith("up."))
    vectors = read(["fill the kettle", "drink the tea", "fill the kettle"])
    assert vectors.dtype == np.int8
    np.testing.assert_array_equal(vectors[0], vectors[2])
    assert (vectors[0] != vectors[1]).any()


def test_training_brings_the_wordings_of_a_step_together(encoder: Path) -> None:
    trained = read_encoder(encoder)
    untrained = StepEncoder.of(
        trained.settings, {name: np.zeros_like(value) for name, value in trained.adapters.items()}
    )
    [scenario] = EncoderTask("small", _texts()).split.held_out
    pairs = list(itertools.combinations(range(len(scenario.texts)), 2))
    same = np.array([scenario.groups[one] == scenario.groups[other] for one, other in pairs])

    def margin(encoder: StepEncoder) -> float:
        vectors = encoder(scenario.texts).astype(float)
        cosines = np.array([vectors[one] @ vectors[other] for one, other in pairs])
        return float(cosines[same].mean() - cosines[~same].mean())

    assert margin(trained) > margin(untrained)


def test_training_again_gives_the_same_adapters(encoder: Path, tmp_path: Path) -> None:
    train(EncoderTask("small", _texts()), SMALL, tmp_path / "again")
    first, again = read_encoder(encoder), read_encoder(tmp_path / "again")
    assert first.adapters.keys() == again.adapters.keys()
    assert all(np.array_equal(value, again.adapters[name]) for name, value in first.adapters.items())


def test_the_merger_keeps_the_encoder_that_it_was_trained_with(encoder: Path, tmp_path: Path) -> None:
    parts = split(_texts(), lambda text: text.scenario)
    first, *rest = grouped_scenarios(parts.train)
    held_out = grouped_scenarios(parts.held_out)
    configuration = attrs.evolve(read_configuration("steps"), training=StepTrainingSettings(epochs=1, hidden=4))
    task = StepTask(configuration, StepScenarios([first], [], [*rest, *held_out]), read_encoder(encoder))
    train(task, configuration.training, tmp_path / "merger")
    own, merged = read_encoder(encoder), read_encoder(tmp_path / "merger")
    assert all(np.array_equal(value, merged.adapters[name]) for name, value in own.adapters.items())
    model = load("steps", tmp_path / "merger")
    np.testing.assert_array_equal(model.vectors(["fill the pot"]), own(["fill the pot"]))
    assert isinstance(model.merge(first.texts), list)


def test_a_batch_is_read_as_the_trained_encoder_reads_its_texts() -> None:
    """Padding changes nothing, and before training the network is MiniLM's first layers, which ship as int8."""
    network = StepEncoderNetwork(load_bert(), SMALL).eval()
    encoder = load_bert()
    pieces = [[encoder.start, *encoder.pieces(text), encoder.separator] for text in ("boil", "put the old filter away")]
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(own) for own in pieces], batch_first=True)
    attention = (ids != 0).long()
    batch = StepBatch(where=(), ids=ids, attention=attention, groups=torch.zeros(2))
    read = StepEncoder.of(
        StepEncoderSettings(layers=1, rank=2),
        {name: value.numpy() for name, value in network.trained_tensors().items()},
    )(["boil", "put the old filter away"])
    np.testing.assert_allclose((network(batch).detach() * SCALE).clamp(-127, 127), read, atol=1)


def test_every_step_that_ships_has_a_group() -> None:
    scenarios = grouped_steps(written_texts())
    assert len(scenarios) >= 84
    for scenario in scenarios:
        assert len(scenario.texts) == len(scenario.groups) >= 80, scenario.scenario
        assert 10 <= len(set(scenario.groups)) <= 50, scenario.scenario


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {}}, "encoder"),
        ({"settings": {"encoder": {"layers": 99, "rank": 2}, "encoder_sha256": ""}}, "99 layers"),
        ({"settings": {"encoder": {"layers": 1, "rank": 3}, "encoder_sha256": ""}}, "rank 3"),
        ({"settings": {"encoder": {"layers": 1, "rank": 2}, "encoder_sha256": "0" * 64}}, "another encoder"),
        ({"tensors": {}}, "missing"),
    ],
)
def test_encoders_that_do_not_fit_are_refused(encoder: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        encoder_model(attrs.evolve(load_checkpoint(encoder), **change))
    assert caught.value.remedy


def test_each_kind_of_configuration_is_for_its_own_command(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    for task, kind in (("steps", "encoder"), ("step-encoder", "merger")):
        path.write_text(f'name = "x"\nkind = "{kind}"\n')
        with pytest.raises(ConfigurationError, match="unknown kind"):
            read_configuration(task, path)
