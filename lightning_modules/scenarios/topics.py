"""Training of topics by tomotopy: latent Dirichlet allocation with Gibbs sampling."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from kgscripts.reproductions.scenarios.topics import TopicModel
from lightning_modules.scenarios.settings import TilingTrainingSettings
from schemas.errors import InputError, ModelError


def check_library() -> None:
    """Raise ModelError, with the command that installs it, if tomotopy is not installed."""
    if find_spec("tomotopy") is None:
        raise ModelError("training topics needs tomotopy", remedy="pip install 'kgscripts[train]'")


def train_topics(texts: Sequence[Sequence[str]], settings: TilingTrainingSettings) -> TopicModel:
    """Topics of texts, given as content words; the same texts and settings give the same topics.

    It runs on one thread, since the sampling of several depends on their number. Raises InputError if no word occurs
    in `minimum_documents` texts, and ModelError if tomotopy is not installed.
    """
    check_library()
    import tomotopy

    model = tomotopy.LDAModel(
        k=settings.topics,
        alpha=settings.topic_prior,
        eta=settings.word_prior,
        min_df=settings.minimum_documents,
        seed=settings.seed,
    )
    for text in texts:
        if text:
            model.add_doc(list(text))
    model.train(0, workers=1)
    if not len(model.used_vocabs):
        message = f"no content word occurs in {settings.minimum_documents} texts"
        raise InputError(message, remedy="train on a larger corpus")
    model.train(settings.topic_iterations, workers=1)
    counts = np.array([model.get_topic_word_dist(topic, normalize=False) for topic in range(settings.topics)])
    return TopicModel(
        words=tuple(model.used_vocabs),
        counts=(counts - settings.word_prior).round().clip(min=0).astype(np.float64),
        priors=np.array(model.alpha, dtype=np.float64),
        word_prior=settings.word_prior,
    )
