"""Scores of word forms and places alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgscripts.models.aligner_words import aligned_places

if TYPE_CHECKING:
    from torch import Tensor

    from kgscripts.models.aligner import Tokens


class SimilarityScorer:
    """Equal words and words with a common stem attract each other; otherwise the diagonal decides."""

    def log_posteriors(self, pairs: Sequence[Tokens]) -> Tensor:
        """As `Scorer.log_posteriors`."""
        import torch

        width = max(len(pair.abstract) for pair in pairs)
        height = max(len(pair.concrete) for pair in pairs)
        scores = torch.full((len(pairs), height, width), float("-inf"))
        for row, pair in enumerate(pairs):
            places = aligned_places(pair.abstract)
            for j, word in enumerate(pair.concrete):
                for i in places:
                    same = pair.abstract[i][:5] == word[:5]
                    distance = abs((j + 0.5) / len(pair.concrete) - (i + 0.5) / len(pair.abstract))
                    scores[row, j, i] = 6.0 * same - 4.0 * distance
        return scores.log_softmax(dim=2).nan_to_num(nan=float("-inf"))
