"""Training of the reader: windows of labelled texts in batches, the LightningModule and the task."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import torch
from attrs import frozen
from torch import Tensor
from torch.nn import functional

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.quantised import as_floats, with_scales
from kgscripts.models.reader.labels import FLAGS, GRAPH, LISTS, NEEDED, NONE, PAIRS, REFERENT, WORDS
from kgscripts.models.reader.reader import ENCODER, KIND, Temperatures
from kgscripts.models.reader.windows import Pieces, Window
from kgscripts.reproductions.reader.gold import LabelledText
from kgscripts.reproductions.reader.partial_labels import is_grammar, is_unknown, pair_masks, surprisal, word_masks
from kgscripts.reproductions.torch_networks.bert import load_bert
from kgscripts.reproductions.torch_networks.inference import padded
from lightning_modules.module import Loss, Split, TrainingBatch, TrainingData, TrainingModule, length_batches, split
from lightning_modules.reader.network import ReaderNetwork, ReaderSettings, WindowBatch
from lightning_modules.task_settings import ReaderTrainingSettings

_EMBEDDINGS = f"{ENCODER}embeddings.word_embeddings."
"""They stay those of MiniLM, and are not stored."""

_TEMPERATURES = [round(0.5 + 0.05 * step, 2) for step in range(51)]


@frozen(eq=False)
class ReaderExample:
    """A window of a labelled text."""

    text: LabelledText
    window: Window


@frozen(eq=False)
class ReaderBatch(TrainingBatch):
    """Windows of one set with gold labels.

    `words` (rows, words) are the numbers of labels, -1 where a word is only context; `flags` (rows, words, flags);
    `auxiliary` (rows, words) says whose labels say nothing about those of a graph, and `grammar` (rows, words) which
    words have none there;
    `row` and `place` (predicates,) are predicates, `pairs` (predicates, words) their pairs' labels by number.
    """

    set: str
    windows: WindowBatch
    words: Tensor
    flags: Tensor
    auxiliary: Tensor
    grammar: Tensor
    row: Tensor
    place: Tensor
    pairs: Tensor


class ReaderData(TrainingData[ReaderExample]):
    """Batches of windows, each of one set."""

    def __init__(
        self, parts: Split[LabelledText], pieces: Pieces, padding: int, settings: ReaderTrainingSettings
    ) -> None:
        train = _repeated(self._windows(parts.train, pieces), settings.least_share)
        super().__init__(Split(train, self._windows(parts.held_out, pieces)), settings)
        self._padding = padding

    @property
    def batches_per_epoch(self) -> int:
        """See `TrainingData`."""
        # The last batch of each set may be short: there are more than examples divided by the size.
        return len(self.batches(self._parts.train, None))

    def batches(self, examples: Sequence[ReaderExample], draw: random.Random | None) -> list[list[ReaderExample]]:
        """See `TrainingData`; only windows of one set are together."""
        of_set: dict[str, list[ReaderExample]] = defaultdict(list)
        for example in examples:
            of_set[example.text.set].append(example)
        batches = []
        for of_one_set in of_set.values():
            batches += length_batches(
                of_one_set, [(len(example.window.pieces),) for example in of_one_set], self._size, draw
            )
        if draw is not None:
            draw.shuffle(batches)
        return batches

    def collate(self, examples: Sequence[ReaderExample]) -> ReaderBatch:
        """See `TrainingData`."""
        name = examples[0].text.set
        longest = max(len(example.window.spans) for example in examples)
        flags = torch.zeros(len(examples), longest, len(FLAGS))
        words: list[list[int]] = []
        auxiliary: list[list[int]] = []
        grammar: list[list[int]] = []
        predicates: list[tuple[int, int]] = []
        pairs: list[Tensor] = []
        for row, example in enumerate(examples):
            text, window = example.text, example.window
            inside = range(window.first, window.first + len(window.spans))
            own_words = range(window.own, inside.stop)
            known = [WORDS[name].index(text.words.get(number, NONE)) for number in own_words]
            words.append([-1] * (own_words.start - inside.start) + known)
            grammar.append([is_grammar(text.text.all_words[number]) for number in inside])
            auxiliary.append([name != LISTS and is_unknown(text, number) for number in inside])
            for flag, numbers in enumerate(text.flags.get(kind, frozenset()) for kind in FLAGS):
                for number in numbers & frozenset(inside):
                    flags[row, number - inside.start, flag] = 1
            for predicate, things in text.pairs.items():
                if predicate in own_words:
                    gold = torch.full((longest,), -1, dtype=torch.int64)
                    gold[: len(inside)] = 0
                    for thing, label in things.items():
                        if thing in inside:
                            gold[thing - inside.start] = PAIRS[name].index(label)
                    predicates.append((row, predicate - inside.start))
                    pairs.append(gold)
        at = torch.tensor(predicates, dtype=torch.int64).reshape(-1, 2)
        return ReaderBatch(
            where=tuple(sorted({example.text.id for example in examples})),
            set=name,
            windows=WindowBatch.of([example.window for example in examples], longest, self._padding),
            words=padded(words, longest, -1)[0],
            flags=flags,
            auxiliary=padded(auxiliary, longest)[0].bool(),
            grammar=padded(grammar, longest)[0].bool(),
            row=at[:, 0],
            place=at[:, 1],
            pairs=torch.stack(pairs) if pairs else torch.zeros(0, longest, dtype=torch.int64),
        )

    @staticmethod
    def _windows(texts: Sequence[LabelledText], pieces: Pieces) -> list[ReaderExample]:
        return [ReaderExample(text, window) for text in texts for window in pieces.windows(text.text)]


def _repeated(examples: Sequence[ReaderExample], least: float) -> list[ReaderExample]:
    """The examples, those of small sets as often as makes them this share of all."""
    counts = Counter(example.text.set for example in examples)
    times = {name: max(1, round(least * len(examples) / count)) for name, count in counts.items()}
    return [example for example in examples for _ in range(times[example.text.set])]


class ReaderModule(TrainingModule):
    """Minimises the surprisal of the labels of words, flags and pairs of words."""

    network: ReaderNetwork
    _settings: ReaderTrainingSettings

    def loss(self, batch: ReaderBatch) -> Loss:
        """See `TrainingModule`; per word, pairs of a predicate being as much as `pair_weight` words."""
        states = self.network.states(batch.windows)
        is_own = batch.words >= 0
        words = self.network.words(states, batch.set)[is_own]
        count = max(1, len(words))
        total = functional.cross_entropy(words.float(), batch.words[is_own], reduction="sum")
        if batch.set == GRAPH:
            flags = self.network.flags(states)[is_own].float()
            total = total + functional.binary_cross_entropy_with_logits(flags, batch.flags[is_own], reduction="sum")
        else:
            total = total + self._settings.partial_weight * self._partial_words(batch, states, is_own)
        if len(batch.row) and batch.set in self.network.pair_layers:
            parts = self.network.parts(states)
            known = batch.pairs >= 0
            scores = self.network.pairs(parts, batch.row, batch.place, batch.set).float()
            of_pairs = functional.cross_entropy(scores[known], batch.pairs[known], reduction="sum")
            if REFERENT in PAIRS[batch.set]:
                of_pairs = of_pairs + _of_referents(scores, batch.pairs, PAIRS[batch.set].index(REFERENT))
            if batch.set != GRAPH:
                of_pairs = of_pairs + self._settings.partial_weight * self._partial_pairs(batch, parts, known)
            total = total + self._settings.pair_weight * of_pairs
        return Loss(total / count, count)

    def _partial_words(self, batch: ReaderBatch, states: Tensor, is_own: Tensor) -> Tensor:
        """The surprisal of what labels of another set leave of the labels of a graph."""
        scores, flags = self.network.words(states, GRAPH).float(), self.network.flags(states).float()
        total = _of_nothing(scores[is_own & batch.grammar])
        known = is_own & ~batch.auxiliary & ~batch.grammar
        if (masks := word_masks(batch.set)) is not None:
            total = total + surprisal(scores[known], batch.words[known], masks)
        # Neither verbs nor words of grammar are what is needed.
        other = is_own & (batch.grammar | (batch.words == 1))
        return total + functional.softplus(flags[other][:, FLAGS.index(NEEDED)]).sum()

    def _partial_pairs(self, batch: ReaderBatch, parts: tuple[Tensor, Tensor], known: Tensor) -> Tensor:
        """The same of pairs."""
        scores = self.network.pairs(parts, batch.row, batch.place, GRAPH).float()
        places = torch.arange(known.shape[1], device=known.device)
        nothing = known & (batch.grammar[batch.row] | (places[None] == batch.place[:, None]))
        total = _of_nothing(scores[nothing])
        if (masks := pair_masks(batch.set)) is not None:
            left = known & ~nothing
            total = total + surprisal(scores[left], batch.pairs[left], masks)
        return total

    def trained_state(self) -> Mapping[str, Tensor]:
        """All but the embeddings of pieces, which stay those of MiniLM."""
        return {name: value for name, value in self.network.state_dict().items() if not name.startswith(_EMBEDDINGS)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `TrainingModule`."""
        embeddings = {name: value for name, value in self.network.state_dict().items() if name.startswith(_EMBEDDINGS)}
        self.network.load_state_dict({**embeddings, **state})

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The layers of words and pairs learn faster than the encoder, which has been trained before."""
        encoder = [parameter for parameter in self.network.bert.parameters() if parameter.requires_grad]
        known = set(map(id, encoder))
        others = [parameter for parameter in self.trained_parameters() if id(parameter) not in known]
        rate = self._settings.learning_rate
        return [{"params": encoder, "lr": rate}, {"params": others, "lr": rate * self._settings.faster}]


class ReaderTask:
    """Learns to read from labelled texts of several sets; see `TrainingTask`. `start` is a reader to begin with instead
    of MiniLM. Of the passages that ship alone, under CC0, the weights have the licence of MiniLM."""

    purpose = "events, their reality and roles"

    def __init__(self, name: str, texts: Sequence[LabelledText], start: Checkpoint | None = None) -> None:
        self.name = name
        self.start = start
        is_free = start is None and {text.set for text in texts} <= {GRAPH, LISTS}
        self.licence = "Apache-2.0" if is_free else "CC-BY-NC-SA-3.0"
        self.split = split(texts, lambda text: f"{text.set} {text.id}")
        read = [attrs.asdict(text) for text in (*self.split.train, *self.split.held_out)]
        content = json.dumps(read, default=sorted)  # sets of numbers
        started = {} if start is None else {"start": start.card.training["run"]}
        self.inputs = {"texts": hashlib.sha256(content.encode()).hexdigest(), **started}

    def prepare(self, settings: ReaderTrainingSettings) -> tuple[ReaderModule, ReaderData]:
        """See `TrainingTask`."""
        encoder = load_bert()
        data = ReaderData(self.split, Pieces(encoder), encoder.padding, settings)
        encoder.network.requires_grad_(True).embeddings.word_embeddings.requires_grad_(False)
        sizes = ReaderSettings(pair_size=settings.pair_size, words=WORDS, flags=FLAGS, pairs=PAIRS)
        module = ReaderModule(ReaderNetwork(encoder.network, sizes), settings)
        if self.start is not None:
            initial = module.network.state_dict()
            stored = {name: torch.from_numpy(value) for name, value in as_floats(self.start.tensors).items()}
            fitting = {name: value for name, value in stored.items() if value.shape == initial[name].shape}
            # Layers whose labels are others by now begin anew.
            module.restore({**module.trained_state(), **fitting})
        return module, data

    def checkpoint(self, module: ReaderModule, settings: ReaderTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        sizes = ReaderSettings(pair_size=settings.pair_size, words=WORDS, flags=FLAGS, pairs=PAIRS)
        data = ReaderData(self.split, Pieces(load_bert()), load_bert().padding, settings)
        stored = {
            "temperatures": attrs.asdict(temperatures_of(module, data)),
            "sizes": {**attrs.asdict(sizes), "words": _lists(WORDS), "pairs": _lists(PAIRS)},
            "encoder_sha256": load_bert().digest,
        }
        tensors = {name: value.detach().cpu().numpy() for name, value in module.trained_state().items()}
        quantised = with_scales(tensors, f"{ENCODER}encoder.")
        return Checkpoint(kind=KIND, settings=stored, tensors=quantised, card=card)


def temperatures_of(module: ReaderModule, data: ReaderData) -> Temperatures:
    """The temperatures with which held-out labels of the graph's annotation are the most probable."""
    network = module.network.train(False)
    words: list[tuple[Tensor, Tensor]] = []
    pairs: list[tuple[Tensor, Tensor]] = []
    flags: list[tuple[Tensor, Tensor]] = []
    with torch.inference_mode():
        for batch in map(data.collate, data.held_out_batches()):
            if batch.set != GRAPH:
                continue
            batch = batch.to(next(network.parameters()).device)
            states, is_own = network.states(batch.windows), batch.words >= 0
            words.append((network.words(states, GRAPH)[is_own], batch.words[is_own]))
            flags.append((network.flags(states)[is_own], batch.flags[is_own]))
            known = batch.pairs >= 0
            scores = network.pairs(network.parts(states), batch.row, batch.place, GRAPH)
            pairs.append((scores[known], batch.pairs[known]))
    if not words:
        return Temperatures()
    return Temperatures(
        words=_temperature(words, functional.cross_entropy),
        pairs=_temperature(pairs, functional.cross_entropy),
        flags=_temperature(flags, functional.binary_cross_entropy_with_logits),
    )


