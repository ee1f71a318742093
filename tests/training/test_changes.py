"""Training of the generator of state changes: what its examples hold, its batches, and a run from end to end."""

from __future__ import annotations

import math
import random
from pathlib import Path

import attrs
import numpy as np
import pytest
import torch
from torch.nn import functional

from kgscripts.models.changes.generator import Calibration, ChangeQuery, ChangeVocabulary
from kgscripts.models.changes.heads import SCALE
from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.reader.reader import Reader
from kgscripts.models.reader.windows import ReaderText
from kgscripts.models.registry import DEFAULT, describe, load
from kgscripts.reproductions.reader.passages import LabelledChange
from lightning_modules.changes import examples
from lightning_modules.changes.examples import (
    LIKELY_SHARE,
    UNNAMED,
    ChangeEvent,
    ChangeText,
    GoldChange,
    _TextWords,
    labelled_texts,
)
from lightning_modules.changes.network import PairTensors
from lightning_modules.changes.task import (
    ChangeData,
    ChangeExample,
    ChangeModule,
    ChangeTask,
    EventExample,
    vocabulary_of,
)
from lightning_modules.task_settings import ChangeTrainingSettings
from lightning_modules.training import train
from tests.training.corpus import CPU

SETTINGS = ChangeTrainingSettings(
    inner=16,
    dropout=0.0,
    batch_size=400,
    epochs=12,
    patience=12,
    learning_rate=1e-2,
    bias=0.0,
    slope=1.0,
    value_slope=0.0,
)
FOODS = ("egg", "leek", "plum", "carrot", "fish", "apple")
PASSAGE = """## cooking | chat | Supper {number}
Wash the {one} in a bowl.
- Wash do obj:{one} con:bowl
= {one} | wetness | dry -> wet
= {one} | location | elsewhere -> in the bowl
= ? hand | wetness | dry -> wet
Put the {other} into a pot, then wash the {one}.
- Put do obj:{other} dst:pot
= {other} | location | elsewhere -> into the pot
= pot | fullness | empty -> full
- wash do obj:{one}
= {one} | wetness | dry -> wet
Wait for an hour.
- Wait do
= -
"""


