"""Fine-tuning of causal language models: what it writes loads again, says the same, and is resumed to the same end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
import torch
from typer.testing import CliRunner

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.cloze import Cloze
from kgscripts.reproductions.kidscook.cloze.models import open_cloze_model
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from kgscripts.reproductions.kidscook.networks.causal_loading import load_causal_model
from lightning_modules.causal import CausalModule, CausalTask
from lightning_modules.commands import app
from lightning_modules.configuration import Configuration
from lightning_modules.task_settings import CausalSettings
from lightning_modules.training import Outcome, train
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from tests.models.test_causal import gpt2, openai_gpt
from tests.training import corpus

WORDS = ["pan", "cut", "spoon", "the", "whisk", "a"]
PAIRS = [
    Pair(abstract=(first, second, f"{number}"[-1]), concrete=("cut", "the", first, "."), where=f"pairs.tsv:{number}")
    for number, (first, second) in enumerate([(a, b) for a in WORDS for b in WORDS] * 2)
]
SETTINGS = CausalSettings(epochs=2, learning_rate=1e-3, batch_size=16, patience=2)
CLOZE = Cloze(("pan", "spoon"), ("cut", "the", "_"), (False, False, True), 2)


def fine_tune(model: str, pairs: Sequence[Pair], out: Path, settings: CausalSettings, **options: Any) -> Outcome:
    settings = attrs.evolve(settings, pretrained=model)
    configuration = Configuration(name="causal", kind="causal", training=settings)
    return train(CausalTask(configuration, pairs), settings, out, hardware=corpus.CPU, **options)


@pytest.mark.parametrize("make", [gpt2, openai_gpt])
def test_fine_tuning_helps_and_its_checkpoint_loads(tmp_path: Path, make: type[object]) -> None:
    folder = make(tmp_path / "tiny")  # type: ignore[call-arg]
    outcome = fine_tune(str(folder), PAIRS, tmp_path / "tuned", SETTINGS, data="pairs", command="train")
    assert outcome.epochs == 2
    tuned = open_cloze_model(str(tmp_path / "tuned"))
    assert isinstance(tuned, CausalModel)
    assert tuned.name == "tiny, fine-tuned"
    assert sorted(path.name for path in (tmp_path / "tuned.training").iterdir()) == ["ended.ckpt", "logs", "run.json"]
    card = load_checkpoint(tmp_path / "tuned").card
    assert card.training["held_out_loss"] == outcome.held_out_loss
    assert card.training["train_examples"] + card.training["held_out_examples"] == len(PAIRS)
    before = load_causal_model(str(folder))
    abstract, concrete = [pair.abstract for pair in PAIRS], [pair.concrete for pair in PAIRS]
    assert tuned.score(abstract, concrete).mean() > before.score(abstract, concrete).mean() + 1
    assert tuned.pieces(WORDS) == before.pieces(WORDS)


def test_a_resumed_run_ends_as_an_unbroken_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(gpt2(tmp_path / "tiny"))
    fine_tune(folder, PAIRS, tmp_path / "whole", SETTINGS)
    plain = CausalModule.training_step

    def breaks(self: CausalModule, batch: object, number: int) -> torch.Tensor:
        if self.current_epoch == 1:
            raise KeyboardInterrupt
        return plain(self, batch, number)  # type: ignore[arg-type]

    monkeypatch.setattr(CausalModule, "training_step", breaks)
    with pytest.raises(KeyboardInterrupt):
        fine_tune(folder, PAIRS, tmp_path / "broken", SETTINGS)
    monkeypatch.setattr(CausalModule, "training_step", plain)
    with pytest.raises(ModelError, match="unfinished"):
        fine_tune(folder, PAIRS, tmp_path / "broken", SETTINGS)
    with pytest.raises(ModelError, match="has other"):
        fine_tune(folder, PAIRS[1:], tmp_path / "broken", SETTINGS, resume=True)
    fine_tune(folder, PAIRS, tmp_path / "broken", SETTINGS, resume=True)
    whole, broken = (open_cloze_model(str(tmp_path / name)) for name in ("whole", "broken"))
    assert torch.equal(whole.predict([CLOZE], WORDS), broken.predict([CLOZE], WORDS))


def _run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["causal", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def _write(folder: Path) -> Path:
    file = folder / "pairs.tsv"
    rows = [f"{' '.join(pair.abstract)}\t{' '.join(pair.concrete)}\n" for pair in PAIRS]
    file.write_text("".join(rows), encoding="utf-8")
    return file


def test_the_command_says_what_came_of_it(tmp_path: Path) -> None:
    file = _write(tmp_path)
    folder = gpt2(tmp_path / "tiny")
    out = tmp_path / "tuned"
    said = _run("--set", f"pretrained={folder}", "--train", file, "--out", out, "--epochs", 1, "--accelerator", "cpu")
    assert "finished after 1 epochs, held-out loss" in said
    card = load_checkpoint(out).card
    assert card.command.startswith("kgscripts train causal --train pairs.tsv --set pretrained=tiny --epochs 1")
    assert card.data.startswith("72 pairs of pairs.tsv; starts from tiny (licence not stated in its files, SHA-256 ")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--epochs", 0), ConfigurationError),
        (("--set", "learning_rate=-1"), ConfigurationError),
        (("--set", "batch_size=0"), ConfigurationError),
        (("--limit", 1), InputError),
        (("--accelerator", "abacus"), ConfigurationError),
        (("--max-time", "soon"), ConfigurationError),
        (("--set", "pretrained=no-such-model"), ModelError),
        (("--train", "no-such-file.tsv"), InputError),
    ],
)
def test_what_cannot_be_trained_is_told(
    tmp_path: Path, options: tuple[object, ...], error: type[KGScriptsError]
) -> None:
    given = {"--set": f"pretrained={gpt2(tmp_path / 'tiny')}", "--train": _write(tmp_path), "--out": tmp_path / "out"}
    given["--accelerator"] = "cpu"
    given |= dict(zip(options[::2], options[1::2], strict=True))  # type: ignore[arg-type]
    with pytest.raises(error) as caught:
        _run(*(part for item in given.items() for part in item))
    assert caught.value.remedy
    assert not (tmp_path / "out").exists()


def test_a_loss_that_is_no_number_stops_and_says_where(tmp_path: Path) -> None:
    settings = CausalSettings(epochs=1, learning_rate=1e30, batch_size=8)
    with pytest.raises(ModelError, match="the loss is") as caught:
        fine_tune(str(gpt2(tmp_path / "tiny")), PAIRS, tmp_path / "out", settings)
    assert "epoch 1, batch" in str(caught.value.where)


def test_too_few_pairs_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        fine_tune(str(gpt2(tmp_path / "tiny")), PAIRS[:1], tmp_path / "out", SETTINGS)
