"""`kgscripts train`: training of the models, most of which needs the extra `train`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sized
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.calling import call
from lightning_modules import plain_commands as plain
from lightning_modules.configuration import shipped_configurations
from lightning_modules.options import RunOptions, with_options
from schemas.arguments import path_of
from schemas.errors import ConfigurationError
from schemas.terminal import echo, printable

_LABELLED_SHA256 = "fc5dc28f3bf21672a500916a59ff0307c97cb981bb1919a9cbe1090ddd48fafb"
"""Of KidsCook's `train.template.tsv`, whose rows the labels that ship belong to."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Train models on corpora of your own. A configuration that ships or a TOML file (--config) has the settings, "
    "and --set NAME=VALUE changes one. Each epoch prints how long it took; --max-time ends a run in time, and --resume "
    "continues it.",
    epilog="Example: kgscripts train aligner --train train.template.tsv --out model",
)

Train = Annotated[
    list[Path], typer.Option(metavar="FILE", help="Pairs: TSV, templates, JSON lines or released ids; repeatable.")
]


@with_options("transducer")
def transducer(
    train: Train,
    run: RunOptions,
    glove: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Word vectors: GloVe's text, or infer_glove.npy with i2v.freq.pkl.gz."),
    ] = None,
) -> None:
    """Train a transducer or a baseline (language model, seq2seq) on abstract and concrete instructions.

    On two cores an epoch of KidsCook's 7,200 pairs takes about half a minute; a configuration has at most 50 epochs.
    """
    configuration = run.configuration()
    from kgscripts.corpora.pairs.loading import load_pairs
    from lightning_modules.transducer import TransducerTask

    pairs = run.limited(load_pairs(train))
    run.train(TransducerTask(configuration, pairs, glove), configuration, data=_described("pairs", pairs, train))


@with_options("masked")
def masked(
    train: Annotated[list[Path], typer.Option(metavar="FILE", help="Cloze templates; repeatable.")],
    run: RunOptions,
) -> None:
    """Adapt MiniLM to the blanks of cloze templates: the model that ships as `masked`."""
    configuration = run.configuration()
    from kgscripts.corpora.pairs.loading import load_pairs
    from lightning_modules.masked import MaskedTask

    pairs = run.limited(load_pairs(train))
    run.train(MaskedTask(configuration, pairs), configuration, data=_described("pairs", pairs, train))


@with_options("aligner")
def aligner(
    train: Annotated[
        Path, typer.Option(metavar="FILE", help="Pairs: KidsCook's train.template.tsv, or with --labels others.")
    ],
    run: RunOptions,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Gold alignments of rows of these pairs, instead of ours.")
    ] = None,
) -> None:
    """Train the aligner that ships: MiniLM with adapters, on labelled words and on words that both sides have.

    Takes about three minutes on one core. Labels are those of train pairs; no model is trained on what it is
    evaluated on.
    """
    configuration = run.configuration()
    from kgscripts.corpora.pairs.loading import load_pairs
    from kgscripts.reproductions.kidscook.alignments.gold import read_gold_alignments
    from lightning_modules.aligner.task import AlignerTask
    from schemas.graph_directory import file_digest

    pairs = load_pairs([train])
    if labels is None and file_digest(train) != _LABELLED_SHA256:
        raise ConfigurationError(
            "the labels that ship belong to KidsCook's train.template.tsv, as released",
            where=str(train),
            remedy="name labels of these pairs with --labels",
        )
    shipped = Path(str(resources.files("lightning_modules.aligner") / "data" / "labels.jsonl"))
    alignments = run.limited(read_gold_alignments(labels or shipped, pairs))
    words = sum(len(label.aligned) for label in alignments)
    data = f"{_described('pairs', pairs, [train])}, {words:,} words of {len(alignments)} of them labelled"
    run.train(AlignerTask(pairs, alignments), configuration, data=f"{data}; starts from all-MiniLM-L6-v2")


