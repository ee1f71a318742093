"""`kgscripts train scenarios`: made-up stories are learnt, runs are resumed, and bad input is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
import torch
from typer.testing import CliRunner

from kgscripts.models.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from kgscripts.models.registry import load
from kgscripts.models.scenarios.protocol import SegmentLabeller
from kgscripts.reproductions.scenarios.tiling import TopicTilingModel, content_words
from lightning_modules.commands import app
from lightning_modules.configuration import read_configuration
from lightning_modules.scenarios.stories import StoryFiles
from lightning_modules.scenarios.tiling_task import TilingModule, TilingTask
from lightning_modules.training import train
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from schemas.scenario_documents import NONE
from tests.training.corpus import CPU

SENTENCES = {
    "making tea": ("I filled the kettle.", "I boiled the water.", "I poured it on the tea bag.", "I stirred the cup."),
    "walking a dog": ("The dog barked.", "I took the leash.", "We walked to the park.", "The dog chased a squirrel."),
    "": ("My aunt phoned.", "The letter surprised her.", "Her neighbour moved.", "She told a joke."),
}
ADVERBS = ("slowly", "often", "quickly", "happily", "again", "quietly")
SETTINGS = """
name = "tiny"
kind = "topic-tiling"
[training]
topics = 4
topic_iterations = 100
learning_rate = 5e-3
epochs = 15
"""


def story(scenario: str, number: int) -> list[str]:
    """Four sentences, in another order and with another ending for each number, so that no two stories are the same."""
    sentences = SENTENCES[scenario]
    turned = [*sentences[number % 4 :], *sentences[: number % 4]]
    ending = f"{ADVERBS[number // 6]} and {ADVERBS[number % 6]}"
    return [f"{sentence[:-1]} {ending}." for sentence in turned]


def write(folder: Path) -> tuple[Path, Path]:
    """Stories, and development documents of other stories."""
    stories = [
        {"id": f"{scenario or 'other'}-{number}", "text": " ".join(story(scenario, number)), "scenario": scenario}
        for scenario in SENTENCES
        for number in range(12)
    ]
    documents = []
    for number in range(20, 26):
        sentences = [*story("making tea", number), *story("", number), *story("walking a dog", number)]
        segments = [
            {"start": 0, "end": 4, "scenarios": ["making tea"]},
            {"start": 8, "end": 12, "scenarios": ["walking a dog"]},
        ]
        documents.append({"id": f"merged-{number}", "sentences": sentences, "segments": segments})
    for name, rows in (("stories", stories), ("documents", documents)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "tiny.toml").write_text(SETTINGS, encoding="utf-8")
    return folder / "stories.jsonl", folder / "documents.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenarios")
    write(folder)
    return folder


def task(folder: Path) -> TilingTask:
    files = StoryFiles.read([folder / "stories.jsonl"], folder / "documents.jsonl")
    return TilingTask(read_configuration("scenarios", folder / "tiny.toml"), files)


@pytest.fixture(scope="module")
def trained(folder: Path) -> Path:
    arguments = ["scenarios", "--config", str(folder / "tiny.toml"), "--train", str(folder / "stories.jsonl")]
    arguments += ["--development", str(folder / "documents.jsonl"), "--out", str(folder / "model")]
    result = CliRunner().invoke(app, [*arguments, "--accelerator", "cpu"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "finished" in result.stdout
    return folder / "model"


def test_it_finds_passages_and_none(trained: Path) -> None:
    model = load("scenarios", trained)
    assert isinstance(model, TopicTilingModel)
    assert isinstance(model, SegmentLabeller)
    sentences = [*story("walking a dog", 30), *story("making tea", 30)]
    other = story("", 30)
    [segments, nothing, empty] = model.label([sentences, other, []], [[(0, 4), (4, 8)], [(0, 4)], []])
    assert [segment.scenarios for segment in segments] == [("walking a dog",), ("making tea",)]
    assert [segment.scenarios for segment in nothing] == [()]
    assert nothing[0].ranking[0] == (NONE, 1.0)
    assert empty == []
    for variant in ("topic-tiling", "sentence", "random", "majority"):
        chosen = model if variant == "topic-tiling" else model.variant(variant)
        for found, document in zip(chosen.detect([sentences, [], other]), (sentences, [], other), strict=True):
            assert [n for part in found for n in range(part.start, part.end)] == list(range(len(document)))
            assert all(list(part.ranking) == sorted(part.ranking, key=lambda one: -one[1]) for part in found)
    assert model.detect([sentences]) == model.detect([other, sentences])[1:]
    card = load_checkpoint(trained).card
    assert card.command.startswith("kgscripts train scenarios --train stories.jsonl --development")
    assert "24 stories with and 12 without a scenario" in card.data


def test_variants_say_what_they_are(trained: Path) -> None:
    model = load("scenarios", f"sentence:{trained}")
    assert model.model.name == "scenarios-sentence"
    [found] = model.detect([story("making tea", 31)])
    assert [(part.start, part.end) for part in found] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    [whole] = load("scenarios", f"majority:{trained}").detect([story("walking a dog", 31)])
    assert [(part.start, part.end, part.scenarios) for part in whole] == [(0, 4, ("making tea",))]
    with pytest.raises(ModelError, match="no such model"):
        load("scenarios", "sentence:nowhere")


def test_odd_text_is_read(trained: Path) -> None:
    model = load("scenarios", trained)
    odd = [["\ud800"], [" "], ["🍵"], ["a " * 6000], [".", "?", "!"], ["x" * 20_000], ["Tea."] * 1100]
    for document, found in zip(odd, model.detect(odd), strict=True):
        assert [n for part in found for n in range(part.start, part.end)] == list(range(len(document)))


def test_a_resumed_run_ends_as_an_unbroken_one(
    tmp_path: Path, folder: Path, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = TilingModule.training_step

    def breaks(self: TilingModule, batch: object, number: int) -> torch.Tensor:
        if self.current_epoch == 5:
            raise KeyboardInterrupt
        return plain(self, batch, number)  # type: ignore[arg-type]

    settings = read_configuration("scenarios", folder / "tiny.toml").training
    monkeypatch.setattr(TilingModule, "training_step", breaks)
    with pytest.raises(KeyboardInterrupt):
        train(task(folder), settings, tmp_path / "broken", hardware=CPU)
    monkeypatch.setattr(TilingModule, "training_step", plain)
    train(task(folder), settings, tmp_path / "broken", hardware=CPU, resume=True)
    whole, broken = load_checkpoint(trained), load_checkpoint(tmp_path / "broken")
    assert all(torch.equal(value, broken.as_torch()[name]) for name, value in whole.as_torch().items())
    assert whole.settings == broken.settings
    assert whole.files == broken.files


def test_stories_of_the_documents_are_not_trained_on(folder: Path, tmp_path: Path) -> None:
    sentences = [*story("making tea", 3), *story("", 5), *story("making tea", 4)[:2]]
    document = {"id": "1", "sentences": sentences, "segments": [{"start": 0, "end": 4, "scenarios": ["making tea"]}]}
    (tmp_path / "held.jsonl").write_text(json.dumps(document) + "\n", encoding="utf-8")
    every = StoryFiles.read([folder / "stories.jsonl"], folder / "documents.jsonl")
    files = StoryFiles.read([folder / "stories.jsonl"], folder / "documents.jsonl", [tmp_path / "held.jsonl"])
    gone = {one.id for one in every.stories} - {one.id for one in files.stories}
    # Two sentences of a story may be equal by chance.
    assert {name.rpartition("#")[2] for name in gone} == {"making tea-3", "other-5"}
    document["segments"] = []
    (tmp_path / "held.jsonl").write_text(json.dumps(document) + "\n", encoding="utf-8")
    withheld = StoryFiles.read([folder / "stories.jsonl"], folder / "documents.jsonl", [tmp_path / "held.jsonl"])
    assert {one.scenario for one in withheld.stories} == {"walking a dog", ""}


def test_tomotopy_is_named_where_it_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the files are read, of which there is none."""
    monkeypatch.setitem(sys.modules, "tomotopy", None)
    monkeypatch.setattr("lightning_modules.scenarios.tiling_task.find_spec", lambda _: None)
    arguments = ["scenarios", "--config", str(folder / "tiny.toml"), "--train", "nowhere", "--development", "nowhere"]
    with pytest.raises(ModelError, match="tomotopy") as error:
        CliRunner().invoke(app, [*arguments, "--out", str(folder / "new")], catch_exceptions=False)
    assert "pip install 'kgscripts[train]'" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "kind = 'topic-tiling'",
        "name = 'x'\nkind = 'none'",
        "name = 'x'\nkind = 'topic-tiling'\ntraining = 3",
        "name = 'x'\nkind = 'topic-tiling'\nextra = 3",
        "name = 'x'\nkind = 'topic-tiling'\n[training]\ntopics = 0",
        "name = 'x'\nkind = 'topic-tiling'\n[training]\nminimum_documents = 2",
        "name = 'x'\nkind = 'topic-tiling'\n[training]\nwindow = 0",
        "name = 'x'\nkind = 'topic-tiling'\n[training]\nthreshold = 0.0",
        "name = 'x'\nkind = 'topic-tiling'\n[training]\nunknown = 1",
        "= 3",
    ],
)
def test_impossible_configurations_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"bad\.toml"):
        read_configuration("scenarios", tmp_path / "bad.toml")


