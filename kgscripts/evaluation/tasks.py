"""The evaluation tasks of what the package reads, merges, predicts and finds."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from attrs import evolve

from kgscripts.commands.options import (
    GraphFolder,
    Inscript,
    Jobs,
    ListSplit,
    ModelName,
    Pipeline,
    Settings,
    Split,
    SplitName,
    Thresholds,
)
from kgscripts.evaluation.counting import EXTRACTOR
from kgscripts.evaluation.registry import Benchmark, Report, evaluation_task, of_checkpoint, of_package, quiet
from kgscripts.evaluation.result import Evaluation
from schemas.errors import ConfigurationError
from schemas.provenance import Exposure

_LABELS, _VECTORS = "labels", "action-vectors"
"""The extractor of labels, and the enricher with the weights of typicality and importance."""
_TREEBANKS = (
    "treebanks/ewt/en_ewt-ud-dev.conllu",
    "treebanks/ewt/en_ewt-ud-test.conllu",
    "treebanks/gum/wikihow-dev.conllu",
)


def _place_of_pipeline(source: str, **_: object) -> Path | None:
    from kgscripts.text.pipeline import SCORES, SHIPPED, load_pipeline

    folder = load_pipeline(None if source in ("", SHIPPED) else source).path
    return folder / SCORES if folder else None


def _of_treebank(treebank: Path) -> list[Evaluation]:
    return text([treebank])


@evaluation_task(
    "corpora/treebanks/ewt/en_ewt-ud-test.conllu",
    place=_place_of_pipeline,
    benchmarks=[Benchmark(f"text: {Path(path).stem}", {"treebank": path}, run=_of_treebank) for path in _TREEBANKS],
)
def text(
    treebanks: Annotated[list[Path], typer.Argument(metavar="CONLLU...", help="Treebanks in CoNLL-U format.")],
    spacy_model: Pipeline = None,
    split: SplitName = None,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate tags, lemmas, parses and sentences of the text pipeline on treebanks, and its speed."""
    from kgscripts.evaluation.events.parsing import evaluate_text

    report(description="parsing", total=len(treebanks))
    found = []
    for path in treebanks:
        found.append(evaluate_text(path, pipeline=spacy_model, split=split))
        report(advance=1)
    return found


def _place_of_extractor(
    *_: object,
    extractor: str = EXTRACTOR,
    settings: Sequence[str] | None = None,
    spacy_model: str | None = None,
    **__: object,
) -> Path:
    if spacy_model:
        remedy = "leave out --spacy-model"
        raise ConfigurationError("scores are kept for the shipped pipeline", where="--attach-as", remedy=remedy)
    if extractor == EXTRACTOR:
        return of_package(EXTRACTOR)()
    from kgscripts.building.configuration import read_settings
    from kgscripts.evaluation.events.list_readers import RecordReader
    from kgscripts.score_files import scores_of_version

    return scores_of_version(RecordReader.of(extractor, read_settings(settings or ())).chosen.version)


