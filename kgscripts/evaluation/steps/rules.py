"""The rules by which the actions of a scenario are the same step: the model, assembly with it, and plain ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.cluster.vq import kmeans2

from kgscripts.assembly.tables.clusters import assembled_clusters, cluster_key
from kgscripts.models.steps.contexts import ActionParts, StepContexts
from kgscripts.models.steps.merger import StepMerger

VERB_AND_OBJECT = "same verb and object"
KMEANS = "k-means on the same vectors, as many"
MERGED = "merged by meaning"
GRAPH = "steps of the graph"
"""What assembly makes of the clusters of the model: it takes choices apart and finds steps for pronouns."""
_SEED = 1931


def action_rules(
    texts: Sequence[Sequence[ActionParts]], merger: StepMerger, thresholds: Sequence[float] = ()
) -> dict[str, Mapping[ActionParts, object]]:
    """By the name of each rule, the step of each action of a scenario's texts.

    The model has a rule for each of the other `thresholds` too.
    """
    contexts = StepContexts.of(texts, merger.vectors)
    actions = contexts.actions
    merged = [int(number) for number in merger.clusters(contexts)]
    sources = [int(number) for number in np.asarray(contexts.presence.sum(axis=1))]
    _, means = kmeans2(contexts.vectors, max(merged) + 1, minit="++", seed=_SEED)
    found: dict[str, Sequence[object]] = {
        VERB_AND_OBJECT: [cluster_key(action) for action in actions],
        KMEANS: np.asarray(means).tolist(),
        **{f"merged, threshold {value:g}": merger.at(value).clusters(contexts).tolist() for value in thresholds},
        MERGED: merged,
        GRAPH: assembled_clusters(actions, sources, merged),
    }
    return {name: dict(zip(actions, steps, strict=True)) for name, steps in found.items()}
