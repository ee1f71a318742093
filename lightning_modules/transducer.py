"""Training of the word-level networks of KidsCook: data, LightningModule and task."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import attrs
import torch
from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.kidscook.networks.networks import make_network, network_checkpoint
from kgscripts.reproductions.kidscook.networks.recurrent import PairNetwork
from kgscripts.reproductions.kidscook.networks.transducer import Transducer
from kgscripts.reproductions.kidscook.networks.vocabulary import (
    PairBatch,
    Vocabulary,
    WordVectors,
    read_glove,
    read_released_vectors,
)
from lightning_modules.configuration import Configuration
from lightning_modules.module import (
    Loss,
    Split,
    TrainingBatch,
    TrainingData,
    TrainingModule,
    pair_key,
    pairs_digest,
    split,
)
from lightning_modules.task_settings import HARD_EM, TransducerTrainingSettings


@frozen(eq=False)
class WordBatch(TrainingBatch):
    """Pairs as ids."""

    pairs: PairBatch


class WordData(TrainingData[Pair]):
    """Pairs of similar length, cut to the longest length that is read."""

    def __init__(self, split: Split[Pair], vocabulary: Vocabulary, settings: TransducerTrainingSettings) -> None:
        super().__init__(split, settings)
        self._vocabulary = vocabulary
        self._cut = settings.max_tokens

    def length(self, example: Pair) -> tuple[int, ...]:
        """See `TrainingData`."""
        return len(example.abstract), len(example.concrete)

    def collate(self, examples: Sequence[Pair]) -> WordBatch:
        """See `TrainingData`."""
        abstracts = [pair.abstract[: self._cut] for pair in examples]
        concretes = [pair.concrete[: self._cut - 1] for pair in examples]
        pairs = PairBatch.of_words(abstracts, concretes, self._vocabulary)
        return WordBatch(where=tuple(pair.where for pair in examples), pairs=pairs)


class WordModule(TrainingModule):
    """Minimises the mean over pairs of -log p(concrete | abstract).

    In the phase of hard EM, of -log p(concrete, path | abstract) with the Viterbi path under the current weights
    (appendix A.3).
    """

    network: PairNetwork

    def loss(self, batch: WordBatch) -> Loss:
        """See `TrainingModule`; per pair."""
        if self.phase != HARD_EM:
            return Loss(-self.network.log_likelihood(batch.pairs).mean(), len(batch.pairs))
        assert isinstance(self.network, Transducer)
        training = self.network.training
        self.network.eval()  # the best path is that of the whole network, not of what dropout leaves of it
        path = self.network.viterbi(batch.pairs).path
        self.network.train(training)
        return Loss(-self.network.path_log_likelihood(batch.pairs, path).mean(), len(batch.pairs))


class TransducerTask:
    """Trains the network of a configuration on pairs; see `lightning_modules.training.TrainingTask`.

    Raises InputError for too few pairs, or word vectors (`glove`) that cannot be read.
    """

    purpose = "words of a concrete instruction given the abstract one"
    licence = "terms of the pairs that it was trained on"

    def __init__(self, configuration: Configuration, pairs: Sequence[Pair], glove: Path | None = None) -> None:
        self.name = configuration.name
        self.split = split(pairs, pair_key)
        self._configuration = configuration
        self._vectors = self._read_vectors(glove)
        self.inputs = {
            "pairs": pairs_digest(pairs),
            "kind": configuration.kind,
            "network": attrs.asdict(configuration.network),
            "vocabulary": sha256(self._vectors.vocabulary.to_json().encode()).hexdigest(),
            "vectors": sha256(self._vectors.vectors.numpy().tobytes()).hexdigest(),
        }

    def prepare(self, settings: TransducerTrainingSettings) -> tuple[WordModule, WordData]:
        """See `TrainingTask`."""
        vectors = self._vectors
        network = make_network(
            self._configuration.network, vectors.vocabulary, vectors.vectors if vectors.found else None
        )
        return WordModule(network, settings), WordData(self.split, vectors.vocabulary, settings)

    def checkpoint(self, module: WordModule, settings: TransducerTrainingSettings, card: ModelCard) -> Checkpoint:  # noqa: ARG002
        """See `TrainingTask`."""
        card = attrs.evolve(card, training={**card.training, "words_with_vectors": self._vectors.found})
        return network_checkpoint(self._configuration.network, module.trained_state(), self._vectors.vocabulary, card)

    def _read_vectors(self, glove: Path | None) -> WordVectors:
        """The vocabulary and its vectors; none are found without a file."""
        if glove is not None and glove.suffix == ".npy":
            return read_released_vectors(glove)
        settings = self._configuration.training
        texts = (side for pair in self.split.train for side in (pair.abstract, pair.concrete))
        vocabulary = Vocabulary.of_texts(texts, settings.minimum_count)
        if glove is not None:
            return read_glove(glove, vocabulary, settings.seed)
        return WordVectors(vocabulary, torch.empty(0), found=0)
