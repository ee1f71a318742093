"""All benchmarks: what `kgscripts evaluate all` runs on corpora, as `kgscripts corpora fetch` lays them out.

Each is one that a command of its own runs too, with the models that ship.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from attrs import evolve, frozen

from kgscripts.evaluation.counting import EXTRACTOR
from kgscripts.evaluation.events.extraction import evaluate_extraction
from kgscripts.evaluation.events.parsing import evaluate_text
from kgscripts.evaluation.pages.gold import LIST
from kgscripts.evaluation.pages.reading import evaluate_pages
from kgscripts.evaluation.result import Evaluation
from kgscripts.evaluation.scenarios.titles import evaluate_titles
from kgscripts.evaluation.steps.merging import evaluate_steps
from kgscripts.evaluation.steps.task_graphs import evaluate_order
from kgscripts.evaluation.steps.typicality import OURS, evaluate_typicality
from kgscripts.evaluation.tools.predicted import evaluate_predicted_tools
from kgscripts.models.registry import find_checkpoint, load, shipped_models
from kgscripts.models.scenarios.protocol import SegmentLabeller
from kgscripts.reproductions.kidscook.alignments.files import evaluate_alignment_files
from kgscripts.reproductions.kidscook.alignments.models import checkpoint_of
from kgscripts.reproductions.kidscook.cloze.files import evaluate_cloze_files
from kgscripts.reproductions.openpi.answers import predict_changes, read_answers, steps_beside
from kgscripts.reproductions.openpi.predicted import evaluate_changes
from kgscripts.reproductions.scenarios.detection import evaluate_scenarios
from kgscripts.reproductions.scenarios.documents import labelled_stories
from kgscripts.reproductions.scenarios.filler import read_filler
from kgscripts.reproductions.scenarios.merging import merge_documents
from kgscripts.reproductions.scenarios.predictions import predict, predict_on_gold
from kgscripts.reproductions.scenarios.splits import story_parts
from kgscripts.score_files import scores_of_package
from kgscripts.text.pipeline import SCORES, SHIPPED, shipped_directory
from schemas.provenance import Exposure
from schemas.scenario_documents import ScenarioDocument, concept_scheme, linked_scenarios

_SEED = 1
_DOCUMENTS = 12
"""Seed and number of the documents that are merged of labelled stories, those that the shipped models were tuned on."""


@frozen
class Benchmark:
    """An evaluation of models that ship. `needs` are files and folders below the folder of corpora."""

    name: str
    needs: tuple[str, ...]
    run: Callable[[Path], Sequence[Evaluation]]

    def is_there(self, data: Path) -> bool:
        """Whether its data is there."""
        return all((data / path).exists() for path in self.needs)

    def key(self, data: Path) -> str:
        """SHA-256 of all that decides the result: its data, the models and the version of kgscripts."""
        from kgscripts import __version__

        digest = hashlib.sha256(f"{self.name} {__version__}".encode())
        files = (path for need in self.needs for path in sorted([data / need, *(data / need).rglob("*")]))
        models = (path for folder in shipped_models().values() for path in sorted(folder.glob("*.safetensors")))
        for path in (*files, *models):
            if path.is_file():
                digest.update(path.name.encode())
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()


_PAGES = "recipe-pages"
_ARA, _COOKING = "ara", "captaincook"
_INSCRIPT, _DESCRIPT = "inscript", "descript/esds"
_TEMPLATES, _WHITELIST = "kidscook/valid.template.tsv", "kidscook/approved.5.txt"
_ALIGNMENTS = "kidscook/alignments.valid.jsonl"
_STORIES = ("mcscript/labelled-data.xml", "inscript/val")
_TREEBANKS = (
    "treebanks/ewt/en_ewt-ud-dev.conllu",
    "treebanks/ewt/en_ewt-ud-test.conllu",
    "treebanks/gum/wikihow-dev.conllu",
)
_ALIGNERS = ["aligner", "aligner-free", "diagonal"]


def _text(data: Path, *, path: str) -> list[Evaluation]:
    return [evaluate_text(data / path)]


def _cloze(data: Path, *, model: str) -> list[Evaluation]:
    return [evaluate_cloze_files([model], data / _TEMPLATES, data / _WHITELIST)]


def _steps(data: Path, *, corpus: str, path: str) -> list[Evaluation]:
    """Evaluations without a source: these are no scores of the model that ships, which was trained on them."""
    note = "The model was trained on these scenarios: `kgscripts train cross-validate-steps` leaves each out."
    given = {"descript": None, "inscript": None} | {corpus: data / path}
    found = evaluate_steps(descript=given["descript"], inscript=given["inscript"], model="steps")
    return [
        evolve(item, systems=[evolve(system, source="") for system in item.systems], notes=[note]) for item in found
    ]


def _pages(data: Path) -> list[Evaluation]:
    return [evolve(evaluate_pages(data / _PAGES), exposure=Exposure.DEVELOPMENT)]


def _changes(data: Path, *, model: str) -> list[Evaluation]:
    gold = data / "openpi/gold/dev"
    answers, steps = read_answers(gold), steps_beside(gold)
    predicted = predict_changes(load("state-changes", model), list(steps.values()), on_steps=lambda _: None)
    found = evaluate_changes(answers, predicted, steps, dataset="OpenPI", split="dev", system=model, source=model)
    return [found]


def merged_stories(data: Path) -> list[ScenarioDocument]:
    """The documents of labelled stories of MCScript on which the models of scenarios that ship were tuned."""
    stories, filler = _STORIES
    parts = story_parts(
        labelled_stories(data / stories),
        seed=_SEED,
        withheld=0,
        linked=linked_scenarios(),
        filler=read_filler(data / filler),
    )
    return merge_documents(
        parts.train + parts.held_out,
        seed=_SEED,
        documents=_DOCUMENTS,
        filler=parts.train_filler + parts.held_out_filler,
        broader={concept.label: concept.broader for concept in concept_scheme()},
    )


def _scenarios(data: Path, *, model: str) -> list[Evaluation]:
    documents, loaded = merged_stories(data), load("scenarios", model)
    predicted = predict(loaded, documents, on_documents=lambda _: None)
    on_gold = predict_on_gold(loaded, documents) if isinstance(loaded, SegmentLabeller) else None
    found = evaluate_scenarios(
        documents, predicted, on_gold, dataset="MCScript, merged", split="development", system=model, source=model
    )
    return [evolve(found, exposure=Exposure.DEVELOPMENT)]


BENCHMARKS: tuple[Benchmark, ...] = (
    *(Benchmark(f"text: {Path(path).stem}", (path,), partial(_text, path=path)) for path in _TREEBANKS),
    Benchmark("extraction: lists that ship", (), lambda _: evaluate_extraction()),
    Benchmark(
        "extraction: InScript",
        (f"{_INSCRIPT}/val",),
        lambda data: evaluate_extraction(inscript=data / _INSCRIPT, lists=False),
    ),
    Benchmark(
        "extraction: DeScript", (_DESCRIPT,), lambda data: evaluate_extraction(descript=data / _DESCRIPT, lists=False)
    ),
    *(
        Benchmark(f"steps: {corpus}", (path,), partial(_steps, corpus=corpus, path=path))
        for corpus, path in (("descript", "descript/gold_paraphrase_sets"), ("inscript", _INSCRIPT))
    ),
    Benchmark("steps: ara", (_ARA,), lambda data: evaluate_steps(ara=data / _ARA, model="steps")),
    Benchmark("order: CaptainCook4D", (_COOKING,), lambda data: [evaluate_order(data / _COOKING)]),
    Benchmark("typicality: InScript", (_INSCRIPT,), lambda data: [evaluate_typicality(data / _INSCRIPT)]),
    Benchmark(
        "tools: lists that ship",
        (),
        lambda _: [evaluate_predicted_tools(load("tools", "tools"), "unseen", source="tools")],
    ),
    Benchmark("scenario titles: lists that ship", (), lambda _: [evaluate_titles("test", source="labels")]),
    Benchmark("pages: saved recipes", (f"{_PAGES}/{LIST}",), _pages),
    *(
        Benchmark(
            f"cloze: {model}",
            (_TEMPLATES, _WHITELIST),
            partial(_cloze, model=model),
        )
        for model in ("transducer", "masked")
    ),
    Benchmark(
        "alignments: KidsCook",
        (_TEMPLATES, _ALIGNMENTS),
        lambda data: [evaluate_alignment_files(_ALIGNERS, data / _ALIGNMENTS, data / _TEMPLATES)],
    ),
    *(
        Benchmark(f"state changes: {model}", ("openpi/gold/dev",), partial(_changes, model=model))
        for model in ("state-changes", "state-changes-retrieval")
    ),
    *(
        Benchmark(f"scenarios: {model}", _STORIES, partial(_scenarios, model=model))
        for model in ("scenarios", "scenarios-topic-tiling")
    ),
)


def place_of(source: str) -> Path | None:
    """Where a system of the benchmarks keeps its scores; None for one that keeps none."""
    if source in (EXTRACTOR, "labels"):
        return scores_of_package(source)
    if source == OURS:
        return scores_of_package("action-vectors")
    if source == SHIPPED:
        return shipped_directory() / SCORES
    return find_checkpoint(checkpoint_of(source)) if source else None
