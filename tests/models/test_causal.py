"""Causal language models as cloze models, on tiny random ones that are written to disk here."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from kgscripts.models.cloze import Cloze
from kgscripts.reproductions.kidscook.networks.causal import (
    SEPARATOR,
    CausalModel,
    candidate_trees,
    longer_candidates,
    without_longer,
)
from kgscripts.reproductions.kidscook.networks.causal_loading import load_causal_model
from schemas.errors import ModelError
from tests.models.tiny_gguf import llama_gguf

if TYPE_CHECKING:
    from transformers import PreTrainedModel

LETTERS = "abcdefghijklmnopqrstuvwxyz.:,"
MERGES = [("s", "p"), ("o", "o"), ("sp", "oo"), ("t", "h"), ("c", "u"), ("cu", "t"), ("a", "n")]
CANDIDATES = ("spoon", "spoons", "spook", "cut", "cutter", "pan", "the", "whisk", "a", "cut", "zz")
SIZES: dict[str, Any] = {"n_embd": 24, "n_layer": 2, "n_head": 2, "n_positions": 96}


def gpt2(folder: Path) -> Path:
    """A GPT-2 with a byte-level tokenizer."""
    from transformers import GPT2Config, GPT2LMHeadModel

    folder.mkdir(exist_ok=True)
    letters = ["<|endoftext|>", "Ġ", *LETTERS]
    merges = [*MERGES, ("Ġ", "cut"), ("Ġ", "th"), ("Ġ", "a")]
    vocabulary = {piece: number for number, piece in enumerate([*letters, *map("".join, merges)])}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    (folder / "tokenizer.json").write_text(backend.to_str(), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|endoftext|>"}', encoding="utf-8"
    )
    torch.manual_seed(1)
    config = GPT2Config(vocab_size=len(vocabulary), bos_token_id=0, eos_token_id=0, initializer_range=0.5, **SIZES)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def openai_gpt(folder: Path) -> Path:
    """An OpenAI GPT with a tokenizer of its kind: lower case, `</w>` at the end of words, no start of text."""
    from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

    folder.mkdir(exist_ok=True)
    ends = [f"{letter}</w>" for letter in LETTERS]
    merges = [*MERGES, ("cu", "t</w>"), ("th", "e</w>"), ("spoo", "n</w>")]
    vocabulary = {piece: number for number, piece in enumerate(["<unk>", *LETTERS, *ends, *map("".join, merges)])}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", end_of_word_suffix="</w>"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    (folder / "tokenizer.json").write_text(backend.to_str(), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}', encoding="utf-8"
    )
    torch.manual_seed(2)
    config = OpenAIGPTConfig(vocab_size=len(vocabulary), initializer_range=0.5, **SIZES)
    OpenAIGPTLMHeadModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", params=[gpt2, openai_gpt, llama_gguf], ids=["gpt2", "openai-gpt", "gguf"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CausalModel:
    return load_causal_model(str(request.param(tmp_path_factory.mktemp("tiny"))))


def _cloze(abstract: str, concrete: str) -> Cloze:
    """A cloze whose last word is hidden."""
    words = concrete.split()
    return Cloze(tuple(abstract.split()), tuple(words), (*[False] * (len(words) - 1), True), len(words) - 1)


def _log_probability(network: PreTrainedModel, read: list[int], pieces: list[int]) -> float:
    """Of pieces after others, by one plain forward of the network over them all."""
    with torch.inference_mode():
        logits = network(input_ids=torch.tensor([[*read, *pieces]])).logits[0].double().log_softmax(-1)
    return sum(float(logits[len(read) + place - 1, piece]) for place, piece in enumerate(pieces))


CLOZES = [
    _cloze("drain the pan .", "cut the _"),
    _cloze("cut", "_"),
    _cloze("a spoon", "the pan , a spoon , the cutter , cut a pan with the _"),
]


def test_candidates_score_as_if_each_was_read_by_itself(model: CausalModel) -> None:
    rows = model.predict(CLOZES, CANDIDATES)
    assert rows.shape == (3, len(CANDIDATES) + 1)
    assert rows.dtype == torch.float32
    assert torch.allclose(rows.exp().sum(1), torch.ones(3))
    assert torch.isneginf(rows[:, -1]).all()
    for row, cloze in zip(rows, CLOZES, strict=True):
        text = [*cloze.abstract, SEPARATOR, *cloze.concrete[: cloze.position]]
        start = [] if model.start is None else [model.start]
        read = start + [piece for word in text for piece in model.tokenizer.encode(f" {word}").ids]
        alone = [_log_probability(model.network, read, model.tokenizer.encode(f" {word}").ids) for word in CANDIDATES]
        pairs = longer_candidates([model.pieces([word]) for word in CANDIDATES])
        expected = without_longer(torch.tensor([alone], dtype=torch.float64), pairs).log_softmax(1)
        assert torch.allclose(row[:-1].double(), expected[0], atol=1e-4)


def test_words_by_themselves_have_the_pieces_of_the_whole_text(model: CausalModel) -> None:
    words = ["cut", "the", "pan", ",", "spoons", "."]
    whole = model.tokenizer.encode(" " + " ".join(words), add_special_tokens=False).ids
    assert model.pieces(words) == whole


def test_many_trees_say_the_same_as_one(model: CausalModel) -> None:
    small = CausalModel("small", model.network, model.tokenizer, model.start)
    small._most_nodes = 3
    tall = [len(model.pieces([word])) > 4 for word in CANDIDATES]
    rows = small.predict(CLOZES, CANDIDATES)[:, :-1]
    assert any(tall)
    assert (torch.isneginf(rows) == torch.tensor(tall)).all()
    short = [word for word, is_tall in zip(CANDIDATES, tall, strict=True) if not is_tall]
    assert torch.allclose(rows[:, ~torch.tensor(tall)], model.predict(CLOZES, short)[:, :-1], atol=1e-4)


def test_batches_change_nothing(model: CausalModel) -> None:
    many = CLOZES * 7
    together = model.predict(many, CANDIDATES)
    for row, cloze in zip(together, many, strict=True):
        assert torch.allclose(row, model.predict([cloze], CANDIDATES)[0], atol=1e-4)


def test_nothing_right_of_the_blank_is_read(model: CausalModel) -> None:
    short = Cloze(("cut",), ("the", "_"), (False, True), 1)
    long = Cloze(("cut",), ("the", "_", "pan", "_"), (False, True, False, True), 1)
    assert torch.equal(model.predict([short], CANDIDATES), model.predict([long], CANDIDATES))


def test_score_is_the_probability_of_the_concrete_side(model: CausalModel) -> None:
    pairs = [(cloze.abstract, cloze.concrete[: cloze.position + 1]) for cloze in CLOZES] * 4
    pairs = [(abstract, tuple("pan" if word == "_" else word for word in concrete)) for abstract, concrete in pairs]
    scores = model.score([abstract for abstract, _ in pairs], [concrete for _, concrete in pairs])
    for score, (abstract, concrete) in zip(scores.tolist(), pairs, strict=True):
        expected = _log_probability(model.network, model.prompt(abstract, ()), model.pieces(concrete))
        assert score == pytest.approx(expected, abs=1e-3)


def test_long_texts_lose_their_beginning_and_odd_words_have_no_probability(model: CausalModel) -> None:
    cloze = _cloze("pan " * 60, "cut " * 49 + "_")
    rows = model.predict([cloze], ["cut", "spoon", "x" * 500])
    assert not rows.isnan().any()
    assert torch.isneginf(rows[0]).tolist() == [False, False, True, True]
    assert model.score([cloze.abstract], [("cut",) * 60]).isfinite().all()


@given(
    pieces=st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=4), min_size=1, max_size=12),
    weights=st.lists(st.integers(1, 9), min_size=32, max_size=32),
)
def test_the_probability_of_a_candidate_is_that_no_longer_one_is_read(
    pieces: list[list[int]], weights: list[int]
) -> None:
    texts = {tuple(number >> place & 1 for place in range(5)): weight for number, weight in enumerate(weights)}
    begun, read = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for text, weight in texts.items():
        beginnings = [text[: len(own)] for own in pieces if text[: len(own)] == tuple(own)]
        begun.update(dict.fromkeys(beginnings, weight))
        read.update({max(beginnings, key=len): weight} if beginnings else {})
    sums = torch.tensor([[begun[tuple(own)] for own in pieces]], dtype=torch.float64).log()
    found = without_longer(sums, longer_candidates(pieces)).exp()[0].tolist()
    assert found == pytest.approx([read[tuple(own)] for own in pieces], abs=1e-9)


PIECES = st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=12)


@given(pieces=PIECES, most_nodes=st.integers(1, 8))
def test_trees_hold_every_candidate_once(pieces: list[list[int]], most_nodes: int) -> None:
    trees = candidate_trees(pieces, most_nodes)
    placed = sorted(place for tree in trees for place in tree.candidates)
    assert placed == [place for place, own in enumerate(pieces) if 0 < len(own) <= most_nodes + 1]
    for tree in trees:
        assert len(tree.pieces) <= most_nodes
        texts = [()] + [
            tuple(tree.pieces[above].tolist())
            for node in range(len(tree.pieces))
            for above in [tree.ancestors[node].nonzero()[:, 0]]
        ]
        edges = [(texts[row], piece) for row, piece in zip(tree.edge_rows, tree.edge_pieces.tolist(), strict=True)]
        assert len(set(edges)) == len(edges)
        # Each edge counts a power of its own, so that the sums tell which were added.
        values = torch.tensor([[float(2**number) for number in range(len(edges))]], dtype=torch.float64)
        for place, total in zip(tree.candidates, tree.sums(values)[0].tolist(), strict=True):
            own = pieces[place]
            assert total == sum(2 ** edges.index((tuple(own[:size]), own[size])) for size in range(len(own)))


def _emptied(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def _truncated(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])


def _without_tokenizer(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


def _other_configuration(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": "t5"}', encoding="utf-8")


def _no_json(folder: Path) -> None:
    (folder / "config.json").write_text("{", encoding="utf-8")


def _deeper(folder: Path) -> None:
    config = folder / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace('"n_layer": 2', '"n_layer": 3'), encoding="utf-8")


def _more_pieces(folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_tokens([f"new{number}" for number in range(9)])
    tokenizer.save(str(folder / "tokenizer.json"))


def _pickled(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")


@pytest.mark.parametrize(
    "spoil",
    [
        _more_pieces,
        _emptied,
        _truncated,
        _without_tokenizer,
        _other_configuration,
        _no_json,
        _deeper,
        _pickled,
        shutil.rmtree,
    ],
)
def test_what_is_no_causal_model_is_told(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    folder = gpt2(tmp_path / "tiny")
    spoil(folder)
    with pytest.raises(ModelError) as caught:
        load_causal_model(str(folder))
    assert caught.value.where == str(folder)
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["no-such-model", "no/such-model", "no/such/model/at/all", "", "odd name!"])
def test_a_model_that_is_nowhere_is_told(name: str) -> None:
    with pytest.raises(ModelError):
        load_causal_model(name)


def test_names_are_of_the_model(model: CausalModel) -> None:
    assert model.name.endswith(", zero-shot")
    assert model.context == "left"
    assert not any(parameter.requires_grad for parameter in model.network.parameters())
