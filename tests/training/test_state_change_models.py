"""`kgscripts train state-changes`: a tiny GPT-2 learns steps by heart, runs are resumed, bad settings are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from typer.testing import CliRunner

from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.registry import load
from kgscripts.reproductions.kidscook.networks.causal_loading import load_causal_model
from kgscripts.reproductions.openpi.causal import CausalChangeModel, answer_pieces, prompt_pieces
from kgscripts.reproductions.openpi.reading import OpenPIStep, read_openpi
from lightning_modules.causal import CausalModule
from lightning_modules.commands import app
from lightning_modules.configuration import Configuration, read_configuration, shipped_configurations
from lightning_modules.state_changes.task import CausalChangeTask, step_text
from lightning_modules.task_settings import CausalChangeSettings, ComposerTrainingSettings
from lightning_modules.training import train
from schemas.changes import Change, PredictedChange, ProcedureStep
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from tests.models.test_causal import openai_gpt
from tests.training.corpus import CPU

SMALL_COMPOSER = ComposerTrainingSettings(size=32, layers=1, rank=4, epochs=1)
FOODS = ("egg", "leek", "plum")
WORDS = (
    *("[SEP]", "Now,", "what", "happens?", "Boil", "wash", "Wait", "the", "location", "wetness", "temperature", "of"),
    *("was", "cold", "hot", "dry", "wet", "before", "and", "afterwards", "afterwards,", "before,", "there", "will"),
    *("be", "no", "change", ".", ",", *FOODS),
)


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small GPT-2 whose pieces are words."""
    from transformers import GPT2Config, GPT2LMHeadModel

    folder = tmp_path_factory.mktemp("pretrained") / "tiny"
    folder.mkdir()
    vocabulary = {piece: number for number, piece in enumerate(["<|endoftext|>", "[UNK]", *WORDS])}
    backend = Tokenizer(models.WordLevel(vocab=vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    backend.decoder = decoders.WordPiece()
    (folder / "tokenizer.json").write_text(backend.to_str(), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|endoftext|>"}', encoding="utf-8"
    )
    torch.manual_seed(1)
    sizes: dict[str, Any] = {"n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": 96}
    sizes |= {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = GPT2Config(vocab_size=len(vocabulary), bos_token_id=0, eos_token_id=0, initializer_range=0.2, **sizes)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def write_steps(path: Path) -> Path:
    """Twenty procedures of three steps each."""
    rows = []
    for number in range(20):
        food = FOODS[number % len(FOODS)]
        texts = [f"wash the {food}", f"Boil the {food}", "Wait"]
        answers = [
            [f"wetness of {food} was dry before and wet afterwards"],
            [f"temperature of {food} was cold before and hot afterwards", f"location of {food} was dry before"],
            [],
        ]
        for place, (text, found) in enumerate(zip(texts, answers, strict=True)):
            row = {"id": f"Cook-{number}||{place + 1}", "step": text, "context": texts[:place], "answers": found}
            rows.append(json.dumps(row) + "\n")
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> list[OpenPIStep]:
    return read_openpi(write_steps(tmp_path_factory.mktemp("steps") / "steps.jsonl"))


def settings(pretrained: Path, epochs: int) -> CausalChangeSettings:
    return CausalChangeSettings(pretrained=str(pretrained), epochs=epochs, learning_rate=5e-3, max_generated=30)


def task(steps: list[OpenPIStep]) -> CausalChangeTask:
    causal = Configuration(name="tiny", kind="causal", training=None)
    return CausalChangeTask(causal, steps)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, gpt2: Path, steps: list[OpenPIStep]) -> tuple[Path, list[float]]:
    """A model after ten epochs, and the loss of each."""
    folder = tmp_path_factory.mktemp("trained") / "model"
    losses: list[float] = []
    train(task(steps), settings(gpt2, 10), folder, hardware=CPU, report=lambda one: losses.append(one.train_loss))
    return folder, losses


def test_it_learns_steps_by_heart(trained: tuple[Path, list[float]], steps: list[OpenPIStep]) -> None:
    folder, losses = trained
    assert losses[-1] < 0.05 < losses[0]
    model = load("state-changes", folder)
    asked = [ProcedureStep(text=step.text, context=step.context) for step in steps[:12]]
    found = model.predict(asked)
    for step, changes in zip(steps, found, strict=False):
        assert {one.change for one in changes} == {answer.change for answer in step.answers}
        assert all(-0.5 < one.log_probability <= 0 for one in changes)
    assert [[one.change for one in row] for row in found[5:7]] == [
        [one.change for one in model.predict([step])[0]] for step in asked[5:7]
    ]
    card = load_checkpoint(folder).card
    assert card.training["pretrained"] == "tiny"
    assert model.model.task == "state changes of a step"


def test_a_resumed_run_ends_as_an_unbroken_one(
    tmp_path: Path, gpt2: Path, steps: list[OpenPIStep], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(gpt2, 2)
    train(task(steps), chosen, tmp_path / "whole", hardware=CPU)
    plain = CausalModule.training_step

    def breaks(self: CausalModule, batch: object, number: int) -> torch.Tensor:
        if self.current_epoch == 1:
            raise KeyboardInterrupt
        return plain(self, batch, number)  # type: ignore[arg-type]

    monkeypatch.setattr(CausalModule, "training_step", breaks)
    with pytest.raises(KeyboardInterrupt):
        train(task(steps), chosen, tmp_path / "broken", hardware=CPU)
    monkeypatch.setattr(CausalModule, "training_step", plain)
    with pytest.raises(ModelError, match="has other"):
        train(task(steps[3:]), chosen, tmp_path / "broken", hardware=CPU, resume=True)
    train(task(steps), chosen, tmp_path / "broken", hardware=CPU, resume=True)
    whole, broken = (load_checkpoint(tmp_path / name).tensors for name in ("whole", "broken"))
    assert all(torch.equal(value, broken[name]) for name, value in whole.items())


@pytest.fixture(scope="module")
def untrained(gpt2: Path) -> CausalChangeModel:
    return CausalChangeModel(load_causal_model(str(gpt2)), 30, load("state-changes", "retrieval").model)


ODD_TEXTS = {
    "wetness of egg was dry before and wet afterwards, wetness of egg was dry before and wet afterwards": 1,
    "wetness of egg was dry before and wet afterwards, egg egg egg": 1,
    "there will be no change": 0,
    "there will be no change , of was before and afterwards": 0,
    "was was was": 0,
    "of of of before before": 0,
    "": 0,
    ". , . ,": 0,
    "[UNK] [UNK]": 0,
}


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_text_is_dropped_and_counted(untrained: CausalChangeModel, text: str) -> None:
    before = untrained.unparsed
    pieces = untrained._language_model.tokenizer.encode(text, add_special_tokens=False).ids
    found = untrained._changes(pieces, [-1.0] * len(pieces))
    assert len(found) == ODD_TEXTS[text]
    expected = Change(entity="egg", attribute="wetness", before="dry", after="wet")
    assert all(one == PredictedChange(change=expected, log_probability=-1.0) for one in found)
    is_odd = text.endswith("egg") or text.startswith(("was", "of", "[UNK]"))
    assert (untrained.unparsed > before) == is_odd


def test_an_untrained_model_reads_anything(untrained: CausalChangeModel) -> None:
    texts = ["Boil the egg", "🍳", "鍋を火にかける。", " ", "Boil the egg " * 5000]
    steps = [ProcedureStep(text=text, context=("wash the egg",) * 500) for text in texts]
    assert len(untrained.predict(steps)) == len(texts)
    assert untrained.predict([]) == []


def test_a_text_that_is_too_long_loses_its_beginning(untrained: CausalChangeModel, steps: list[OpenPIStep]) -> None:
    model = untrained._language_model
    step = steps[1]
    prompt = prompt_pieces(model, ProcedureStep(text=step.text, context=step.context))
    answer = answer_pieces(model, [answer.sentence for answer in step.answers])
    assert step_text(step, model, 300) == step_text(step, model, 96)
    for most in (2, 5, len(answer), len(answer) + 1, len(answer) + 4):
        text = step_text(step, model, most)
        assert len(text.prompt) + len(text.answer) <= most
        assert text.prompt == prompt[-len(text.prompt) :]
        assert text.answer == answer[-len(text.answer) :]
        assert text.answer[-1] == 0


def test_a_model_without_an_end_of_text_is_refused(tmp_path: Path, steps: list[OpenPIStep]) -> None:
    with pytest.raises(ModelError, match="no piece that ends a text"):
        train(task(steps), settings(openai_gpt(tmp_path / "gpt"), 1), tmp_path / "model", hardware=CPU)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path, trained: tuple[Path, list[float]]) -> None:
    checkpoint = load_checkpoint(trained[0])
    damages: list[dict[str, Any]] = [{"max_generated": 0}, {"max_generated": "many"}, {"network": {}}, {"start": "x"}]
    for values in damages:
        damaged = attrs.evolve(checkpoint, settings={**checkpoint.settings, **values})
        save_checkpoint(damaged, tmp_path / "damaged")
        with pytest.raises(ModelError):
            load("state-changes", tmp_path / "damaged")


def test_shipped_configurations_are_whole() -> None:
    assert {"causal", "retrieval"} <= set(shipped_configurations("state-changes"))
    for name in shipped_configurations("state-changes"):
        assert read_configuration("state-changes", name).name
    causal = read_configuration("state-changes", "causal")
    assert causal.training == CausalChangeSettings()


@pytest.mark.parametrize(
    "text",
    [
        "name = ",
        'kind = "causal"',
        'name = ""\nkind = "causal"',
        'name = "x"\nkind = "oracle"',
        'name = "x"\nkind = ["causal"]',
        'name = "x"\nkind = "causal"\nsize = 3',
        'name = "x"\nkind = "causal"\ntraining = 3',
        'name = "x"\nkind = "causal"\n[training]\nepochs = 0',
        'name = "x"\nkind = "causal"\n[training]\npretrained = ""',
        'name = "x"\nkind = "retrieval"\n[training]\nepochs = 3',
        'name = "x"\nkind = "retrieval"\n[training]\nneighbours = 2.5',
        'name = "x"\nkind = "causal"\npublished = 3',
        'name = "x"\nkind = "causal"\n[network]\nhidden_size = 3',
    ],
)
def test_configurations_that_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        read_configuration("state-changes", tmp_path / "odd.toml")


def run(*arguments: object) -> str:
    words = [str(argument) for argument in ("state-changes", *arguments)]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_trains_either_model(tmp_path: Path, gpt2: Path) -> None:
    file = write_steps(tmp_path / "steps.jsonl")
    base = ("--train", file, "--accelerator", "cpu", "--out")
    said = run("--config", "causal", "--set", f"pretrained={gpt2}", "--epochs", 1, *base, tmp_path / "causal")
    assert "finished after 1 epochs" in said
    assert "60 steps of steps.jsonl" in run("--config", "retrieval", *base, tmp_path / "retrieval")
    for name in ("causal", "retrieval"):
        card = load_checkpoint(tmp_path / name).card
        assert card.command.startswith(f"kgscripts train state-changes --train steps.jsonl --config {name}")
        assert str(tmp_path) not in json.dumps([card.command, card.training])
    found = load("state-changes", tmp_path / "retrieval").predict([ProcedureStep(text="Boil the plum")])
    assert Change(entity="plum", attribute="temperature", before="cold", after="hot") in [
        one.change for one in found[0]
    ]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--config", "oracle"), ConfigurationError),
        (("--config", "retrieval", "--epochs", 3), ConfigurationError),
        (("--config", "retrieval", "--set", "pretrained=gpt2"), ConfigurationError),
        (("--config", "retrieval", "--max-time", "1:00"), ConfigurationError),
        (("--epochs", 0), ConfigurationError),
        (("--set", "pretrained=no-such-model"), ModelError),
        (("--set", "pretrained"), ConfigurationError),
        (("--train", "no-such-file"), InputError),
        (("--max-time", "soon"), ConfigurationError),
    ],
)
def test_what_cannot_be_trained(tmp_path: Path, options: tuple[object, ...], error: type[KGScriptsError]) -> None:
    given: dict[str, object] = {"--config": "causal", "--train": write_steps(tmp_path / "steps.jsonl")}
    given |= {"--out": tmp_path / "out", "--accelerator": "cpu"}
    given |= {str(name): value for name, value in zip(options[::2], options[1::2], strict=True)}
    with pytest.raises(error):
        run(*(part for item in given.items() for part in item))
    assert not (tmp_path / "out").exists()
