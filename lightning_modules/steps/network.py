"""The network that learns which two actions are the same step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from kgscripts.models.steps.contexts import FEATURES


class PairNetwork(nn.Module):
    """Log odds of pairs, of their features (..., `FEATURES`), as `kgscripts.models.steps.merger.PairLayers` computes
    them."""

    mean: Tensor
    scale: Tensor

    def __init__(self, hidden: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(FEATURES))
        self.register_buffer("scale", torch.ones(FEATURES))
        self.layers = nn.Sequential(nn.Linear(FEATURES, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 1))

    def forward(self, features: Tensor) -> Tensor:
        """Log odds (...)."""
        scaled = ((features - self.mean) / self.scale).clamp(-5, 5)
        odds: Tensor = self.layers(scaled)[..., 0]
        return odds