def _of_nothing(scores: Tensor) -> Tensor:
    """The summed surprisal of no label, the first one: `scores` are (items, labels)."""
    return (scores.logsumexp(dim=1) - scores[:, 0]).sum()


def _of_referents(scores: Tensor, gold: Tensor, referent: int) -> Tensor:
    """The summed surprisal of the right thing among all that a pronoun, or nothing, may stand for: things compete.

    `scores` are (predicates, words, labels), `gold` (predicates, words), -1 where there is no word.
    """
    right = gold == referent
    others = scores.clone()
    others[:, :, referent] = -torch.inf
    odds = scores[:, :, referent] - others.logsumexp(dim=-1)
    odds = odds.masked_fill(gold < 0, -torch.inf)
    named = right.any(dim=1)
    best = odds.masked_fill(~right, -torch.inf)[named].logsumexp(dim=1)
    return (odds[named].logsumexp(dim=1) - best).sum()


def _temperature(parts: Sequence[tuple[Tensor, Tensor]], surprisal: Callable[[Tensor, Tensor], Tensor]) -> float:
    scores, gold = (torch.cat(column) for column in zip(*parts, strict=True))
    return min(_TEMPERATURES, key=lambda temperature: float(surprisal(scores.float() / temperature, gold)))


def _lists(labels: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: list(map(str, own)) for name, own in labels.items()}
