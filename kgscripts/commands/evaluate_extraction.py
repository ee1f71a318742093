"""`kgscripts evaluate text` and `kgscripts evaluate extraction`: what is read in texts, by rules over the parse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile, Settings
from schemas.output_files import check_outputs
from schemas.terminal import progress_bar

_Pipeline = Annotated[str | None, typer.Option(help="An installed spaCy pipeline instead of the shipped one.")]


def text(
    treebanks: Annotated[list[Path], typer.Argument(metavar="CONLLU...", help="Treebanks in CoNLL-U format.")],
    spacy_model: _Pipeline = None,
    split: Annotated[str | None, typer.Option(help="What the split is called; default: after the file.")] = None,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate tags, lemmas, parses and sentences of the text pipeline on treebanks, and its speed."""
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.events.parsing import evaluate_text
    from kgscripts.text.pipeline import SCORES, load_pipeline

    check_outputs(output, inputs=[*treebanks, spacy_model])
    with progress_bar() as progress:
        found = [
            evaluate_text(path, pipeline=spacy_model, split=split)
            for path in progress.track(treebanks, description="parsing")
        ]
    folder = load_pipeline(spacy_model).path
    places = {system.source: folder / SCORES for item in found for system in item.models if folder}
    finish(found, places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)


def extraction(
    inscript: Annotated[Path | None, typer.Option(metavar="DIR", help="InScript, with one folder per split.")] = None,
    descript: Annotated[Path | None, typer.Option(metavar="DIR", help="DeScript's event sequences.")] = None,
    recipes: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Recipe Flow Graph corpus: its .conllu files.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of InScript.")] = "val",
    extractor: Annotated[
        str, typer.Option(metavar="NAME", help="Another extractor of events, such as llm, on the lists that ship.")
    ] = "events",
    settings: Settings = None,
    spacy_model: _Pipeline = None,
    seed: Annotated[int, typer.Option(help="Selects the held-out event sequences.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that parse.")] = 1,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate steps, participants, tools, pronouns and order on gold labels.

    Tools and pronouns are measured on lists that ship with the package, the rest on the corpora that are passed. With
    --extractor, another extractor is measured on the lists, by the records that it gives.
    """
    from kgscripts.building.configuration import read_settings
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.counting import EXTRACTOR
    from kgscripts.evaluation.events.extraction import evaluate_another, evaluate_extraction
    from kgscripts.evaluation.events.list_readers import RecordReader
    from kgscripts.score_files import scores_of_package, scores_of_version
    from schemas.errors import ConfigurationError

    if attach_as and spacy_model:
        remedy = "leave out --spacy-model"
        raise ConfigurationError("scores are kept for the shipped pipeline", where="--attach-as", remedy=remedy)
    check_outputs(output, inputs=[inscript and inscript / split, descript, recipes, spacy_model])
    if extractor != EXTRACTOR:
        if inscript or descript or recipes:
            remedy = "leave out --inscript, --descript and --recipes"
            raise ConfigurationError(f"corpora measure {EXTRACTOR!r} only", where="--extractor", remedy=remedy)
        reader = RecordReader.of(extractor, read_settings(settings or ()), spacy_model)
        with progress_bar() as progress:
            task = progress.add_task("reading", total=None)
            found = evaluate_another(reader, lambda part: progress.update(task, description=part))
        places = {extractor: scores_of_version(reader.chosen.version)}
        finish(found, places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
        return
    if settings:
        raise ConfigurationError(f"{EXTRACTOR!r} has no settings", where="--set", remedy="name another --extractor")
    with progress_bar() as progress:
        task = progress.add_task("loading", total=None)
        found = evaluate_extraction(
            inscript=inscript,
            descript=descript,
            recipes=recipes,
            split=split,
            pipeline=spacy_model,
            seed=seed,
            jobs=jobs,
            on_part=lambda part: progress.update(task, description=part),
        )
    places = {EXTRACTOR: scores_of_package(EXTRACTOR)}
    finish(found, places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
