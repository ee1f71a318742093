"""The weights of typicality from InScript (Modi et al., LREC 2016)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from kgscripts.evaluation.steps.script_mentions import GROUPS, SCRIPT, labelled_mentions
from kgscripts.evaluation.steps.typicality import learn_from, left_out
from kgscripts.models.encoder import MINILM_SHA256
from kgscripts.typicality.weights import Weights
from schemas.output_files import new_file


def train_typicality(inscript: Path, out: Path, limit: int | None = None) -> Weights:
    """Learn from the `train` stories of all scenarios, at most `limit` mentions of them, and write the weights.

    The threshold of usual steps is chosen on the same stories, each judged by weights learnt from other scenarios.

    Raises
    ------
    InputError
        if there are no stories.
    StoreError
        if the file cannot be written.
    """
    groups = labelled_mentions(inscript)
    usual = left_out(groups)[1]
    weights = evolve(learn_from([item.of(_first(item.is_train, limit)) for item in groups.values()]), usual=usual)
    facts = {
        "data": "InScript, train stories (Modi et al. 2016), for research",
        "labels": f"{', '.join(SCRIPT)} against all others",
        "known": list(GROUPS),
        "encoder": MINILM_SHA256,
        "command": "kgscripts train typicality --inscript inscript --out weights.json",
    }
    with new_file(out) as temporary:
        temporary.write_text(weights.to_json(facts), encoding="utf-8")
    return weights


def _first(rows: NDArray[np.bool_], limit: int | None) -> NDArray[np.bool_]:
    """The first rows that are true, at most `limit`."""
    return rows if limit is None else rows & (np.cumsum(rows) <= limit)
