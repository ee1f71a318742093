"""Word emission of the segment transducer: softmax(W relu(A e_i + B d_j + c) + b) (KidsCook, equation 3)."""

from __future__ import annotations

from torch import Tensor, nn

from kgscripts.reproductions.kidscook.networks.target_softmax import target_log_probabilities


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