@with_options("state-changes")
def state_changes(
    train: Annotated[
        list[Path], typer.Option(metavar="PATH", help="Steps with changes: OpenPI, a folder or a file; repeatable.")
    ],
    run: RunOptions,
) -> None:
    """Train a model of state changes on steps of OpenPI.

    The configuration `retrieval` is built in one pass of about a minute on one core, and has no epochs to resume.
    """
    configuration = run.configuration()
    if configuration.kind == "retrieval" and (run.resume or run.max_time):
        message = "retrieval is built in one pass, which cannot be resumed"
        raise ConfigurationError(message, remedy="leave out --resume and --max-time")
    from kgscripts.models.checkpoint import save_checkpoint
    from lightning_modules.state_changes.composer_task import ComposerTask
    from lightning_modules.state_changes.task import build_retrieval, read_steps

    steps = run.limited(read_steps(train))
    data = f"{_described('steps', steps, train)} (OpenPI, MIT)"
    if configuration.kind == "retrieval":
        card = run.card(configuration, ComposerTask.purpose, "MIT", data)
        save_checkpoint(build_retrieval(steps, configuration.training, card), run.out)
        echo(f"{printable(str(run.out))}: {data}")
        return
    run.train(ComposerTask(configuration, steps), configuration, data=data)


@with_options("changes")
def changes(run: RunOptions) -> None:
    """Train the generator of state changes, over the reader that ships.

    It learns from the passages that ship with labels.
    """
    configuration = run.configuration()
    from lightning_modules.changes.task import ChangeTask

    task = ChangeTask(configuration.name, run.limit)
    texts = [*task.split.train, *task.split.held_out]
    events = sum(len(text.events) for text in texts)
    run.train(task, configuration, data=f"{len(texts):,} passages, the changes of {events:,} events")


@with_options("reader")
def reader(
    run: RunOptions,
    procedures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="wikihow-fg.jsonl, easdrl.jsonl and wet-lab.jsonl.")
    ] = None,
    recipe_flow: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The Recipe Flow Graph corpus: train.conllu.")
    ] = None,
    inscript: Annotated[Path | None, typer.Option(metavar="DIR", help="Stories of InScript: its train split.")] = None,
    start: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="Begin with the weights of this reader instead of MiniLM's.")
    ] = None,
) -> None:
    """Train the reader: events of a text, how real they are, and what has a part in them.

    It learns from the labelled passages that ship and, where they are named, from annotations of research. The last
    fifth of each set of --procedures is left out, for `evaluate procedures`.
    """
    configuration = run.configuration()
    from kgscripts.models.checkpoint import load_checkpoint
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.reproductions.reader.gold import (
        labelled_passages,
        read_sets,
        recipes,
        shipped_passages,
        stories,
        varied,
    )
    from kgscripts.reproductions.reader.lists import listed_texts
    from lightning_modules.reader.task import ReaderTask

    # First, since reading what ships takes a minute.
    begun = None if start is None else load_checkpoint(find_checkpoint(start, "reader"))
    annotated = [
        *([] if procedures is None else read_sets(procedures).train),
        *([] if recipe_flow is None else recipes(recipe_flow)),
        *([] if inscript is None else stories(inscript)),
    ]
    texts = run.limited([*varied(labelled_passages(shipped_passages())), *listed_texts(), *annotated])
    counts = Counter(text.set for text in texts)
    data = ", ".join(f"{number:,} of {name}" for name, number in counts.items())
    run.train(ReaderTask(configuration.name, texts, begun), configuration, data=f"texts: {data}")


@with_options("scenarios")
def scenarios(
    train: plain.Stories,
    development: plain.Development,
    run: RunOptions,
    held_out: Annotated[
        list[Path],
        typer.Option(metavar="FILE|DIR", help="Documents to evaluate on, made of stories not to train on; repeatable."),
    ] = [],  # noqa: B006  (typer's own)
) -> None:
    """Train a model that finds the passages of a text that are about an everyday scenario.

    `detector` learns from passages that were written for it and from the stories with a scenario; `topic-tiling` learns
    topics from all stories, and labels from those with a scenario. The development documents decide which segments are
    about no scenario, and when the training of `topic-tiling` ends. Stories that they are made of are not trained on.
    """
    configuration = run.configuration()
    from lightning_modules.scenarios.detector_task import DetectorTask
    from lightning_modules.scenarios.stories import StoryFiles
    from lightning_modules.scenarios.tiling_task import TilingTask, check_library

    is_detector = configuration.kind == "detector"
    if not is_detector:
        check_library()
    files = StoryFiles.read(train, development, held_out, limit=run.limit)
    task = (DetectorTask if is_detector else TilingTask)(configuration, files)
    run.train(task, configuration, data=files.description)


