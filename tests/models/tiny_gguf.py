"""A tiny random network of the Llama family, in Hugging Face's layout and as the GGUF file of the same weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from gguf import GGUFWriter, TokenType
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

_LETTERS = "abcdefghijklmnopqrstuvwxyz.:,"
_MERGES = [("s", "p"), ("o", "o"), ("sp", "oo"), ("t", "h"), ("c", "u"), ("cu", "t"), ("Ġ", "cut"), ("Ġ", "th")]
_PIECES = ["<|endoftext|>", "<|end|>", "Ġ", *_LETTERS, *map("".join, _MERGES)]
_SIZE, _INNER, _LAYERS, _HEADS, _KEY_HEADS, _POSITIONS, _ROTATION = 16, 24, 2, 2, 1, 96, 10000.0
_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def llama(folder: Path) -> Path:
    """The network and its tokenizer in Hugging Face's layout."""
    from transformers import LlamaConfig, LlamaForCausalLM

    folder.mkdir(exist_ok=True)
    pieces = {piece: number for number, piece in enumerate(_PIECES)}
    backend = Tokenizer(models.BPE(vocab=pieces, merges=_MERGES))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    (folder / "tokenizer.json").write_text(backend.to_str(), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|endoftext|>", "eos_token": "<|end|>"}',
        encoding="utf-8",
    )
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=len(_PIECES),
        hidden_size=_SIZE,
        intermediate_size=_INNER,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        num_key_value_heads=_KEY_HEADS,
        max_position_embeddings=_POSITIONS,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=1,
        initializer_range=0.5,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def llama_gguf(folder: Path) -> Path:
    """The same network as a GGUF file, ``tiny.gguf``."""
    from safetensors.torch import load_file

    weights = load_file(llama(folder / "layout") / "model.safetensors")
    file = folder / "tiny.gguf"
    writer = GGUFWriter(file, "llama")
    writer.add_name("tiny")
    writer.add_license("apache-2.0")
    writer.add_block_count(_LAYERS)
    writer.add_context_length(_POSITIONS)
    writer.add_embedding_length(_SIZE)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_KEY_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(_ROTATION)
    writer.add_vocab_size(len(_PIECES))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(_PIECES)
    writer.add_token_types([*[TokenType.CONTROL] * 2, *[TokenType.NORMAL] * (len(_PIECES) - 2)])
    writer.add_token_merges([" ".join(pair) for pair in _MERGES])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    for name, weight in weights.items():
        writer.add_tensor(_name(name), _rotated(name, weight).float().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _name(name: str) -> str:
    """The name of a weight in GGUF."""
    path = name.removesuffix(".weight").removeprefix("model.")
    if path.startswith("layers."):
        _, number, part = path.split(".", 2)
        return f"blk.{number}.{_NAMES[part]}.weight"
    return {"embed_tokens": "token_embd", "norm": "output_norm"}[path] + ".weight"


def _rotated(name: str, weight: Tensor) -> Tensor:
    """GGUF has the two halves of the rotated dimensions of each head interleaved."""
    heads = {"q_proj": _HEADS, "k_proj": _KEY_HEADS}.get(name.split(".")[-2])
    if heads is None:
        return weight
    halves = weight.reshape(heads, 2, -1, weight.shape[1])
    return torch.from_numpy(np.ascontiguousarray(halves.swapaxes(1, 2).reshape(weight.shape).numpy()))
