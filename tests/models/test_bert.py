"""The encoder under torch computes what Hugging Face's does, to the last bit, and the one without torch nearly so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from attrs import evolve
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, BertModel

from kgscripts.models.encoder import MINILM, MOST_PIECES, PIECES, encoder_folder, load_encoder
from kgscripts.models.runtime import graph
from kgscripts.reproductions.torch_networks.bert import find_encoder, load_bert
from lightning_modules.onnx_files import gelu_graph, layer_graph, write_encoder
from schemas.errors import ModelError
from tests.models.tiny_encoder import write_tiny_encoder

TEXTS = ["drain the pasta with a strainer", "knife", "stir " * 100, "Ünïcode 日本 🍝 [MASK]", "use a . whisk"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tiny_encoder(tmp_path / "encoder")


@pytest.mark.parametrize("name", [MINILM, "tiny"])
def test_states_are_those_of_the_reference(name: str, folder: Path) -> None:
    name = str(folder) if name == "tiny" else name
    encoder = load_bert(name)
    reference = BertModel.from_pretrained(find_encoder(name), attn_implementation="eager").train(False)
    tokenizer = AutoTokenizer.from_pretrained(find_encoder(name))
    for text in TEXTS:
        assert encoder.pieces(text) == tokenizer(text, add_special_tokens=False)["input_ids"]
    ids = torch.randint(encoder.network.config.vocab_size, (4, 40), generator=torch.Generator().manual_seed(1))
    types = (torch.arange(40) > 20).long().expand(4, -1)
    attention = (torch.arange(40) < torch.tensor([[40], [31], [2], [1]])).long()
    with torch.inference_mode():
        states = encoder.network(ids, attention, types).last_hidden_state
        expected = reference(input_ids=ids, attention_mask=attention, token_type_ids=types).last_hidden_state
    assert torch.equal(states, expected)


def test_special_pieces_are_those_of_the_reference() -> None:
    encoder, tokenizer = load_bert(), AutoTokenizer.from_pretrained(find_encoder(MINILM))
    own = [encoder.start, encoder.separator, encoder.mask, encoder.padding, encoder.unknown]
    names = ("cls", "sep", "mask", "pad", "unk")
    assert own == [getattr(tokenizer, f"{name}_token_id") for name in names]
    assert encoder.pieces("") == [encoder.unknown]


def test_older_names_of_weights_are_understood(folder: Path) -> None:
    before = load_bert(str(folder)).network.state_dict()
    weights = folder / "model.safetensors"
    older = {
        f"bert.{name.replace('LayerNorm.weight', 'LayerNorm.gamma').replace('LayerNorm.bias', 'LayerNorm.beta')}": value
        for name, value in load_file(weights).items()
    }
    save_file(older | {"cls.predictions.bias": torch.zeros(3)}, weights)
    after = load_bert(str(folder)).network.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(
    "change",
    [
        {"hidden_act": "relu"},
        {"model_type": "roberta"},
        {"hidden_size": "wide"},
        {"vocab_size": 3},
        {"hidden_size": -1},
    ],
    ids=str,
)
def test_what_is_no_such_encoder_is_refused(change: dict[str, object], folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | change), encoding="utf-8")
    with pytest.raises(ModelError, match="no BERT encoder"):
        load_bert(str(folder))


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
@pytest.mark.parametrize("content", [None, "", "{", "[]", "{}", "[" * 100_000], ids=lambda text: repr(text)[:8])
def test_a_damaged_folder_is_refused(file: str, content: str | None, folder: Path) -> None:
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match="no BERT encoder"):
        load_bert(str(folder))


def test_the_encoder_without_torch_computes_the_same() -> None:
    """With the same weights; those that ship are int8."""
    bert, minilm = load_bert(), load_encoder()
    assert minilm.digest == bert.digest
    weights = {name: value.numpy() for name, value in bert.network.state_dict().items()}
    pieces = weights.pop(PIECES)
    exact = evolve(minilm, piece_vectors=pieces, piece_scales=np.ones((len(pieces), 1)), weights=weights)
    exact.check_weights()
    draw = np.random.default_rng(1)
    most = 0.0
    for length in (1, 2, 40, MOST_PIECES):
        ids = draw.integers(0, len(pieces), length)
        types = (np.arange(length) > length // 2).astype(np.int64)
        with torch.inference_mode():
            given = [torch.from_numpy(part)[None] for part in (ids, np.ones_like(ids), types)]
            expected = bert.network(*given).hidden_states
        found = exact.states(ids.tolist(), types.tolist())
        assert len(found) == len(expected) == 7
        for own, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(own, other[0], atol=2e-4)
        most = max(most, float(np.abs(minilm.states(ids.tolist(), types.tolist())[-1] - expected[-1][0].numpy()).max()))
    assert 1e-4 < most < 0.5
    for text in TEXTS:
        assert minilm.pieces(text) == bert.pieces(text)
    names = ("start", "separator", "mask", "unknown")
    assert [getattr(minilm, name) for name in names] == [getattr(bert, name) for name in names]


def test_the_files_that_ship_are_those_that_are_made(tmp_path: Path) -> None:
    write_encoder(tmp_path)
    for name in ("pieces.safetensors", "layers.safetensors", "tokenizer.json", "encoder.json"):
        assert (tmp_path / name).read_bytes() == (encoder_folder() / name).read_bytes(), name
    assert graph("layer") == layer_graph()
    assert graph("gelu") == gelu_graph()