@evaluation_task(
    "--inscript corpora/inscript --descript corpora/descript",
    place=_place_of_extractor,
    benchmarks=[
        Benchmark("extraction: lists that ship"),
        Benchmark("extraction: InScript", {"inscript": "inscript"}, {"lists": False}),
        Benchmark("extraction: DeScript", {"descript": "descript/esds"}, {"lists": False}),
    ],
)
def extraction(
    inscript: Inscript = None,
    descript: Annotated[Path | None, typer.Option(metavar="DIR", help="DeScript's event sequences.")] = None,
    recipes: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Recipe Flow Graph corpus: its .conllu files.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of InScript.")] = "val",
    extractor: Annotated[
        str, typer.Option(metavar="NAME", help="Another extractor of events, such as llm, on the lists that ship.")
    ] = EXTRACTOR,
    settings: Settings = None,
    spacy_model: Pipeline = None,
    seed: Annotated[int, typer.Option(help="Selects the held-out event sequences.")] = 0,
    jobs: Jobs = 1,
    lists: bool = True,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate steps, participants, tools, pronouns and order on gold labels.

    Tools and pronouns are measured on lists that ship with the package, the rest on the corpora that are passed. With
    --extractor, another extractor is measured on the lists, by the records that it gives.
    """
    from kgscripts.building.configuration import read_settings
    from kgscripts.evaluation.events.extraction import evaluate_another, evaluate_extraction
    from kgscripts.evaluation.events.list_readers import RecordReader

    if extractor != EXTRACTOR:
        if inscript or descript or recipes:
            remedy = "leave out --inscript, --descript and --recipes"
            raise ConfigurationError(f"corpora measure {EXTRACTOR!r} only", where="--extractor", remedy=remedy)
        reader = RecordReader.of(extractor, read_settings(settings or ()), spacy_model)
        return evaluate_another(reader, lambda part: report(description=part))
    if settings:
        remedy = "name another --extractor; `evaluate procedures --model` measures another reader"
        raise ConfigurationError(f"{EXTRACTOR!r} is measured as it ships", where="--set", remedy=remedy)
    return evaluate_extraction(
        inscript=inscript,
        descript=descript,
        recipes=recipes,
        split=split,
        pipeline=spacy_model,
        seed=seed,
        jobs=jobs,
        lists=lists,
        on_part=lambda part: report(description=part),
    )


@evaluation_task("", place=of_checkpoint("reader"), benchmarks=[Benchmark("reader: labelled passages")])
def reader(
    passages: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Labelled passages of your own, instead of those that ship.")
    ] = None,
    model: ModelName = "default",
) -> list[Evaluation]:
    """Evaluate the reader on passages with all events, realities, roles, pronouns and needs labelled.

    The 240 that ship are of twelve domains and eight registers, and were never trained on. Of those that the reader
    learns from, 298 were labelled twice: how far the labels agree is printed too.
    """
    from kgscripts.evaluation.events.labelled_passages import evaluate_agreement, evaluate_reader
    from kgscripts.models.registry import load

    found = evaluate_reader(load("reader", model), model, passages)
    return [found] if passages else [found, evaluate_agreement()]


@evaluation_task(
    "corpora/procedures",
    place=_place_of_extractor,
    benchmarks=[Benchmark("procedures: of others", {"directory": "procedures"})],
)
def procedures(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Annotated procedures: wikihow-fg.jsonl, easdrl.jsonl, ...")
    ],
    model: ModelName = "default",
    split: Annotated[
        str, typer.Option(help="test: the last fifth of each set; all: a file never trained on.")
    ] = "test",
    spacy_model: Pipeline = None,
) -> list[Evaluation]:
    """Evaluate events, tools and objects on procedures of many domains that others annotated.

    For business processes, the released answers of four language models stand beside.
    """
    from kgscripts.evaluation.events.procedures import SPLITS, evaluate_procedures

    if split not in SPLITS:
        raise ConfigurationError(f"no split {split!r}", where="--split", remedy=f"one of {', '.join(SPLITS)}")
    return evaluate_procedures(directory, spacy_model, split, model)


def _of_seen(**corpus: Path) -> list[Evaluation]:
    """Evaluations without a source: these are no scores of the model that ships, which was trained on them."""
    note = "The model was trained on these scenarios: `kgscripts train cross-validate-steps` leaves each out."
    found = steps(corpus.get("descript"), corpus.get("inscript"), model="steps")
    return [
        evolve(each, systems=[evolve(system, source="") for system in each.systems], notes=[note]) for each in found
    ]


@evaluation_task(
    "--descript corpora/descript/gold_paraphrase_sets --ara corpora/ara",
    place=of_checkpoint("steps"),
    benchmarks=[
        Benchmark("steps: descript", {"descript": "descript/gold_paraphrase_sets"}, run=_of_seen),
        Benchmark("steps: inscript", {"inscript": "inscript"}, run=_of_seen),
        Benchmark("steps: ara", {"ara": "ara"}, {"model": "steps"}),
    ],
)
def steps(
    descript: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder.")
    ] = None,
    inscript: Inscript = None,
    ara: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Aligned Recipe Actions: a folder with one folder per dish.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that merges steps.")] = "default",
    threshold: Thresholds = None,
) -> list[Evaluation]:
    """Evaluate which steps of a scenario are merged, on steps that people have grouped or aligned.

    On DeScript and InScript, scores are B-cubed and of pairs, means over the annotations; the model that ships has seen
    these scenarios: `kgscripts train cross-validate-steps` leaves each out. On Aligned Recipe Actions, they are recall
    and precision of pairs of actions of two recipes; the dish is the scenario. Plain rules are there to compare with.
    """
    from kgscripts.evaluation.steps.merging import evaluate_steps

    if descript is None and inscript is None and ara is None:
        remedy = "name a corpus by --descript, --inscript or --ara"
        raise ConfigurationError("nothing to evaluate on", remedy=remedy)
    return evaluate_steps(descript=descript, inscript=inscript, ara=ara, model=model, thresholds=threshold or ())


@evaluation_task(
    "--descript corpora/descript/gold_paraphrase_sets",
    place=of_checkpoint("steps"),
    benchmarks=[
        Benchmark("matches", {"inscript": "inscript", "descript": "descript/gold_paraphrase_sets"}, {"model": "steps"})
    ],
)
def matches(
    inscript: Inscript = None,
    descript: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that merges steps.")] = "default",
) -> list[Evaluation]:
    """Evaluate which actions of texts are matched to the steps of the written scripts that ship.

    Each scenario is scored by weights that were learnt from the labels of the others.
    """
    from kgscripts.evaluation.steps.script_matches import evaluate_matches

    if inscript is None and descript is None:
        raise ConfigurationError("nothing to evaluate on", remedy="name a corpus by --inscript or --descript")
    return evaluate_matches(inscript=inscript, descript=descript, model=model)


@evaluation_task(
    "corpora/captaincook",
    place=_place_of_extractor,
    benchmarks=[Benchmark("order: CaptainCook4D", {"directory": "captaincook"})],
)
def order(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="CaptainCook4D: recordings.json and the folder task_graphs.")
    ],
    spacy_model: Pipeline = None,
    jobs: Jobs = 1,
) -> list[Evaluation]:
    """Evaluate the order of steps on task graphs of recipes, which say which step must precede which.

    A graph is built of what people did, each recording as a source. Of the pairs of steps that a task graph orders, the
    paths of PRECEDES have a share in this order, in the other one, or open; of its free pairs they leave a share open.
    """
    from kgscripts.evaluation.steps.task_graphs import evaluate_order

    return [evaluate_order(directory, pipeline=spacy_model, jobs=jobs)]


@evaluation_task(
    "--inscript corpora/inscript",
    place=of_package(_VECTORS),
    benchmarks=[Benchmark("typicality: InScript", {"inscript": "inscript"})],
)
def typicality(
    inscript: Annotated[Path, typer.Option(metavar="DIR", help="InScript, with one folder per split.")],
    split: Annotated[str, typer.Option(help="The split whose mentions are judged: val or train.")] = "val",
) -> list[Evaluation]:
    """Evaluate whether typical steps are those of the script, on the labels of InScript.

    Each scenario is judged with weights learnt from the others. Above a threshold, `ScrEv kept` is the share of the
    mentions so labelled; script events are ScrEv, RelNScrEv and Evoking.
    """
    from kgscripts.evaluation.steps.typicality import evaluate_typicality

    return [evaluate_typicality(inscript, split)]


@evaluation_task("GRAPH --examples 10", place=of_package(_VECTORS))
def importance(directory: GraphFolder) -> list[Evaluation]:
    """Evaluate which steps are essential, usual, optional, or no part of a scenario, on steps that were judged twice.

    The list ships with the package; its steps are those of a graph of MCScript. Steps on which the two judgements
    differ are left out, and those that the graph lacks are wrong.
    """
    from kgscripts.evaluation.steps.importance import evaluate_importance
    from schemas.script_graph import StoredGraph

    return [evaluate_importance(StoredGraph.open(directory))]


@evaluation_task(
    "--split development",
    place=of_checkpoint("tools"),
    benchmarks=[Benchmark("tools: lists that ship", options={"model": "tools"})],
)
def tools(model: ModelName = "default", split: Split = ListSplit.UNSEEN) -> list[Evaluation]:
    """Evaluate the tools predicted for everyday events, on lists that ship with the package.

    P@1 is the share of the answers whose first tool is right; an answer for an event that needs no tool is wrong.
    Hit@5 is the share of the events that need a tool with a right one among the first five, answered or not.
    """
    from kgscripts.evaluation.tools import evaluate_predicted_tools
    from kgscripts.models.registry import load

    return [evaluate_predicted_tools(load("tools", model), split.value, source=model)]


@evaluation_task("DIR --split development --examples 5")
def search(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph of MCScript's texts.", show_default=False)],
    split: Split = ListSplit.UNSEEN,
) -> list[Evaluation]:
    """Evaluate search by words and meaning beside either alone, on questions that ship with the package.

    MRR is the mean reciprocal rank of the first right step, tool or scenario; one after the tenth counts 0.
    """
    from kgscripts.evaluation.search import evaluate_search
    from schemas.script_graph import StoredGraph

    return [evaluate_search(StoredGraph.open(directory), split.value)]


@evaluation_task("--split development --examples 5")
def step_changes(model: ModelName = "default", split: Split = ListSplit.UNSEEN) -> list[Evaluation]:
    """Evaluate the changes that are read at each level, on everyday steps that ship with the package.

    Recall is the share of the changes that people name, "named" the share of what is read that they name, and
    "non-changes" the share of what does not change that is read. The unseen steps have judged candidates as well:
    precision is the share of true ones.
    """
    from kgscripts.evaluation.step_changes import evaluate_step_changes
    from kgscripts.models.registry import load

    return [evaluate_step_changes(load("state-changes", model), split.value, source=model)]


class TitleSplit(StrEnum):
    """The parts of the gold titles."""

    DEVELOPMENT = "development"
    TEST = "test"


@evaluation_task(
    "--split development", place=of_package(_LABELS), benchmarks=[Benchmark("scenario titles: lists that ship")]
)
def scenario_titles(
    split: Annotated[TitleSplit, typer.Option(help="Which of the gold titles.")] = TitleSplit.TEST,
) -> list[Evaluation]:
    """Evaluate which titles of how-tos become one scenario, on titles that ship with the package.

    Precision, recall and F1 are over pairs of titles. A title of a listed scenario is right if it gets its label.
    """
    from kgscripts.evaluation.titles import evaluate_titles

    return [evaluate_titles(split.value, source=_LABELS)]


def _of_listed_pages(gold: Path) -> list[Evaluation]:
    return pages(gold.parent)


@evaluation_task(
    "corpora/recipe-pages --examples 5",
    place=lambda *_, **__: None,
    benchmarks=[
        Benchmark(
            "pages: saved recipes",
            {"gold": "recipe-pages/pages.jsonl"},
            run=_of_listed_pages,
            exposure=Exposure.DEVELOPMENT,
        )
    ],
)
def pages(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A folder of pages, with what is right in pages.jsonl.", show_default=False),
    ],
    split: SplitName = None,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate the reading of saved recipe pages: titles, sentences of the instructions, ingredients and tools.

    Every page is read as it is, and again without JSON-LD and microdata. Each line of pages.jsonl has file, title,
    ingredients and instructions, and may have equipment.
    """
    from kgscripts.evaluation.pages import evaluate_pages

    report(description="pages")
    return [evaluate_pages(directory, split=split, progress=lambda done: report(completed=done))]


@evaluation_task("GRAPH --examples 10")
def needs(directory: GraphFolder) -> list[Evaluation]:
    """Evaluate what scenarios need, on lists for everyday activities that ship with the package.

    Recall is the share of the necessary things that the graph has, precision the share of its needs that the lists
    accept. Scenarios that the graph does not have are left out.
    """
    from kgscripts.evaluation.needs import evaluate_needs
    from schemas.script_graph import StoredGraph

    return [evaluate_needs(StoredGraph.open(directory))]
