"""Training of the aligner: first on hidden anchors, then on labelled words."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence

import torch
from attrs import asdict, frozen
from torch import Tensor, nn

from kgscripts.corpora.gold_alignments import GoldAlignment
from kgscripts.corpora.pair import Pair
from kgscripts.models.aligner import KIND, PathSettings
from kgscripts.models.aligner_inputs import AlignerBatch
from kgscripts.models.aligner_network import AlignerNetwork
from kgscripts.models.checkpoint_directory import Checkpoint, ModelCard
from kgscripts.models.encoder import load_encoder
from lightning_modules.aligner.examples import Example, anchor_example, batches, labelled_example
from schemas.errors import ModelError

_WARM_UP = 0.1
_IMPOSSIBLE = -1e4
_PATH = PathSettings(sharpness=0.6, shift_probability=0.5)


@frozen(kw_only=True)
class Stage:
    """So many steps on batches of so many pairs; the learning rate rises to `rate` and falls again."""

    steps: int
    batch: int
    rate: float


@frozen(kw_only=True)
class TrainingSettings:
    """All that decides the result beside the data. `path` was chosen on labelled train pairs that were held out."""

    layers: int = 4
    rank: int = 32
    size: int = 128
    anchors: Stage = Stage(steps=322, batch=24, rate=1.5e-3)
    labels: Stage = Stage(steps=240, batch=16, rate=5e-4)
    path: PathSettings = _PATH
    seed: int = 1931


def train_aligner(
    pairs: Sequence[Pair],
    labels: Sequence[GoldAlignment],
    settings: TrainingSettings,
    *,
    command: str,
    on_step: Callable[[str, int, float], None],
) -> Checkpoint:
    """Train on `pairs`, of which `labels` label rows. `on_step` hears the stage, its step and the loss.

    Raises ModelError where a loss is not finite.
    """
    torch.manual_seed(settings.seed)
    draw = random.Random(settings.seed)
    started = time.monotonic()
    network = AlignerNetwork(load_encoder(), layers=settings.layers, rank=settings.rank, size=settings.size)
    losses = {
        "anchors": _run(network, "anchors", settings.anchors, _anchor_batches(pairs, settings, draw), on_step),
        "labels": _run(network, "labels", settings.labels, _labelled_batches(pairs, labels, settings, draw), on_step),
    }
    words = sum(len(label.aligned) for label in labels)
    card = ModelCard(
        name="aligner",
        version="1",
        task="alignment of concrete with abstract instructions",
        licence="Apache-2.0; trained on text for research use",
        data=f"{len(pairs):,} pairs of KidsCook (research use), {words:,} words of {len(labels)} of them labelled; "
        "starts from all-MiniLM-L6-v2 (Apache-2.0)",
        command=command,
        training={
            "settings": asdict(settings),
            "last losses": {name: round(loss, 4) for name, loss in losses.items()},
            "minutes": round((time.monotonic() - started) / 60, 1),
        },
    )
    return Checkpoint(
        kind=KIND,
        settings={"layers": settings.layers, "rank": settings.rank, "size": settings.size, **asdict(settings.path)},
        tensors={name: tensor.detach().half() for name, tensor in network.trained_tensors().items()},
        card=card,
    )


def _anchor_batches(pairs: Sequence[Pair], settings: TrainingSettings, draw: random.Random) -> Iterator[list[Example]]:
    lengths = [len(pair.abstract) + len(pair.concrete) for pair in pairs]
    for rows in batches(lengths, settings.anchors.batch, draw):
        yield [anchor_example(pairs[row], draw) for row in rows]


def _labelled_batches(
    pairs: Sequence[Pair], labels: Sequence[GoldAlignment], settings: TrainingSettings, draw: random.Random
) -> Iterator[list[Example]]:
    lengths = [len(pairs[label.row - 1].concrete) for label in labels]
    for rows in batches(lengths, settings.labels.batch, draw):
        yield [labelled_example(pairs[labels[row].row - 1], labels[row], draw) for row in rows]


def _run(
    network: AlignerNetwork,
    name: str,
    stage: Stage,
    examples: Iterator[list[Example]],
    on_step: Callable[[str, int, float], None],
) -> float:
    """One stage; gives the mean loss of its last twenty steps."""
    parameters = list(network.trained_tensors().values())
    optimiser = torch.optim.AdamW(parameters, lr=stage.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, stage.rate, total_steps=stage.steps + 1, pct_start=_WARM_UP
    )
    network.train()
    losses = []
    for step in range(1, stage.steps + 1):
        loss = _loss(network, next(examples))
        if not loss.isfinite():
            raise ModelError(f"the loss is {loss.item()}", where=f"{name}, step {step}", remedy="lower the rate")
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        on_step(name, step, losses[-1])
    network.eval()
    return sum(losses[-20:]) / max(1, len(losses[-20:]))


def _loss(network: AlignerNetwork, examples: Sequence[Example]) -> Tensor:
    """Mean surprisal of the targets, in nats; a target that several words are accepted for is any of these."""
    pairs = [example.sides.shown() for example in examples]
    windows = [window for row, pair in enumerate(pairs) for window in network.inputs.windows(row, pair)]
    # Training pairs are cut to what one window holds: later windows, if any, are left out.
    first = {window.row: window for window in reversed(windows)}
    batch: AlignerBatch = network.inputs.batch(pairs, [first[row] for row in range(len(pairs))])
    with torch.autocast("cpu", torch.bfloat16):
        scores = network(batch)
    surprisal = scores.float().log_softmax(dim=2)
    targets = [
        (row, target)
        for row, example in enumerate(examples)
        for target in example.targets
        if target.concrete in first[row].concrete and all(place in first[row].abstract for place in target.places)
    ]
    if not targets:
        nothing: Tensor = scores.sum() * 0.0
        return nothing
    own = surprisal[[row for row, _ in targets], [target.concrete for _, target in targets]]
    accepted = torch.full_like(own, _IMPOSSIBLE)
    for at, (row, target) in enumerate(targets):
        accepted[at, [place - first[row].abstract.start for place in target.places]] = 0.0
    weights = torch.tensor([target.weight for _, target in targets])
    mean: Tensor = ((own + accepted).logsumexp(dim=1) * weights).sum() / weights.sum()
    return -mean
