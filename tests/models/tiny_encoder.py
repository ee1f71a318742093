"""A BERT of a few thousand numbers, in Hugging Face's layout."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_WORDS = ("use", "a", "the", ".", "drain", "pasta", "stir", "mix", "bowl", "kn", "##ife", "spoon", "whi", "##sk")


def write_tiny_encoder(folder: Path, seed: int = 0) -> Path:
    """Write a randomly initialised encoder and its tokenizer."""
    vocabulary = {piece: number for number, piece in enumerate((*_SPECIAL, *_WORDS))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), _SPECIAL, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)  # type: ignore[no-untyped-call]
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    return folder
