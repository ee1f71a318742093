"""`kgscripts evaluate`: measure the quality of the models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.evaluate_alignments import alignments
from kgscripts.commands.evaluate_cloze import cloze
from kgscripts.commands.evaluate_scenario_mentions import scenario_mentions
from kgscripts.commands.evaluate_scenario_titles import scenario_titles
from kgscripts.commands.evaluate_scenarios import scenarios
from kgscripts.commands.evaluate_state_changes import state_changes
from kgscripts.commands.evaluate_steps import steps
from kgscripts.commands.evaluate_tools import tools
from kgscripts.commands.evaluate_typicality import typicality
from kgscripts.commands.options import AsJson, ScoresFile
from schemas.output_files import check_outputs, write_lines
from schemas.terminal import console, echo, echo_json, progress_bar

if TYPE_CHECKING:
    from schemas.provenance import BenchmarkScore

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Measure the quality of the models.",
    epilog="Example: kgscripts evaluate slice --model masked",
)

app.command(
    epilog="Example: kgscripts evaluate cloze --model masked --templates valid.template.tsv --whitelist words.txt"
)(cloze)
app.command(epilog="Example: kgscripts evaluate alignments --gold gold.jsonl --templates valid.template.tsv")(
    alignments
)
app.command("state-changes", epilog="Example: kgscripts evaluate state-changes --gold dev --model default")(
    state_changes
)
app.command(epilog="Example: kgscripts evaluate scenarios --gold documents.jsonl --model default")(scenarios)
app.command(epilog="Example: kgscripts evaluate steps --descript corpora/descript/gold_paraphrase_sets")(steps)
app.command(epilog="Example: kgscripts evaluate tools --split development")(tools)
app.command(epilog="Example: kgscripts evaluate typicality --inscript corpora/inscript")(typicality)
app.command("scenario-titles", epilog="Example: kgscripts evaluate scenario-titles --split development")(
    scenario_titles
)
app.command(
    "scenario-mentions", epilog="Example: kgscripts evaluate scenario-mentions --gold documents.jsonl --model default"
)(scenario_mentions)

_Pipeline = Annotated[str | None, typer.Option(help="An installed spaCy pipeline instead of the shipped one.")]


@app.command(epilog="Example: kgscripts evaluate text corpora/treebanks/ewt/en_ewt-ud-test.conllu")
def text(
    treebanks: Annotated[list[Path], typer.Argument(metavar="CONLLU...", help="Treebanks in CoNLL-U format.")],
    spacy_model: _Pipeline = None,
    as_json: AsJson = False,
    output: ScoresFile = None,
) -> None:
    """Evaluate tags, lemmas, parses and sentences of the text pipeline on treebanks, and its speed."""
    from kgscripts.evaluation.events.parsing import evaluate_text

    check_outputs(output, inputs=[*treebanks, spacy_model])
    evaluations = []
    with progress_bar() as progress:
        for path in progress.track(treebanks, description="parsing"):
            evaluations.append(evaluate_text(path, pipeline=spacy_model))
    scores = [score for evaluation in evaluations for score in evaluation.scores]
    _write(scores, output)
    speed = [round(evaluation.words_per_second) for evaluation in evaluations]
    if as_json:
        echo_json({"scores": _rows(scores), "words_per_second": speed})
        return
    _print_table(scores, "Text pipeline")
    for path, words in zip(treebanks, speed, strict=True):
        echo(f"{path.name}: {words:,} words of raw text per second on one core")


@app.command(epilog="Example: kgscripts evaluate extraction --inscript corpora/inscript --descript corpora/descript")
def extraction(
    inscript: Annotated[Path | None, typer.Option(metavar="DIR", help="InScript, with one folder per split.")] = None,
    descript: Annotated[Path | None, typer.Option(metavar="DIR", help="DeScript's event sequences.")] = None,
    split: Annotated[str, typer.Option(help="Split of InScript.")] = "val",
    spacy_model: _Pipeline = None,
    seed: Annotated[int, typer.Option(help="Selects the held-out event sequences.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that parse.")] = 1,
    as_json: AsJson = False,
    output: ScoresFile = None,
) -> None:
    """Evaluate steps, participants, tools, pronouns and order on gold labels.

    Tools and pronouns are measured on lists that ship with the package, the rest on the corpora that are passed.
    """
    from attrs import asdict

    from kgscripts.evaluation.events.extraction import PUBLISHED, evaluate_extraction

    check_outputs(output, inputs=[inscript and inscript / split, descript, spacy_model])
    with progress_bar() as progress:
        task = progress.add_task("loading", total=None)
        scores = evaluate_extraction(
            inscript=inscript,
            descript=descript,
            split=split,
            pipeline=spacy_model,
            seed=seed,
            jobs=jobs,
            on_part=lambda part: progress.update(task, description=part),
        )
    published = PUBLISHED if inscript is not None else ()
    _write(scores, output)
    if as_json:
        echo_json({"scores": _rows(scores), "published": [asdict(line) for line in published]})
        return
    _print_table(scores, "Built-in extractor")
    for line in published:
        echo(f"published, {line.system}: {line.metric} {line.value} on {line.dataset} ({line.remark})")


@app.command("slice", epilog="Example: kgscripts evaluate slice --model masked")
def small_slice(
    model: Annotated[list[str], typer.Option(metavar="NAME|DIR", help="A model that ships or a checkpoint directory.")],
    attach: Annotated[bool, typer.Option("--attach", help="Write the scores on the model cards.")] = False,
    as_json: AsJson = False,
) -> None:
    """Scores of models on a small sample that ships, to compare with those on the model card."""
    from kgscripts.evaluation.slice import slice_scores
    from kgscripts.models.checkpoint import attach_slice
    from kgscripts.models.registry import find_checkpoint

    results = {name: slice_scores(name) for name in model}
    if attach:
        for name, scores in results.items():
            attach_slice(find_checkpoint(name), scores)
    if as_json:
        echo_json({name: _rows(scores) for name, scores in results.items()})
        return
    for name, scores in results.items():
        _print_table(scores, name)


def _rows(scores: Sequence[BenchmarkScore]) -> list[dict[str, object]]:
    from attrs import asdict

    return [asdict(score) for score in scores]


def _write(scores: Sequence[BenchmarkScore], output: Path | None) -> None:
    from kgscripts.evaluation.events.extraction import scores_as_json

    if output is not None:
        write_lines(output, scores_as_json(scores).splitlines())


def _print_table(scores: Sequence[BenchmarkScore], title: str) -> None:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("dataset", "split", "metric"):
        table.add_column(heading)
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("exposure")
    for score in scores:
        table.add_row(score.dataset, score.split, score.metric, f"{score.value:.2f}", score.unit, score.exposure)
    console().print(table)
