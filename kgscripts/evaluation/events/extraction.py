"""Evaluation of the built-in extractor: the scores of `kgscripts evaluate extraction`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kgscripts.corpora.inscript import read_stories
from kgscripts.evaluation.events.gold_lists import pronoun_items, pronoun_scores, tool_items, tool_scores
from kgscripts.evaluation.events.inscript import inscript_scores
from kgscripts.evaluation.events.marked_texts import REALITY, SPLITS, marked_texts, object_scores, reality_scores
from kgscripts.evaluation.events.pronoun_objects import pronoun_object_scores
from kgscripts.evaluation.events.recipes import recipe_scores
from kgscripts.evaluation.result import Evaluation
from kgscripts.evaluation.steps.order import order_scores, read_descriptions
from kgscripts.evaluation.tools.sentences import tool_list_scores
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import InputError


def evaluate_extraction(
    *,
    inscript: Path | None = None,
    descript: Path | None = None,
    recipes: Path | None = None,
    split: str = "val",
    pipeline: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    lists: bool = True,
    on_part: Callable[[str], None] = lambda _: None,
) -> list[Evaluation]:
    """Evaluate the extractor on the lists that ship (tools, pronouns, objects, reality) and on the corpora passed;
    without `lists` on the corpora only.

    `inscript` is a folder with one folder per split, `descript` a folder with the event sequence descriptions, or with
    a folder `esds` of them, `recipes` one with files of the Recipe Flow Graph corpus; `on_part` is called with the name
    of each part before it begins.

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
    found: list[Evaluation] = []
    if lists:
        on_part("lists that ship")
        found += (tool_scores(nlp, tool_items()), pronoun_scores(nlp, pronoun_items()), *tool_list_scores(nlp))
        found += object_scores(nlp, {split: marked_texts(f"objects.{split}.txt") for split in SPLITS})
        found += pronoun_object_scores(nlp, {split: marked_texts(f"pronoun_objects.{split}.txt") for split in SPLITS})
        for file, name in REALITY.items():
            found += reality_scores(nlp, name, {part: marked_texts(f"{file}.{part}.txt") for part in SPLITS})
    if stories is not None:
        on_part(f"InScript {split}")
        found.append(inscript_scores(nlp, stories, split))
    if recipes is not None:
        on_part("recipes")
        found += recipe_scores(nlp, _folder(recipes))
    if documents is not None:
        on_part("DeScript")
        found.append(order_scores(documents, pipeline=pipeline, seed=seed, jobs=jobs))
    return found


def _sequences(descript: Path) -> Path:
    return descript / "esds" if (descript / "esds").is_dir() else descript


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise InputError(
            "no such folder", where=str(path), remedy="`kgscripts corpora list` shows where to get corpora"
        )
    return path
