"""The masked model over a tiny encoder: inputs, candidates, checkpoints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from kgscripts.models.checkpoint import ModelCard, save_checkpoint
from kgscripts.models.cloze import Cloze
from kgscripts.models.encoder import MINILM
from kgscripts.models.registry import load
from kgscripts.models.stored_vectors import MINILM_SHA256
from kgscripts.reproductions.kidscook.networks.masked import (
    MAX_PIECES,
    MaskedModel,
    MaskedNetwork,
    masked_checkpoint,
    new_network,
)
from kgscripts.reproductions.torch_networks.bert import find_encoder, load_bert, weights_digest
from schemas.errors import ModelError
from tests.models.tiny_encoder import write_tiny_encoder

CARD = ModelCard(name="tiny", version="1", task="cloze", licence="CC0", data="none", command="none")
WORDS = ("bowl", "knife", "spoon")
DRAIN = Cloze(("drain", "the", "pasta"), ("use", "a", "?", "."), (False, False, True, False), 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def network(folder: Path) -> MaskedNetwork:
    torch.manual_seed(0)
    network = new_network(WORDS, [0.4, 0.3, 0.2, 0.1], rank=4, dropout=0.0, encoder=str(folder))
    for parameter in network.parameters():
        if parameter.requires_grad:
            parameter.data += 0.05 * torch.randn_like(parameter)
    return network.eval()


def test_rows_are_normalised_over_candidates_and_the_unknown_word(network: MaskedNetwork) -> None:
    found = MaskedModel("tiny", network).predict([DRAIN], ["spoon", "whisk"])
    assert found.shape == (1, 3)
    assert found.exp().sum().item() == pytest.approx(1.0, abs=1e-5)


def test_a_candidate_keeps_its_score_whatever_stands_beside_it(network: MaskedNetwork) -> None:
    model = MaskedModel("tiny", network)
    one, other = model.predict([DRAIN], ["spoon", "knife"]), model.predict([DRAIN], ["bowl", "knife", "whisk", "spoon"])
    assert (one[0, 0] - one[0, 1]).item() == pytest.approx((other[0, 3] - other[0, 1]).item(), abs=1e-5)


def test_batches_do_not_change_what_is_said(network: MaskedNetwork) -> None:
    model = MaskedModel("tiny", network)
    long = Cloze(DRAIN.abstract, (*DRAIN.concrete, *["stir"] * 40), (*DRAIN.hidden, *[False] * 40), 2)
    together = model.predict([DRAIN, long, DRAIN], WORDS)
    alone = torch.cat([model.predict([cloze], WORDS) for cloze in (DRAIN, long, DRAIN)])
    assert torch.allclose(together, alone, atol=1e-5)
    assert not torch.allclose(together[0], together[1], atol=1e-4)


def test_a_hidden_word_is_not_looked_at(network: MaskedNetwork) -> None:
    model = MaskedModel("tiny", network)
    hidden = (False, False, True, True)
    texts = [Cloze(DRAIN.abstract, ("use", "a", first, second), hidden, 2) for first, second in ("ab", "cd")]
    assert torch.equal(*model.predict(texts, WORDS).unbind())


@pytest.mark.parametrize("position", [0, 500, 999])
def test_long_texts_are_cut_around_the_blank(network: MaskedNetwork, position: int) -> None:
    concrete = tuple("stir" if place != position else "?" for place in range(1000))
    cloze = Cloze(("mix",) * 1000, concrete, tuple(place == position for place in range(1000)), position)
    found = network.inputs.encode(cloze)
    assert len(found.ids) <= MAX_PIECES
    assert found.ids[found.masks[position]] == network.inputs.mask
    assert torch.isfinite(MaskedModel("tiny", network).predict([cloze], WORDS)).all()


def test_a_checkpoint_says_what_the_network_said(network: MaskedNetwork, folder: Path, tmp_path: Path) -> None:
    before = MaskedModel("tiny", network).predict([DRAIN], WORDS)
    save_checkpoint(masked_checkpoint(network, CARD, encoder=str(folder), rank=4), tmp_path / "model")
    model = load("cloze", tmp_path / "model")
    assert (model.name, model.context) == ("tiny", "both")
    # The checkpoint is in half precision.
    assert torch.allclose(model.predict([DRAIN], WORDS), before, atol=0.02)


def test_another_encoder_is_refused(network: MaskedNetwork, folder: Path, tmp_path: Path) -> None:
    elsewhere = write_tiny_encoder(tmp_path / "encoder", seed=1)
    save_checkpoint(masked_checkpoint(network, CARD, encoder=str(folder), rank=4), tmp_path / "model")
    rewritten = tmp_path / "model" / "config.json"
    settings = json.loads(rewritten.read_text())
    settings["settings"]["encoder"] = str(elsewhere)
    rewritten.write_text(json.dumps(settings))
    with pytest.raises(ModelError, match="digest"):
        load("cloze", tmp_path / "model")
    checkpoint = masked_checkpoint(network, CARD, encoder=str(folder), rank=4)
    object.__setattr__(checkpoint, "settings", {**checkpoint.settings, "encoder": str(elsewhere)})
    save_checkpoint(checkpoint, tmp_path / "other")
    with pytest.raises(ModelError, match="another encoder"):
        load("cloze", tmp_path / "other")


@pytest.mark.parametrize("change", [{"rank": 8}, {"rank": "four"}, {"encoder": None}])
def test_settings_that_do_not_fit_are_told(
    network: MaskedNetwork, folder: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    checkpoint = masked_checkpoint(network, CARD, encoder=str(folder), rank=4)
    object.__setattr__(checkpoint, "settings", {**checkpoint.settings, **change})
    save_checkpoint(checkpoint, tmp_path / "model")
    with pytest.raises(ModelError):
        load("cloze", tmp_path / "model")


def test_weights_that_lack_an_adapter_are_refused(network: MaskedNetwork) -> None:
    trained = network.trained_tensors()
    trained.pop(next(name for name in trained if "lora_A" in name))
    with pytest.raises(ValueError, match="missing"):
        network.load_trained_tensors(trained)


def test_minilm_is_the_official_one() -> None:
    assert weights_digest(find_encoder(MINILM)) == MINILM_SHA256


@pytest.mark.parametrize("name", ["nobody/nothing", "no such folder", "a/b/c", "../../x y"])
def test_an_encoder_that_is_nowhere_is_told(name: str) -> None:
    with pytest.raises(ModelError, match="encoder"):
        load_bert(name)


def test_a_folder_without_weights_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="weights"):
        load_bert(str(tmp_path))


def test_a_truncated_encoder_is_told(tmp_path: Path) -> None:
    folder = write_tiny_encoder(tmp_path / "encoder")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelError, match="encoder"):
        load_bert(str(folder))


def test_the_shipped_model_knows_what_pasta_is_drained_with() -> None:
    model = load("cloze", "masked")
    words = ("use", "a", "?", "to", "drain", "the", "pasta", "over", "the", "sink", ".")
    cloze = Cloze(("drain", "the", "pasta", "."), words, tuple(word == "?" for word in words), 2)
    tools = ["whisk", "strainer", "grater", "oven", "colander", "knife"]
    best = model.predict([cloze], tools)[0, :-1].argsort(descending=True)[:2]
    assert {tools[place] for place in best.tolist()} == {"strainer", "colander"}
