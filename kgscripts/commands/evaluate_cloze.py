"""`kgscripts evaluate cloze`: the cloze task on concrete instructions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, ScoresFile
from schemas.output_files import check_outputs, new_file, write_lines
from schemas.terminal import echo_json, json_text, progress_bar

if TYPE_CHECKING:
    from kgscripts.corpora.pairs.pair import Pair
    from kgscripts.evaluation.cloze.filling import Candidates
    from kgscripts.evaluation.cloze.scores import ClozeScores

_MODEL_HELP = (
    "A checkpoint directory, a model that ships (transducer, masked), or hf:NAME for a Hugging Face causal language "
    "model. The suffix :left hides the right side of each blank; with :viterbi a transducer fills each blank from one "
    "alignment, as published. May be repeated."
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
    as_json: AsJson = False,
    output: ScoresFile = None,
    predictions_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the predictions for every blank as JSON lines.")
    ] = None,
    examples: Annotated[int, typer.Option(min=0, metavar="N", help="Print N pairs as filled by the model.")] = 0,
    attach_as: AttachAs = None,
    seed: Annotated[int, typer.Option(help="Seed of the samples of the greedy setup, and of the examples.")] = 1931,
) -> None:
    """Evaluate models on the cloze task: match, top-5 precision and surprisal (KidsCook, Table 4).

    Oracle: earlier blanks contain the gold words. Greedy: they contain the model's own. The published scores are
    printed above; those models see only the left side of a blank.
    """
    from kgscripts.commands.evaluate_cloze_output import Examples, Predictions, print_cloze_table
    from kgscripts.corpora.pairs.cloze_items import cloze_items
    from kgscripts.corpora.pairs.loading import load_pairs
    from kgscripts.evaluation.cloze.models import VITERBI, checkpoint_name, open_cloze_model
    from kgscripts.evaluation.cloze.scores import is_published_task
    from kgscripts.evaluation.cloze.task import PASSES, evaluate_cloze
    from kgscripts.models.checkpoint import attach_scores
    from kgscripts.models.registry import find_checkpoint

    if attach_as and any(name.endswith(VITERBI) for name in model):
        raise typer.BadParameter(f"not with {VITERBI}: cards have default scores", param_hint="--attach-as")
    check_outputs(output, predictions_out, inputs=[templates, whitelist, *map(checkpoint_name, model)])
    pairs = load_pairs([templates]).pairs
    candidates = _candidates(pairs, whitelist)
    models = [open_cloze_model(name) for name in model]
    items = cloze_items(pairs)
    hidden = sum(len(item.blanks) for item in items)
    shown = [Examples(items, examples, seed) for _ in models]
    results: list[ClozeScores] = []
    with _opened(predictions_out) as stream, progress_bar() as progress:
        predictions = Predictions(stream, candidates)
        for loaded, drawn in zip(models, shown, strict=True):
            task = progress.add_task(loaded.name, total=PASSES * hidden)
            listeners = (partial(predictions.write, loaded.name), drawn.offer)
            advance = partial(progress.advance, task)
            scores = evaluate_cloze(loaded, pairs, candidates, seed=seed, on_words=advance, on_filled=listeners)
            results.append(scores)
    if attach_as:
        split = templates.name.split(".")[0]
        for name, scores in zip(model, results, strict=True):
            attach_scores(
                find_checkpoint(checkpoint_name(name)), scores.benchmark_scores(templates.name, split, attach_as)
            )
    if as_json or output is not None:
        origin = {"templates": templates.name, "whitelist": whitelist.name if whitelist else None}
        rows = [{"source": name, **scores.as_json(), **origin} for name, scores in zip(model, results, strict=True)]
        content = rows[0] if len(rows) == 1 else rows
        if output is not None:
            write_lines(output, [json_text(content)])
        if as_json:
            echo_json(content)
            return
    print_cloze_table(results, comparable=is_published_task(templates, whitelist))
    for loaded, drawn in zip(models, shown, strict=True):
        drawn.print(loaded.name)


@contextmanager
def _opened(predictions: Path | None) -> Iterator[IO[str] | None]:
    """The new file of predictions, open for writing; None if none is wanted."""
    if predictions is None:
        yield None
        return
    with new_file(predictions) as temporary, temporary.open("w", encoding="utf-8") as stream:
        yield stream


def _candidates(pairs: Sequence[Pair], whitelist: Path | None) -> Candidates:
    from kgscripts.corpora.pairs.cloze_items import blank_words, cloze_items
    from kgscripts.corpora.pairs.loading import read_whitelist
    from kgscripts.evaluation.cloze.filling import Candidates

    return Candidates(read_whitelist(whitelist) if whitelist is not None else blank_words(cloze_items(pairs)))
