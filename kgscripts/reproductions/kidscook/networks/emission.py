"""Word emission of the segment transducer: softmax(W relu(A e_i + B d_j + c) + b) (KidsCook, equation 3).

The scores of all words for all pairs would not fit in memory (a batch of 32 at 50 x 50 and 2,005 words: 640 MB, several
times over with automatic differentiation). Here they are computed chunk by chunk. Log probabilities are kept for the
backward pass as long as they fit into `STORED_BYTES`; the others are computed again.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

STORED_BYTES = 768 * 2**20
CHUNK_BYTES = 40 * 2**20
"""Of the scores that are computed at once. Blocks of this size go back to the system, which smaller ones may not."""


def target_log_probabilities(
    first: Tensor,
    second: Tensor,
    first_index: Tensor,
    second_index: Tensor,
    targets: Tensor,
    weight: Tensor,
    bias: Tensor,
    *,
    dropout: float = 0.0,
) -> Tensor:
    """log softmax(weight relu(first[k] + second[l]) + bias)[target] for pairs (k, l), (pairs,).

    Parameters
    ----------
    first, second:
        (firsts, hidden) and (seconds, hidden), the two summands of each hidden layer.
    first_index, second_index, targets:
        (pairs,) int64, which summands belong to a pair, and its word.
    weight, bias:
        (words, hidden) and (words,).
    dropout:
        Share of the hidden layer that is dropped behind the relu, in [0, 1).
    """
    first, second = first.to(weight.dtype), second.to(weight.dtype)

    def chunk(first_index: Tensor, second_index: Tensor, targets: Tensor) -> Tensor:
        hidden = functional.dropout((first[first_index] + second[second_index]).relu(), dropout)
        return -functional.cross_entropy(functional.linear(hidden, weight, bias), targets, reduction="none")

    row_bytes = len(weight) * weight.element_size()
    rows = max(1, CHUNK_BYTES // row_bytes)
    values = [weight.new_zeros(0)]
    for start in range(0, len(targets), rows):
        inputs = [index[start : start + rows] for index in (first_index, second_index, targets)]
        # What is not kept is computed again in the backward pass, so that memory is bounded.
        is_kept = (start + rows) * row_bytes <= STORED_BYTES
        values.append(chunk(*inputs) if is_kept else checkpoint(chunk, *inputs, use_reentrant=False))
    return torch.cat(values)


class WordEmission(nn.Module):
    """p(y_j | a_j = i, ...) from the states of an abstract and of a concrete token (appendix A.1).

    `hidden` reads both states side by side, linear([e; d]); as it is linear, its two halves are computed once a token
    and added for each pair of tokens. Dropout sits behind the relu, as in the released code.
    """

    def __init__(
        self,
        hidden_size_encoder: int,
        hidden_size_decoder: int,
        emission_hidden: int,
        vocabulary: int,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if not 0.0 <= dropout < 1.0:
            raise ValueError(f"dropout lies in [0, 1), got {dropout}")
        self.hidden_size_encoder = hidden_size_encoder
        self.dropout = dropout
        self.hidden = nn.Linear(hidden_size_encoder + hidden_size_decoder, emission_hidden)
        self.vocabulary = nn.Linear(emission_hidden, vocabulary)

    def forward(
        self, encoded: Tensor, decoded: Tensor, targets: Tensor, abstract_mask: Tensor, concrete_mask: Tensor
    ) -> Tensor:
        """Log probabilities of the target words at every pair of tokens, (batch, concrete, abstract); 0 in padding.

        Parameters
        ----------
        encoded:
            (batch, abstract, hidden_size_encoder), states of the abstract tokens.
        decoded:
            (batch, concrete, hidden_size_decoder), states from which each word is predicted.
        targets:
            (batch, concrete) int64, the words. Padding is not read.
        abstract_mask, concrete_mask:
            (batch, abstract) and (batch, concrete) bool, True for tokens and False for padding.

        Raises
        ------
        ValueError
            If the shapes do not belong to one batch.
        """
        batch, abstract, _ = encoded.shape
        concrete = decoded.shape[1]
        for name, tensor, shape in (
            ("decoded", decoded[:, :, 0], (batch, concrete)),
            ("targets", targets, (batch, concrete)),
            ("abstract_mask", abstract_mask, (batch, abstract)),
            ("concrete_mask", concrete_mask, (batch, concrete)),
        ):
            if tensor.shape != shape:
                raise ValueError(
                    f"{name} begins with shape {tuple(tensor.shape)}, where encoded and decoded need {shape}"
                )
        cells = (concrete_mask[:, :, None] & abstract_mask[:, None, :]).nonzero(as_tuple=True)
        log_probabilities = self.at(encoded, decoded, targets, cells)
        return log_probabilities.new_zeros(batch, concrete, abstract).index_put(cells, log_probabilities)

    def at(self, encoded: Tensor, decoded: Tensor, targets: Tensor, cells: tuple[Tensor, ...]) -> Tensor:
        """Log probabilities of the target words at single `cells`: indices of item, word and abstract token each.

        The other arguments as `forward`; the result is (cells,).
        """
        item, word, token = cells
        from_encoder, from_decoder = self._halves(encoded, decoded)
        return target_log_probabilities(
            from_encoder.flatten(0, 1),
            from_decoder.flatten(0, 1),
            item * encoded.shape[1] + token,
            item * decoded.shape[1] + word,
            targets[item, word],
            self.vocabulary.weight,
            self.vocabulary.bias,
            dropout=self.dropout if self.training else 0.0,
        )

    def logits(self, encoded: Tensor, decoded: Tensor) -> Tensor:
        """Scores of all words, (cells, vocabulary), at single pairs of states (cells, ...) of an alignment."""
        from_encoder, from_decoder = self._halves(encoded, decoded)
        hidden = nn.functional.dropout((from_encoder + from_decoder).relu(), self.dropout, self.training)
        scores: Tensor = self.vocabulary(hidden)
        return scores

    def _halves(self, encoded: Tensor, decoded: Tensor) -> tuple[Tensor, Tensor]:
        by_encoder, by_decoder = self.hidden.weight.tensor_split([self.hidden_size_encoder], dim=1)
        return nn.functional.linear(encoded, by_encoder), nn.functional.linear(decoded, by_decoder, self.hidden.bias)