@with_options("step-encoder")
def step_encoder(run: RunOptions) -> None:
    """Train the encoder whose vectors `train steps` compares.

    It learns from event sequence descriptions that were written for it, and ship with the package.
    """
    configuration = run.configuration()
    from lightning_modules.steps.encoder_task import EncoderTask
    from lightning_modules.steps.task import written_texts

    task = EncoderTask(configuration.name, run.limited(written_texts()))
    number = len(task.split.train) + len(task.split.held_out)
    run.train(task, configuration, data=f"{number} scenarios that were written for training")


@with_options("steps")
def steps(
    descript: plain.Descript,
    inscript: plain.Inscript,
    run: RunOptions,
    encoder: plain.Encoder = "default",
) -> None:
    """Train the model that merges the steps of a scenario that mean the same.

    It learns from paraphrase sets, from the event labels of stories, and from event sequence descriptions that were
    written for it, a tenth of whose scenarios decides which weights are kept.
    """
    configuration = run.configuration()
    from kgscripts.models.steps.encoder import read_encoder
    from lightning_modules.steps.task import StepScenarios, StepTask

    vectors = read_encoder(encoder)
    corpora = StepScenarios.read(descript, inscript, limit=run.limit)
    data = (
        f"{len(corpora.descript)} scenarios of DeScript's gold paraphrase sets, {len(corpora.inscript)} of InScript, "
        f"and {len(corpora.written)} that were written for training"
    )
    run.train(StepTask(configuration, corpora, vectors), configuration, data=data)


def _described(what: str, items: Sized, paths: list[Path]) -> str:
    """How many items, and of which files."""
    return f"{len(items):,} {what} of {', '.join(path.name for path in paths)}"


_EXAMPLES = {
    "transducer": (transducer, "--config transducer-fixed --train pairs.tsv --out model"),
    "masked": (masked, "--train templates.tsv --out model"),
    "aligner": (aligner, "--train train.template.tsv --out model"),
    "state-changes": (state_changes, "--config retrieval --train openpi/gold/train --out model"),
    "changes": (changes, "--out changes"),
    "reader": (reader, "--procedures procedures --recipe-flow train.conllu --inscript inscript/train --out model"),
    "scenarios": (scenarios, "--train labelled-data.xml --development docs.jsonl --out model"),
    "scenario-calibration": (plain.scenario_calibration, "--model model --development docs.jsonl --out model"),
    "step-encoder": (step_encoder, "--out encoder"),
    "steps": (steps, "--descript gold_paraphrase_sets --inscript inscript --out model"),
    "tools": (plain.tools, "--out model"),
    "text": (plain.text, "--treebanks treebanks --out pipeline"),
    "typicality": (plain.typicality, "--inscript inscript --out weights.json"),
    "importance": (plain.importance, "mcscript-graph descript-graph --out importance.json"),
    "cross-validate": (plain.cross_validate, "--train labelled-data.xml --development docs.jsonl"),
    "cross-validate-steps": (
        plain.cross_validate_steps,
        "--descript gold_paraphrase_sets --inscript inscript",
    ),
}
for _name, (_command, _example) in _EXAMPLES.items():
    _names = ", ".join(shipped_configurations(_name))
    _configurations = f"Configurations that ship: {_names}.\n\n" if _names else ""
    app.command(_name, epilog=f"{_configurations}Example: kgscripts train {_name} {_example}")(_command)


def train(task: str, *, out: str | Path, **options: object) -> Path:
    """Train a model as ``kgscripts train TASK`` does into `out`, and return it: `load_model` loads it from there.

    ``train("masked", train="templates.tsv", out="model", epochs=3, set={"learning_rate": 1e-4})``: `options` are those
    of the command, as for `evaluate`. Epochs are shown on standard error.

    Raises ConfigurationError as `evaluate`, InputError for data that cannot be read, and ModelError if the extra
    ``train`` is not installed or the run cannot go on.
    """
    place = path_of("out", out)
    call(app, task, {"out": place, **options})
    return place
