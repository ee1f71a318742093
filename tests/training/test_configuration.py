"""Configurations refuse unknown settings, and those that ship are those of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.reproductions.kidscook.networks.networks import make_network
from kgscripts.reproductions.kidscook.networks.recurrent import TransducerSettings
from kgscripts.reproductions.kidscook.networks.vocabulary import Vocabulary
from lightning_modules.configuration import read_configuration, shipped_configurations
from lightning_modules.task_settings import TransducerTrainingSettings
from schemas.errors import ConfigurationError

SHIPPED = [
    "language-model",
    "seq2seq",
    "seq2seq-attention",
    "transducer-fixed",
    "transducer-fixed-bidirectional",
    "transducer-parameterised",
]


def test_every_model_of_the_paper_that_is_trained_on_the_corpus_alone_has_its_configuration() -> None:
    assert shipped_configurations("transducer") == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_configurations(name: str) -> None:
    configuration = read_configuration("transducer", name)
    assert configuration.name == name
    make_network(configuration.network, Vocabulary(("#UNK#", "<PAD>", "<S>")))


def test_the_fixed_transducer_is_as_published() -> None:
    configuration = read_configuration("transducer", "transducer-fixed")
    assert configuration.network == TransducerSettings()
    assert configuration.training == TransducerTrainingSettings(hard_em_after=10)


VALID = 'name = "mine"\nkind = "language-model"\n'


def test_the_least_that_a_configuration_says(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(VALID)
    configuration = read_configuration("transducer", path)
    assert configuration.training == TransducerTrainingSettings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "name is missing"),
        ('name = "mine"', "kind is missing"),
        ('name = 5\nkind = "transducer"', "name is missing or no text"),
        ('name = "mine"\nkind = "toaster"', "unknown kind"),
        ("name = ", "no TOML"),
        (VALID + "colour = 5", "unknown setting colour"),
        (VALID + "network = 5", "network is no table"),
        (VALID + "[network]\nhidden = 5", "unknown setting hidden"),
        (VALID + '[network]\ntransitions = "fixed"', "unknown setting transitions"),
        (VALID + "[network]\nhidden_size = 0", "hidden_size"),
        (VALID + "[network]\ndropout = 1.5", "dropout"),
        (VALID + "[training]\nlikelihood_epochs = 5", "unknown setting likelihood_epochs"),
        (VALID + "[training]\nepochs = 0", "epochs"),
        (VALID + "[training]\nlearning_rate = 0.0", "learning_rate"),
        (VALID + '[training]\nseed = "x"', "seed"),
        (VALID + "[training]\nmax_tokens = 1", "max_tokens"),
        (VALID + "[training]\nhard_em_after = 1", "no alignments for hard EM"),
        (VALID + "[published]\noracle_match = 5.0", "unknown setting published"),
    ],
)
def test_configurations_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        read_configuration("transducer", path)


def test_configurations_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such configuration") as caught:
        read_configuration("transducer", "transducer-fluid")
    assert "transducer-fixed" in str(caught.value.remedy)
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="no UTF-8"):
        read_configuration("transducer", tmp_path / "mine.toml")
