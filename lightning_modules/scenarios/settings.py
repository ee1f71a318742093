"""Settings of the training of the models of scenarios."""

from __future__ import annotations

from attrs import frozen, validators

from kgscripts.reproductions.scenarios.topic_tiling import TilingSettings
from lightning_modules.settings import LINEAR, TrainingSettings, count, not_negative, positive, schedule_of, share

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
