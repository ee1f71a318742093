"""The encoder computes what Hugging Face's does, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, BertModel

from kgscripts.models.encoder import MINILM, find_encoder, load_encoder
from schemas.errors import ModelError
from tests.models.tiny_encoder import write_tiny_encoder

TEXTS = ["drain the pasta with a strainer", "knife", "stir " * 100, "Ünïcode 日本 🍝 [MASK]", "use a . whisk"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tiny_encoder(tmp_path / "encoder")


@pytest.mark.parametrize("name", [MINILM, "tiny"])
def test_states_are_those_of_the_reference(name: str, folder: Path) -> None:
    name = str(folder) if name == "tiny" else name
    encoder = load_encoder(name)
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
    encoder, tokenizer = load_encoder(), AutoTokenizer.from_pretrained(find_encoder(MINILM))
    own = [encoder.start, encoder.separator, encoder.mask, encoder.padding, encoder.unknown]
    names = ("cls", "sep", "mask", "pad", "unk")
    assert own == [getattr(tokenizer, f"{name}_token_id") for name in names]
    assert encoder.pieces("") == [encoder.unknown]


def test_older_names_of_weights_are_understood(folder: Path) -> None:
    before = load_encoder(str(folder)).network.state_dict()
    weights = folder / "model.safetensors"
    older = {
        f"bert.{name.replace('LayerNorm.weight', 'LayerNorm.gamma').replace('LayerNorm.bias', 'LayerNorm.beta')}": value
        for name, value in load_file(weights).items()
    }
    save_file(older | {"cls.predictions.bias": torch.zeros(3)}, weights)
    after = load_encoder(str(folder)).network.state_dict()
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
        load_encoder(str(folder))


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
@pytest.mark.parametrize("content", [None, "", "{", "[]", "{}", "[" * 100_000], ids=lambda text: repr(text)[:8])
def test_a_damaged_folder_is_refused(file: str, content: str | None, folder: Path) -> None:
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match="no BERT encoder"):
        load_encoder(str(folder))
