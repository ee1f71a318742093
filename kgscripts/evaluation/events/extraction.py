"""Evaluation of the built-in extractor: the scores of `kgscripts evaluate extraction`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import asdict, frozen

from kgscripts.corpora.inscript import read_stories
from kgscripts.evaluation.events.gold_lists import pronoun_items, pronoun_scores, tool_items, tool_scores
from kgscripts.evaluation.events.inscript import inscript_scores
from kgscripts.evaluation.events.marked_texts import SPLITS, marked_texts, object_scores, reality_scores
from kgscripts.evaluation.steps.order import order_scores, read_descriptions
from kgscripts.evaluation.tools.sentences import tool_list_scores
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import InputError
from schemas.provenance import BenchmarkScore


@frozen
class Published:
    """A score from the literature, with a remark on the difference in task."""

    system: str
    dataset: str
    metric: str
    value: float
    remark: str


_SUPERVISED = "trained on InScript's labels; assigns script labels to given heads, so it is another task"
_ZERO_SHOT = "without InScript's labels for training; assigns script labels to given heads, so it is another task"
PUBLISHED = (
    Published("SSP (coli-saar)", "InScript", "event label micro F1", 78.8, _SUPERVISED),
    Published("SSP (coli-saar)", "InScript", "participant label micro F1", 93.0, _SUPERVISED),
    Published("Zhai et al. 2022", "InScript", "event label micro F1", 68.1, _ZERO_SHOT),
    Published("Zhai et al. 2022", "InScript", "participant label micro F1", 74.4, _ZERO_SHOT),
)


def evaluate_extraction(
    *,
    inscript: Path | None = None,
    descript: Path | None = None,
    split: str = "val",
    pipeline: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    on_part: Callable[[str], None] = lambda _: None,
) -> list[BenchmarkScore]:
    """Score the extractor on the shipped lists (tools, pronouns, objects, reality) and on the corpora that are passed.

    `inscript` is a folder with one folder per split, `descript` a folder with the event sequence descriptions, or with
    a folder `esds` of them; `on_part` is called with the name of each part before it begins.

    Raises
    ------
    InputError
        if a folder does not contain such data.
    """
    nlp = load_pipeline(pipeline)
    on_part("reading")
    # First, so that a folder that cannot be read is known at once.
    stories = None if inscript is None else read_stories(_folder(inscript / split))
    documents = None if descript is None else read_descriptions(_folder(_sequences(descript)))
    on_part("lists that ship")
    scores = tool_scores(nlp, tool_items()) + pronoun_scores(nlp, pronoun_items())
    scores += tool_list_scores(nlp)
    scores += object_scores(nlp, {split: marked_texts(f"objects.{split}.txt") for split in SPLITS})
    scores += reality_scores(nlp, {split: marked_texts(f"reality.{split}.txt") for split in SPLITS})
    if stories is not None:
        on_part(f"InScript {split}")
        scores += inscript_scores(nlp, stories, split)
    if documents is not None:
        on_part("DeScript")
        scores += order_scores(documents, pipeline=pipeline, seed=seed, jobs=jobs)
    return scores


def _sequences(descript: Path) -> Path:
    return descript / "esds" if (descript / "esds").is_dir() else descript


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise InputError(
            "no such folder", where=str(path), remedy="`kgscripts corpora list` shows where to get corpora"
        )
    return path


def scores_as_json(scores: Sequence[BenchmarkScore]) -> str:
    """A JSON list of scores, one per line, as shipped in packages."""
    rows = ",\n".join(json.dumps(asdict(score), ensure_ascii=False) for score in scores)
    return f"[\n{rows}\n]\n"