def passages(count: int) -> str:
    """Passages in which the same changes happen to several foods."""
    return "\n".join(
        PASSAGE.format(number=number, one=FOODS[number % 6], other=FOODS[(number + 1 + number // 6) % 6])
        for number in range(count)
    )


@pytest.fixture(scope="module")
def reader() -> Reader:
    return load("reader", DEFAULT)


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the eight passages of a training."""
    (tmp_path / "meals.txt").write_text(passages(8), encoding="utf-8")
    monkeypatch.setattr(examples, "shipped_passages", lambda: [tmp_path / "meals.txt"])
    return tmp_path


def test_passages_give_all_changes_of_their_events(sources: Path) -> None:
    found = list(labelled_texts())
    assert [text.id for text in found] == [f"meals {number}" for number in range(1, 9)]
    words, (first, put, wash, wait) = list(found[0].text.all_words), found[0].events
    assert words[:6] == ["Wash", "the", "egg", "in", "a", "bowl"]
    assert [words[event.predicate] for event in found[0].events] == ["Wash", "Put", "wash", "Wait"]
    later = len(words) - 1 - words[::-1].index("egg")
    assert first.changes == [
        GoldChange(2, "wetness", ("dry", None), ("wet", None), 1.0),
        GoldChange(2, "location", ("elsewhere", None), ("in @", 5), 1.0),
        GoldChange(len(words) + UNNAMED.index("hand"), "wetness", ("dry", None), ("wet", None), LIKELY_SHARE),
    ]
    assert first.unknown == {later}
    pot = words.index("pot")
    assert put.changes[0] == GoldChange(words.index("leek"), "location", ("elsewhere", None), ("into @", pot), 1.0)
    assert put.changes[1].thing == pot
    assert [change.thing for change in wash.changes] == [later]
    assert wash.unknown == {2}
    assert (wait.changes, wait.unknown) == ([], frozenset())
    # Where nobody has labelled changes, nothing is said of them.
    plain = "\n".join(line for line in passages(1).splitlines() if not line.startswith("= "))
    (sources / "meals.txt").write_text(plain, encoding="utf-8")
    assert list(labelled_texts()) == []


SOUP = ReaderText(
    "",
    [
        ["You", "need", "eggs", "and", "a", "pan", "."],
        ["Break", "the", "egg", ",", "the", "next", "egg", "and", "the", "edge", "of", "the", "shell", "."],
        ["Fry", "the", "eggs", "in", "the", "pan", "."],
    ],
)


def _place(words: str, which: int = 0) -> int:
    return [number for number, word in enumerate(SOUP.all_words) if word == words][which]


@pytest.mark.parametrize(
    ("thing", "predicate", "parts", "expected"),
    [
        # The nearest one of the sentence, unless another one has a part in the event.
        ("egg", _place("Break"), [], _place("egg", 0)),
        ("egg", _place("Break"), [_place("egg", 1)], _place("egg", 1)),
        ("eggs", _place("Break"), [_place("eggs", 0), _place("egg", 1)], _place("egg", 1)),
        ("egg", _place("Break"), [_place("eggs", 0)], _place("eggs", 0)),
        ("the Egg", _place("Fry"), [], _place("eggs", 1)),
        ("egg", _place("need"), [], _place("eggs", 0)),
        # Of other sentences, one before.
        ("pan", _place("Break"), [], _place("pan", 0)),
        ("pan", _place("Break"), [_place("pan", 1)], _place("pan", 1)),
        ("shell", _place("Fry"), [], _place("shell")),
        ("shell", _place("need"), [], _place("shell")),
        # The head of a phrase is meant.
        ("edges of the shell", _place("Break"), [], _place("edge")),
        ("big fresh egg", _place("Break"), [], _place("egg", 0)),
        # What the text does not name.
        ("you", _place("Break"), [], _place("You")),
        ("cook", _place("Break"), [], SOUP.words),
        ("person", _place("Break"), [], SOUP.words),
        ("hands", _place("Break"), [], SOUP.words + UNNAMED.index("hand")),
        ("spoon", _place("Break"), [], None),
    ],
)
def test_things_are_found_among_the_words(thing: str, predicate: int, parts: list[int], expected: int | None) -> None:
    assert _TextWords.of(SOUP)._find(thing, predicate, frozenset(parts)) == expected


def test_values_without_their_place_say_nothing() -> None:
    labelled = [
        (LabelledChange("egg", "location", "in the fridge", "in the pan", sure=True), 1.0),
        (LabelledChange("spoon", "wetness", "dry", "wet", sure=True), 1.0),
        (LabelledChange("pan", "location", "", "in the pan", sure=True), 0.25),
        (LabelledChange("pan", "location", "In a Hand", "on the shell", sure=True), 0.0),
    ]
    event = _TextWords.of(SOUP).event(_place("Fry"), labelled, frozenset())
    eggs, pan, hand = _place("eggs", 1), _place("pan", 1), SOUP.words + UNNAMED.index("hand")
    assert event.changes == [
        GoldChange(eggs, "location", ("", None), ("in @", pan), 1.0),
        # A thing is not its own place.
        GoldChange(pan, "location", ("", None), ("", None), 0.25),
        GoldChange(pan, "location", ("in @", hand), ("on @", _place("shell")), 0.0),
    ]
    # Other words of the name may be meant as well.
    assert event.unknown == {_place("eggs", 0), _place("egg", 0), _place("egg", 1), _place("pan", 0)}


def _text(*changes: GoldChange, id: str = "one") -> ChangeText:
    return ChangeText(id, SOUP, [ChangeEvent(0, list(changes))])


def test_the_vocabulary_has_what_is_seen_often() -> None:
    wet = GoldChange(1, "wetness", ("dry", None), ("wet", None), 1.0)
    into = GoldChange(1, "location", ("elsewhere", None), ("in @", 4), LIKELY_SHARE)
    rare = GoldChange(1, "color", ("white", None), ("brown", None), 1.0)
    half = attrs.evolve(wet, before=("", None))
    texts = [_text(wet, into, half), _text(into, wet), _text(wet, rare, half), _text(wet, into)]
    assert vocabulary_of(texts, least=3) == ChangeVocabulary(
        ("location", "wetness"), (("wetness", "dry", "wet"), ("location", "elsewhere", "in @")), UNNAMED
    )
    assert vocabulary_of(texts).attributes == ("wetness",)
    assert vocabulary_of(texts, least=1).attributes == ("color", "location", "wetness")
    assert vocabulary_of([]) == ChangeVocabulary((), (), UNNAMED)


@pytest.fixture
def prepared(sources: Path) -> tuple[ChangeTask, ChangeModule, ChangeData]:  # noqa: ARG001
    task = ChangeTask("changes")
    torch.manual_seed(1)
    return task, *task.prepare(SETTINGS)


def _examples(data: ChangeData) -> list[ChangeExample]:
    return [example for part in (data._parts.train, data._parts.held_out) for example in part]


def test_examples_hold_what_is_labelled(prepared: tuple[ChangeTask, ChangeModule, ChangeData]) -> None:
    task, _, data = prepared
    attributes = task.vocabulary.attributes
    assert attributes == ("fullness", "location", "wetness")
    assert task.vocabulary.values[0] == ("wetness", "dry", "wet")
    assert len(task.vocabulary.values) == 4
    of_id = {example.id: example for example in _examples(data)}
    texts = {text.id: text for text in (*task.split.train, *task.split.held_out)}
    assert of_id.keys() == texts.keys()
    for id, example in of_id.items():
        text, count = texts[id].text, len(example.states)
        words = [*text.all_words, *UNNAMED]
        assert count == text.words
        assert len(example.events) == 4
        for event, own in zip(texts[id].events, example.events, strict=True):
            things = own.pairs.thing.tolist()
            assert things[-len(UNNAMED) :] == list(range(count, count + len(UNNAMED)))
            assert len(set(things)) == len(things) == len(own.gold)
            assert set(own.pairs.predicate.tolist()) == {event.predicate}
            assert not {event.predicate, *event.unknown} & set(things)
            held = {(things[row], attributes[number]): float(own.gold[row, number])
                    for row, number in own.gold.nonzero().tolist()}  # fmt: skip
            expected = {(change.thing, change.attribute): change.share for change in event.changes}
            assert held == {key: pytest.approx(share) for key, share in expected.items()}
            stated = {(things[row], task.vocabulary.values[number]) for row, number in own.values.tolist()}
            assert stated == {(change.thing, (change.attribute, change.before[0], change.after[0]))
                              for change in event.changes}  # fmt: skip
            placed = {(words[things[row]], words[things[place]]) for row, place in own.afters.tolist()}
            assert placed == {(words[change.thing], words[change.after[1]])
                              for change in event.changes if change.after[1] is not None}  # fmt: skip
            assert len(own.befores) == 0


def _oracle(module: ChangeModule, example: ChangeExample, event: EventExample, of_attribute: torch.Tensor) -> float:
    """The loss of an event, pair after pair."""
    network = module.network
    words = network.words(example.states.float())
    rows = range(len(event.gold))
    states, keys = [], []
    for row in rows:
        own = slice(row, row + 1)
        pairs = event.pairs
        alone = PairTensors(pairs.predicate[own], pairs.thing[own], pairs.roles[own], pairs.apart[own])
        states.append(network.pairs(words, alone)[0])
        keys.append(network.keys(words, alone)[0])
    total = 0.0
    for row in rows:
        for number, score in enumerate(network.attributes(states[row]).tolist()):
            probability, gold = 1 / (1 + math.exp(-score)), float(event.gold[row, number])
            surprisal = -gold * math.log(probability) - (1 - gold) * math.log(1 - probability)
            total += surprisal
    for row, value in event.values.tolist():
        (attribute,) = of_attribute[:, value].nonzero()[:, 0].tolist()
        scores = network.values(states[row])
        own_values = scores[of_attribute[attribute]]
        total += float(own_values.logsumexp(dim=0) - scores[value]) / 2
    for layer, known in ((network.before, event.befores), (network.after, event.afters)):
        for row, place in known.tolist():
            scores = torch.stack([layer(states[row]) @ key / SCALE for key in keys])
            total += float(functional.cross_entropy(scores[None], torch.tensor([place]))) / 2
    return total


def test_the_loss_of_windows_is_that_of_their_pairs(prepared: tuple[ChangeTask, ChangeModule, ChangeData]) -> None:
    task, module, data = prepared
    module.eval()
    of_attribute = torch.from_numpy(task.vocabulary.of_attribute())
    two = _examples(data)[:2]
    assert len({len(example.states) for example in two} | {example.size for example in two}) > 1
    with torch.no_grad():
        module.network.attributes.bias.fill_(-1.0)
        alone = [module.loss(data.collate([example])) for example in two]
        for example, loss in zip(two, alone, strict=True):
            assert loss.items == len(example.events)
            oracle = sum(_oracle(module, example, event, of_attribute) for event in example.events)
            assert float(loss.mean) * loss.items == pytest.approx(oracle, rel=1e-4)
        for order in (two, two[::-1]):
            batch = data.collate(order)
            assert batch.where == tuple(sorted(example.id for example in two))
            loss = module.loss(batch)
            assert loss.items == sum(one.items for one in alone)
            expected = sum(float(one.mean) * one.items for one in alone)
            assert float(loss.mean) * loss.items == pytest.approx(expected, rel=1e-5)


def test_pairs_of_a_batch_name_the_words_of_their_windows(
    prepared: tuple[ChangeTask, ChangeModule, ChangeData],
) -> None:
    """Also of windows with places before, of several windows of a text, and of unnamed things as places."""
    task, module, data = prepared
    sentences = [f"Pour the soup from the jug into pot {number} .".split() for number in range(40)]
    read = ReaderText("", sentences)
    events = []
    for sentence in (0, 17, 39):
        first = sentence * len(sentences[0])
        hand = read.words + UNNAMED.index("hand")
        change = GoldChange(first + 2, "location", ("from @", hand), ("in @", first + 7), 1.0)
        events.append(ChangeEvent(first, [change, attrs.evolve(change, thing=hand, before=("from @", first + 5))]))
    task.vocabulary = ChangeVocabulary(("location",), (("location", "from @", "in @"),), UNNAMED)
    made = task._examples([ChangeText("soup", read, events)], SETTINGS)
    assert len(made) > 1
    assert sum(len(example.events) for example in made) == 3
    batch = data.collate(made)
    words = module.network.eval().words(batch.states)
    row = word = 0
    for example in made:
        own = module.network.words(example.states.float())
        for event in example.events:
            for thing, placed in zip(event.pairs.thing.tolist(), batch.pairs.thing[row:].tolist(), strict=False):
                torch.testing.assert_close(words.things[placed], own.things[thing])
                assert (placed >= len(batch.states)) == (thing >= len(example.states))
            assert set(batch.pairs.predicate[row : row + len(event.gold)].tolist()) == {
                int(event.pairs.predicate[0]) + word
            }
            row += len(event.gold)
        word += len(example.states)
    assert len(batch.befores) == len(batch.afters) == len(batch.values) == 6
    for known, names in ((batch.befores, ("hand", "jug")), (batch.afters, ("pot", "pot"))):
        for number, (pair, place, begin, end) in enumerate(known.tolist()):
            assert begin <= pair < end
            assert begin <= place < end
            name = names[number % 2]
            if name in UNNAMED:
                assert int(batch.pairs.thing[place]) == len(batch.states) + UNNAMED.index(name)
            else:
                apart = int(batch.pairs.thing[place] - batch.pairs.predicate[place])
                assert sentences[0][apart] == name


def test_batches_have_no_more_pairs_than_the_settings_say(
    prepared: tuple[ChangeTask, ChangeModule, ChangeData],
) -> None:
    _, _, data = prepared
    every = data._parts.train
    for draw in (None, random.Random(1)):
        batches = data.batches(every, draw)
        assert sorted(map(id, (example for batch in batches for example in batch))) == sorted(map(id, every))
        assert all(len(batch) == 1 or sum(example.size for example in batch) <= 400 for batch in batches)
    assert 1 < data.batches_per_epoch <= len(every)
    small = ChangeData(data._parts, attrs.evolve(SETTINGS, batch_size=1))
    assert [len(batch) for batch in small.batches(every, None)] == [1] * len(every)
    assert data.batches([], None) == []


def test_the_loss_falls_and_the_reader_stays(
    prepared: tuple[ChangeTask, ChangeModule, ChangeData], reader: Reader
) -> None:
    _, module, data = prepared
    before = {name: value.copy() for name, value in reader._encoder.weights.items()}
    batch = data.collate(_examples(data)[:3])
    optimizer = torch.optim.AdamW(module.parameter_groups(), lr=1e-2)
    losses = []
    for _ in range(12):
        loss = module.loss(batch).mean
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    assert all(np.array_equal(value, before[name]) for name, value in reader._encoder.weights.items())
    assert "of_attribute" not in module.trained_state()


def test_a_task_depends_on_its_texts(sources: Path) -> None:
    whole, few = ChangeTask("changes"), ChangeTask("changes", limit=5)
    assert len(few.split.train) + len(few.split.held_out) == 5
    assert few.split.held_out
    assert whole.inputs != few.inputs
    assert whole.inputs == ChangeTask("other").inputs
    assert whole.inputs["reader"] == describe(DEFAULT, "reader").digest
    (sources / "meals.txt").write_text(passages(8).replace("dry ->", "wet ->", 1), encoding="utf-8")
    assert ChangeTask("changes").inputs["texts"] != whole.inputs["texts"]


def test_it_learns_passages_by_heart(sources: Path) -> None:
    (sources / "meals.txt").write_text(passages(24), encoding="utf-8")
    task = ChangeTask("changes", limit=16)
    losses: list[float] = []
    outcome = train(
        task,
        SETTINGS,
        sources / "model",
        hardware=CPU,
        data="16 passages",
        report=lambda epoch: losses.append(epoch.train_loss),
    )
    assert outcome.is_finished
    assert losses[-1] < losses[0] / 4
    checkpoint = load_checkpoint(sources / "model")
    assert checkpoint.card.task == "state changes of events"
    assert checkpoint.card.training["train_examples"] == len(task.split.train)
    assert checkpoint.settings["reader_sha256"] == describe(DEFAULT, "reader").digest
    assert checkpoint.settings["calibration"] == attrs.asdict(Calibration())
    assert all(value.dtype in (np.float16, np.int8) for value in checkpoint.tensors.values())
    model = load("changes", sources / "model")
    text = task.split.train[0]
    queries = [ChangeQuery(event.predicate, range(text.text.words)) for event in text.events]
    learnt = 0
    for event, found in zip(text.events, model.generate([(text.text, queries)])[0], strict=True):
        likely = {(change.thing, change.attribute, change.before, change.after, change.after_place)
                  for change in found if change.probability > 0.5}  # fmt: skip
        names = [*range(text.text.words), *UNNAMED]
        expected = {
            (names[change.thing], change.attribute, change.before[0], change.after[0],
             None if change.after[1] is None else names[change.after[1]])
            for change in event.changes if change.share == 1
        }  # fmt: skip
        learnt += expected <= likely
    assert learnt >= 3  # rounding differs between processors


def test_a_checkpoint_has_the_calibration_of_the_settings(sources: Path) -> None:
    chosen = attrs.evolve(SETTINGS, epochs=1, batch_size=2000, bias=-0.5, slope=0.8, value_slope=0.25)
    train(ChangeTask("changes"), chosen, sources / "model", hardware=CPU)
    calibration = load_checkpoint(sources / "model").settings["calibration"]
    assert Calibration(**calibration) == Calibration(bias=-0.5, attribute=0.8, value=0.25)
    assert load("changes", sources / "model").generate([(SOUP, [ChangeQuery(_place("Fry"), [_place("pan")])])])


def test_the_same_seed_gives_the_same_weights(sources: Path) -> None:
    chosen = attrs.evolve(SETTINGS, epochs=2, dropout=0.25)
    for name in ("one", "other"):
        train(ChangeTask("changes"), chosen, sources / name, hardware=CPU)
    one, other = (load_checkpoint(sources / name) for name in ("one", "other"))
    assert all(torch.equal(value, other.as_torch()[name]) for name, value in one.as_torch().items())
    assert one.files == other.files
