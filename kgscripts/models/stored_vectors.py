"""Vectors of short texts as integers, and as texts of records. Without onnxruntime, since assembly reads them."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the official `model.safetensors` of MiniLM."""
SCALE = 400
"""Components of unit vectors are stored times this: an integer dot product is `SCALE` squared times the cosine."""


def encoded(vector: NDArray[np.int8]) -> str:
    """A vector, (size,), as a text."""
    return base64.b64encode(vector.tobytes()).decode("ascii")


def decoded(texts: Sequence[str]) -> NDArray[np.int8]:
    """The vectors of texts that `encoded` gave, (texts, size)."""
    return np.frombuffer(b"".join(map(base64.b64decode, texts)), np.int8).reshape(len(texts), -1)