def test_stories_without_a_listed_scenario_are_refused(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "text.txt").write_text("A dog barked. It ran.", encoding="utf-8")
    with pytest.raises(InputError, match="no story about a listed scenario"):
        StoryFiles.read([tmp_path / "text.txt"], folder / "documents.jsonl")


def test_damaged_checkpoints_are_refused(trained: Path, tmp_path: Path) -> None:
    whole = load_checkpoint(trained)
    for number, damaged in enumerate(damages(whole)):
        save_checkpoint(damaged, tmp_path / f"{number}")
        with pytest.raises(KGScriptsError) as error:
            load("scenarios", tmp_path / f"{number}")
        assert error.value.remedy


def damages(whole: Checkpoint) -> list[Checkpoint]:
    """Checkpoints whose parts do not fit together."""
    found = []
    settings: tuple[Any, ...] = (None, -1, "x", [], {}, 1e300)
    for name, value in whole.as_torch().items():
        odd = [None, value[:-1].clone(), value[None].clone(), value.flatten()[0].clone()]
        if value.is_floating_point():
            odd.append(torch.full(value.shape, float("nan"), dtype=value.dtype))
        elif name in ("topics.topic", "topics.word", "tfidf.words"):
            odd += [torch.full_like(value, -1), torch.full_like(value, 30_000)]
        for replaced in odd:
            tensors = {key: one for key, one in {**whole.as_torch(), name: replaced}.items() if one is not None}
            found.append(attrs.evolve(whole, tensors=tensors))
    for name in whole.settings:
        for setting in settings:
            if (name, setting) == ("word_prior", 1e300):
                continue
            found.append(attrs.evolve(whole, settings={**whole.settings, name: setting}))
        found.append(attrs.evolve(whole, settings={key: one for key, one in whole.settings.items() if key != name}))
    found.append(attrs.evolve(whole, settings={**whole.settings, "more": 1}))
    for content in (b"", b"{}", b'["a"]', b"[1, 2]", b"[" * 100_000, b"\xff"):
        found.append(attrs.evolve(whole, files={"words.json": content}))
    return found


def test_the_words_of_a_checkpoint_occur_in_three_texts(folder: Path, trained: Path) -> None:
    files = StoryFiles.read([folder / "stories.jsonl"], folder / "documents.jsonl")
    texts = [set(words) for words in content_words([" ".join(one.sentences) for one in files.stories])]
    model = load("scenarios", trained)
    assert isinstance(model, TopicTilingModel)
    assert {"kettle", "dog"} < set(model.parts.topics.words)
    assert all(sum(word in text for text in texts) >= 3 for word in model.parts.topics.words)
