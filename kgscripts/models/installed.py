"""The models of this installation: those that ship, and what they are built over; and their cards as Markdown."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from attrs import frozen

from kgscripts.models.checkpoint import ModelCard, is_checkpoint, read_card, read_kind
from kgscripts.models.encoder import MINILM, encoder_folder
from kgscripts.models.registry import shipped_models, task_of
from kgscripts.models.stored_vectors import MINILM_SHA256
from kgscripts.text.pipeline import SHIPPED, describe_pipeline, shipped_directory
from schemas.errors import ModelError

_WIDTH = 80


@frozen(kw_only=True)
class InstalledModel:
    """A model, where its files are, and what is known of it."""

    name: str
    task: str
    path: Path
    card: ModelCard
    digest: str = ""

    @property
    def size(self) -> int:
        """Bytes of its files."""
        files = [self.path] if self.path.is_file() else [file for file in self.path.rglob("*") if file.is_file()]
        return sum(file.stat().st_size for file in files)


def installed_models() -> Iterator[InstalledModel]:
    """The models that ship, and the encoder that they are built over."""
    for name, path in shipped_models().items():
        yield _checkpoint(name, path)
    yield _typicality()
    yield _pipeline()
    yield _encoder()


def find_model(name_or_directory: str | Path) -> InstalledModel:
    """The model of that name, or the checkpoint in that directory. Raises ModelError if there is none."""
    models = {model.name: model for model in installed_models()}
    if str(name_or_directory) in models:
        return models[str(name_or_directory)]
    if is_checkpoint(path := Path(name_or_directory)):
        return _checkpoint(path.name, path)
    remedy = f"name the directory of a checkpoint, or one of {', '.join(models)}"
    raise ModelError("no such model", where=str(name_or_directory), remedy=remedy)


def card_markdown(model: InstalledModel) -> str:
    """The card of a model as Markdown: facts, data, what it was trained with, and scores."""
    card = model.card
    facts = {
        "task": model.task,
        "version": card.version,
        "licence": card.licence,
        "size": size_text(model.size),
        "SHA-256": model.digest,
        "trained by": f"`{card.command}`" if card.command else "",
    }
    parts = [f"# {card.name}", textwrap.fill(card.task[:1].upper() + card.task[1:] + ".", _WIDTH)]
    parts.append(markdown_table(("", ""), ((name, value) for name, value in facts.items() if value)))
    if card.data:
        parts += ["## Training data", textwrap.fill(card.data, _WIDTH)]
    if card.training:
        parts += ["## Training", markdown_table(("", ""), _flat(card.training))]
    for title, scores in (("Scores", card.scores), ("Scores on the sample that ships", card.slice)):
        if scores:
            rows = ((x.dataset, x.split, x.metric, f"{x.value:g} {x.unit}", x.exposure) for x in scores)
            parts += [f"## {title}", markdown_table(("dataset", "split", "metric", "value", "data"), rows)]
    return "\n\n".join(parts)


def size_text(size: int) -> str:
    """A number of bytes for people; "" for none."""
    if size >= 100_000:
        return f"{size / 1e6:.1f} MB"
    return f"{size / 1e3:.1f} kB" if size else ""


def _checkpoint(name: str, path: Path) -> InstalledModel:
    card, model = read_card(path)
    task = task_of(read_kind(path), path)
    return InstalledModel(name=name, task=task, path=path, card=card, digest=model.digest)


def _typicality() -> InstalledModel:
    path = Path(str(resources.files("kgscripts.typicality") / "data" / "weights.json"))
    facts = json.loads(path.read_text(encoding="utf-8"))
    card = ModelCard(
        name="typicality",
        version=metadata.version("kgscripts"),
        task="how typical an action is of its scenario's script",
        licence="research use, as the terms of its training data say",
        data=facts["data"],
        command=facts["command"],
    )
    return InstalledModel(name=card.name, task="typicality", path=path, card=card)


def _pipeline() -> InstalledModel:
    model, path = describe_pipeline(), shipped_directory()
    sources = json.loads((path / "meta.json").read_text(encoding="utf-8"))["sources"]
    card = ModelCard(
        name=model.name,
        version=model.version,
        task=model.task,
        licence=model.licence,
        data="; ".join(f"{source['name']} ({source['license']})" for source in sources),
        command="kgscripts train text",
        scores=model.scores,
    )
    return InstalledModel(name=SHIPPED, task="text", path=path, card=card, digest=model.digest)


def _encoder() -> InstalledModel:
    card = ModelCard(
        name=MINILM,
        version="1",
        task="vectors of words and sentences, over which the models of kgscripts are trained",
        licence="Apache-2.0",
        data=f"published by its authors: https://huggingface.co/{MINILM}; here its matrices are int8",
        command="python -m lightning_modules.onnx_files",
    )
    name = MINILM.partition("/")[2]
    return InstalledModel(name=name, task="encoder", path=encoder_folder(), card=card, digest=MINILM_SHA256)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Nested values by the names that lead to them; long lists are left out."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}, ")
        elif not isinstance(value, list) or len(value) < 10:
            yield prefix + name, value


def markdown_table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    lines = [[*heads], *([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)]
    rule = "|" + "---|" * len(lines[0])
    first, *others = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([first, rule, *others])
