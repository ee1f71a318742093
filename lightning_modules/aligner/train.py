"""Training of the aligner: on labelled words and, beside them, on hidden anchors."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import torch
from attrs import asdict, frozen
from torch import Tensor, nn

from kgscripts.corpora.gold_alignments import GoldAlignment
from kgscripts.corpora.pair import Pair
from kgscripts.models.aligner import KIND, PathSettings
from kgscripts.models.aligner_network import AlignerNetwork
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import load_encoder
from lightning_modules.aligner.examples import Example, anchor_example, batches, labelled_example
from schemas.errors import ModelError

_WARM_UP = 0.15
_IMPOSSIBLE = -1e4
_PATH = PathSettings(smoothing=0.02, shift_probability=0.9)


@frozen(kw_only=True)
class TrainingSettings:
    """All that decides the result beside the data; chosen on labelled train pairs that were held out.

    Each step sees `labelled` labelled pairs and `anchored` others, whose loss counts `anchor_weight`. The learning rate
    rises to `rate` and falls again.
    """

    layers: int = 4
    rank: int = 32
    size: int = 128
    steps: int = 240
    labelled: int = 16
    anchored: int = 8
    anchor_weight: float = 0.3
    rate: float = 1e-3
    path: PathSettings = _PATH
    seed: int = 1931


def train_aligner(
    pairs: Sequence[Pair],
    labels: Sequence[GoldAlignment],
    settings: TrainingSettings,
    *,
    command: str,
    on_step: Callable[[float], None],
) -> Checkpoint:
    """Train on `pairs`, of which `labels` label rows. `on_step` hears the loss of each step.

    Raises ModelError where a loss is not finite.
    """
    torch.manual_seed(settings.seed)
    started = time.monotonic()
    network = AlignerNetwork(load_encoder(), layers=settings.layers, rank=settings.rank, size=settings.size)
    parameters = list(network.trained_tensors().values())
    optimiser = torch.optim.AdamW(parameters, lr=settings.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, settings.rate, total_steps=settings.steps + 1, pct_start=_WARM_UP
    )
    network.train()
    losses: list[float] = []
    for labelled, anchored in islice(_batches(pairs, labels, settings), settings.steps):
        loss = _loss(network, labelled) + settings.anchor_weight * _loss(network, anchored)
        if not loss.isfinite():
            where = f"step {len(losses) + 1} ({', '.join(example.where for example in (*labelled, *anchored))})"
            raise ModelError(f"the loss is {loss.item()}", where=where, remedy="look at these pairs and their labels")
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        on_step(losses[-1])
    network.eval()
    words = sum(len(label.aligned) for label in labels)
    card = ModelCard(
        name="aligner",
        version="1",
        task="alignment of concrete with abstract instructions",
        licence="research use, as the terms of its training data are not stated",
        data=f"{len(pairs):,} pairs, {words:,} words of {len(labels)} of them labelled; starts from all-MiniLM-L6-v2",
        command=command,
        training={
            **asdict(settings, filter=lambda attribute, _: attribute.name != "path"),
            "last_loss": round(sum(losses[-20:]) / max(1, len(losses[-20:])), 4),
            "minutes": round((time.monotonic() - started) / 60, 1),
        },
    )
    return Checkpoint(
        kind=KIND,
        settings={"layers": settings.layers, "rank": settings.rank, "size": settings.size, **asdict(settings.path)},
        tensors={name: tensor.detach().half() for name, tensor in network.trained_tensors().items()},
        card=card,
    )


def _batches(
    pairs: Sequence[Pair], labels: Sequence[GoldAlignment], settings: TrainingSettings
) -> Iterator[tuple[list[Example], list[Example]]]:
    """Labelled examples, and anchors of any pairs, without an end."""
    draw = random.Random(settings.seed)
    for rows in batches([len(pairs[label.row - 1].concrete) for label in labels], settings.labelled, draw):
        labelled = [labelled_example(pairs[labels[row].row - 1], labels[row], draw) for row in rows]
        yield labelled, [anchor_example(pairs[draw.randrange(len(pairs))], draw) for _ in range(settings.anchored)]


def _loss(network: AlignerNetwork, examples: Sequence[Example]) -> Tensor:
    """Mean surprisal of the targets, in nats; a target that several words are accepted for is any of these."""
    pairs = [example.sides.shown() for example in examples]
    windows = [window for row, pair in enumerate(pairs) for window in network.inputs.windows(row, pair)]
    # Training pairs are cut to what one window holds: later windows, if any, are left out.
    first = {window.row: window for window in reversed(windows)}
    batch = network.inputs.batch(pairs, [first[row] for row in range(len(pairs))])
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
