"""The evaluation tasks of what is read in texts, on gold of research corpora and on lists that ship."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import (
    Inscript,
    Jobs,
    ModelName,
    Pipeline,
    Settings,
    SplitName,
)
from kgscripts.evaluation.counting import EXTRACTOR
from kgscripts.evaluation.registry import Benchmark, Report, evaluation_task, of_checkpoint, of_package, quiet
from kgscripts.evaluation.result import Evaluation
from schemas.errors import ConfigurationError
from schemas.provenance import Exposure

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
    from kgscripts.reproductions.events.parsing import evaluate_text

    report(description="parsing", total=len(treebanks))
    evaluations = []
    for path in treebanks:
        evaluations.append(evaluate_text(path, pipeline=spacy_model, split=split))
        report(advance=1)
    return evaluations


def place_of_extractor(
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
    from kgscripts.reproductions.events.list_readers import RecordReader
    from kgscripts.score_files import scores_of_version

    return scores_of_version(RecordReader.of(extractor, read_settings(settings or ())).chosen.version)


@evaluation_task(
    "--inscript corpora/inscript --descript corpora/descript",
    place=place_of_extractor,
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
    from kgscripts.reproductions.events.extraction import evaluate_another, evaluate_extraction
    from kgscripts.reproductions.events.list_readers import RecordReader

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
    from kgscripts.models.registry import load
    from kgscripts.reproductions.events.labelled_passages import evaluate_agreement, evaluate_reader

    evaluation = evaluate_reader(load("reader", model), model, passages)
    return [evaluation] if passages else [evaluation, evaluate_agreement()]


@evaluation_task(
    "corpora/procedures",
    place=place_of_extractor,
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
    from kgscripts.reproductions.events.procedures import SPLITS, evaluate_procedures

    if split not in SPLITS:
        raise ConfigurationError(f"no split {split!r}", where="--split", remedy=f"one of {', '.join(SPLITS)}")
    return evaluate_procedures(directory, spacy_model, split, model)


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
    from kgscripts.reproductions.pages import evaluate_pages

    report(description="pages")
    return [evaluate_pages(directory, split=split, progress=lambda done: report(completed=done))]
