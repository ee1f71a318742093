"""The networks over pairs under Lightning: trained on likelihood, then by hard EM."""

from __future__ import annotations

from kgscripts.reproductions.kidscook.networks.recurrent import PairNetwork
from kgscripts.reproductions.kidscook.networks.transducer import Transducer
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.transducer.data import WordBatch
from lightning_modules.transducer.settings import HARD_EM, TransducerTrainingSettings


class WordModule(TrainingModule):
    """Minimises the mean over pairs of -log p(concrete | abstract).

    In the phase of hard EM, of -log p(concrete, path | abstract) with the Viterbi path under the current weights
    (appendix A.3).
    """

    network: PairNetwork

    def __init__(self, network: PairNetwork, settings: TransducerTrainingSettings) -> None:
        super().__init__(network, settings)

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
