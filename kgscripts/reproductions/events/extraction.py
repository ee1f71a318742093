"""Evaluation of the extractor of events, or of another one on lists: `kgscripts evaluate extraction`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import evolve

from kgscripts.corpora.inscript import read_stories
from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation
from kgscripts.reproductions.events.gold_lists import (
    pronoun_items,
    pronoun_scores,
    role_scores,
    sentence_scores,
    tool_items,
    tool_scores,
)
from kgscripts.reproductions.events.inscript import inscript_scores
from kgscripts.reproductions.events.list_readers import FrameReader, ListReader, RecordReader
from kgscripts.reproductions.events.marked_texts import (
    REALITY,
    SPLIT,
    marked_texts,
    object_scores,
    pronoun_object_scores,
    reality_scores,
)
from kgscripts.reproductions.events.recipes import read_splits, score_recipes
from kgscripts.reproductions.steps.order import order_scores, read_descriptions
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import InputError
from schemas.provenance import Exposure


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
    cooking = {} if recipes is None else read_splits(_folder(recipes))
    evaluations: list[Evaluation] = []
    if lists:
        on_part("lists that ship")
        first, *others = _lists(FrameReader(nlp))
        evaluations += (first, pronoun_scores(nlp, pronoun_items()), *others)
    if stories is not None:
        on_part(f"InScript {split}")
        evaluations.append(inscript_scores(nlp, stories, split))
    for name, tagged in cooking.items():
        on_part(f"recipes {name}")
        evaluations.append(score_recipes(nlp, tagged, name))
    if documents is not None:
        on_part("DeScript")
        evaluations.append(order_scores(documents, pipeline=pipeline, seed=seed, jobs=jobs))
    return evaluations


def evaluate_another(reader: RecordReader, on_part: Callable[[str], None] = lambda _: None) -> list[Evaluation]:
    """Evaluate another extractor on the lists that ship, by the records that it gives. Pronouns without a verb
    (``pronouns.tsv``) are left out, since records do not have them.

    A text on which the extractor fails counts as one in which it finds nothing; a note says how many there are. Whether
    the lists are development data for it is not known, nor what a language model was trained on.
    """
    name, networks = reader.chosen.extractor.name, reader.chosen.extractor.networks
    exposure = Exposure.UNKNOWN if any(model.task == "language model" for model in networks) else None
    evaluations: list[Evaluation] = []
    for item in _lists(reader):
        on_part(f"{item.dataset}, {item.split}")
        systems = [evolve(system, name=name, source=name) for system in item.systems]
        examples = [evolve(example, system=name) for example in item.examples]
        evaluations.append(evolve(item, exposure=exposure, systems=systems, examples=examples))
    notes = [f"{name} uses {model.name}, {model.version}" for model in networks]
    if reader.failed:
        reason = next(iter(reader.failed.values()))
        notes.append(f"texts on which {name} failed and finds nothing: {len(reader.failed):,}; the first: {reason}")
    return [evolve(evaluations[0], notes=notes), *evaluations[1:]]


def _lists(reader: ListReader) -> Iterator[Evaluation]:
    """The scores of a reader on the lists that records can answer."""
    yield tool_scores(reader, tool_items())
    yield sentence_scores(reader, list(list_rows(f"tool_sentences.{SPLIT}.tsv")))
    yield role_scores(reader, list(list_rows(f"tool_roles.{SPLIT}.tsv")))
    yield object_scores(reader, marked_texts(f"objects.{SPLIT}.txt"))
    yield pronoun_object_scores(reader, marked_texts(f"pronoun_objects.{SPLIT}.txt"))
    for file, name in REALITY.items():
        yield reality_scores(reader, name, marked_texts(f"{file}.{SPLIT}.txt"))


def _sequences(descript: Path) -> Path:
    return descript / "esds" if (descript / "esds").is_dir() else descript


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise InputError(
            "no such folder", where=str(path), remedy="`kgscripts corpora list` shows where to get corpora"
        )
    return path
