"""The hyperparameters of every kind of model that is trained."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen, validators

from kgscripts.models.encoder import MINILM
from kgscripts.models.sentence_vectors import SIZE
from kgscripts.reproductions.openpi.composer.network import whole_heads
from kgscripts.reproductions.scenarios.topic_tiling import TilingSettings
from lightning_modules.settings import (
    LINEAR,
    ONE_CYCLE,
    TrainingSettings,
    count,
    not_negative,
    positive,
    schedule_of,
    share,
    text,
)


@frozen(kw_only=True)
class AlignerSettings(TrainingSettings):
    """All that decides the result beside the data; chosen on labelled train pairs that were held out.

    A batch has `batch_size` labelled pairs and `anchored` other pairs, whose loss has the weight `anchor_weight`.
    """

    layers: int = count(4)
    """Layers of MiniLM that are kept."""
    rank: int = count(32)
    """Of the adapters."""
    size: int = count(128)
    """The size of the vectors whose inner product is the score of a pair of words."""
    epochs: int = count(13)
    """Epochs over the labelled pairs."""
    batch_size: int = count(16)
    anchored: int = count(8)
    anchor_weight: float = not_negative(0.3)
    weight_decay: float = not_negative(0.01)
    schedule: str = schedule_of(ONE_CYCLE)
    warm_up: float = share(0.15)
    patience: int = count(13)
    gradient_clip: float | None = 1.0
    smoothing: float = not_negative(0.02)
    shift_probability: float = field(default=0.9, validator=[validators.gt(0.0), validators.lt(1.0)])
    """Settings of the lattice; see `kgscripts.models.alignment.aligner.PathSettings`."""


@frozen(kw_only=True)
class MaskedSettings(TrainingSettings):
    """All that decides the result beside the pairs. Batches are of clozes, one a pair and epoch."""

    encoder: str = text(MINILM)
    """Name or folder of the encoder."""
    rank: int = count(32)
    """Of the adapters."""
    dropout: float = share(0.1)
    """In the word head."""
    left_share: float = share(0.2)
    """The share of clozes that show only what is left of the blank."""
    scattered_share: float = share(0.3)
    """The share of clozes whose hidden words are scattered over the text."""
    weight_decay: float = not_negative(0.01)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.06)
    gradient_clip: float | None = 1.0
    patience: int = count(3)


_MOST_TOPICS = 10_000


@frozen(kw_only=True)
class DetectorTrainingSettings(TrainingSettings):
    """All that decides the detector beside its texts. Batches are of documents, which are made anew each epoch."""

    documents: int = count(1200)
    """Of an epoch."""
    written_share: float = share(0.3)
    """The share of the documents that are stories written for training."""
    long_share: float = share(0.2)
    """The share of the documents that have long passages, half of them of stories of the corpus."""
    story_share: float = share(0.15)
    """The share of the passages of other documents that are cut out of stories, if the scenario has some."""
    unlabelled_share: float = share(0.8)
    """The share of the stories without a scenario that are used, with the scenario that their words speak for."""
    dropout: float = share(0.2)
    """Of the features."""
    learning_rate: float = positive(1e-2)
    weight_decay: float = not_negative(1e-3)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.3)
    epochs: int = count(25)
    batch_size: int = count(12)
    patience: int = count(25)


@frozen(kw_only=True)
class TilingTrainingSettings(TrainingSettings):
    """All that decides the model beside its texts. Batches are of stories."""

    topics: int = count(200, validators.le(_MOST_TOPICS))
    """Of the LDA."""
    topic_iterations: int = count(1000)
    """Of Gibbs sampling."""
    topic_prior: float = positive(0.1)
    """Dirichlet parameter of each topic of a document, at the beginning; training adapts them."""
    word_prior: float = positive(0.01)
    """Dirichlet parameter of the words of a topic."""
    minimum_documents: int = count(3, least=3)
    """In how many texts a word must occur to be known. Fewer than 3 are refused, since the words are published."""
    window: int = 2
    smoothing: int = 2
    threshold: float = 0.1
    """See `kgscripts.reproductions.scenarios.topic_tiling.TilingSettings`."""
    hidden: int = count(100)
    """Units of the hidden layer."""
    dropout: float = share(0.2)
    epochs: int = count(600)
    batch_size: int = count(8)
    patience: int = count(20)

    def __attrs_post_init__(self) -> None:
        self.tiling  # noqa: B018  (raises for values out of range)

    @property
    def tiling(self) -> TilingSettings:
        """The settings of the segmentation."""
        return TilingSettings(window=self.window, smoothing=self.smoothing, threshold=self.threshold)


@frozen(kw_only=True)
class ComposerTrainingSettings(TrainingSettings):
    """All that decides the network beside the steps. Batches are of steps."""

    size: int = count(256, whole_heads)
    """The size of the hidden states of the decoder."""
    layers: int = count(2)
    rank: int = count(24, validators.le(SIZE))
    """The rank of the adapters as which the trained encoder is shipped."""
    dropout: float = share(0.25)
    """The dropout of the network; the encoder has that of its own configuration."""
    encoder_learning_rate: float = positive(6e-5)
    weight_decay: float = not_negative(0.01)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.06)
    batch_size: int = count(16)
    patience: int = count(10)
    gradient_clip: float | None = 1.0
    most_changes: int = count(10)
    """At most this many changes of each step are drawn in an epoch."""
    hidden_titles: float = share(0.2)
    """The share of steps whose title is hidden, for procedures without one."""
    hidden_contexts: float = share(0.1)
    """The share of steps whose context is hidden."""


@frozen(kw_only=True)
class ChangeTrainingSettings(TrainingSettings):
    """All that decides the generator of changes beside its texts. Batches have `batch_size` pairs of an event and a
    thing at most."""

    inner: int = count(256)
    """The size of the states of pairs."""
    dropout: float = share(0.3)
    bias: float = 0.206
    slope: float = positive(0.502)
    value_slope: float = not_negative(1.1)
    """The calibration of the probabilities of changes, fitted to changes of other texts that were judged; see
    `kgscripts.models.changes.generator.Calibration`."""
    learning_rate: float = positive(1e-3)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.06)
    weight_decay: float = not_negative(0.05)
    gradient_clip: float | None = 1.0
    batch_size: int = count(5000)
    epochs: int = count(7)
    patience: int = count(7)


@frozen(kw_only=True)
class StepTrainingSettings(TrainingSettings):
    """All that decides the network beside its scenarios. Batches are of pairs of actions."""

    hidden: int = count(32)
    dropout: float = share(0.1)
    pairs: int = count(12_000)
    """At most this many pairs of an annotation are drawn."""
    narrative_weight: float = not_negative(0.5)
    """What a scenario of stories counts for, against one of descriptions: their labels agree less."""
    learning_rate: float = positive(1e-2)
    weight_decay: float = not_negative(1e-2)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.2)
    epochs: int = count(6)
    batch_size: int = count(2048)
    patience: int = count(6)


@frozen(kw_only=True)
class EncoderTrainingSettings(TrainingSettings):
    """All that decides the encoder beside its steps. A batch is of one scenario."""

    layers: int = count(4)
    rank: int = count(16)
    temperature: float = positive(0.07)
    learning_rate: float = positive(1.5e-3)
    weight_decay: float = not_negative(1e-2)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.1)
    epochs: int = count(8)
    batch_size: int = count(96)
    patience: int = count(8)
    gradient_clip: float | None = 1.0


LIKELIHOOD = "likelihood"
HARD_EM = "hard EM"
"""The phases of the training."""


@frozen(kw_only=True)
class TransducerTrainingSettings(TrainingSettings):
    """How a network is trained; the defaults are those of the released system. Batches are of pairs."""

    epochs: int = count(50)
    """The maximum number of epochs, of all phases together."""
    hard_em_after: int = count(0, least=0)
    """Epochs on the (marginal) likelihood, after which hard EM follows (appendix A.3); 0 for no hard EM."""
    minimum_gain: float = not_negative(0.01)
    """By how much the held-out loss must fall to count as a gain, in nats a pair."""
    max_tokens: int = count(50, least=2)
    """Tokens a side; the rest is cut off. The start symbol counts on the concrete side."""
    minimum_count: int = count(3)
    """How often a word must occur to have an id of its own, if the vocabulary is made from the pairs."""

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        first = min(self.epochs, self.hard_em_after or self.epochs)
        return {LIKELIHOOD: first, HARD_EM: self.epochs - first}


@frozen(kw_only=True)
class ReaderTrainingSettings(TrainingSettings):
    """All that decides the reader beside its texts. Batches are of windows of one set."""

    pair_size: int = count(256)
    """The size of what is known of a pair of words."""
    pair_weight: float = positive(0.5)
    """Of the loss of a pair, beside that of a word."""
    partial_weight: float = positive(0.5)
    """Of what annotations of research leave of the labels of a graph, beside the labels themselves."""
    least_share: float = share(0.03)
    """Of an epoch's windows, that each set has; small sets come several times."""
    faster: float = positive(5.0)
    """How much faster the layers over the encoder learn."""
    learning_rate: float = positive(1e-4)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.06)
    weight_decay: float = not_negative(0.01)
    gradient_clip: float | None = 1.0
    batch_size: int = count(12)
    epochs: int = count(6)
    patience: int = count(4)
