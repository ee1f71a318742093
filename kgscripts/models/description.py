"""What a checkpoint is, read off its model card: without torch, for those who need its name before its weights."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from schemas.errors import ModelError, RecordError
from schemas.provenance import BenchmarkScore, Model

CARD = "model_card.json"


def shipped_checkpoint(name: str) -> Path:
    """Where the checkpoint of that name stands in the package."""
    return Path(str(resources.files("kgscripts.models") / "data" / name))


def describe_checkpoint(directory: Path) -> Model:
    """Name, version, task, licence and scores of a checkpoint, and the digest over what decides what it says.

    Whether the files are those of the card is checked when they are loaded.

    Raises
    ------
    ModelError
        If the card is missing or damaged.
    """
    path = directory / CARD
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Model(
            name=card["name"],
            version=card["version"],
            digest=sha256(json.dumps(sorted(card["files"].items())).encode()).hexdigest(),
            task=card["task"],
            licence=card["licence"],
            scores=[BenchmarkScore(**score) for score in card["scores"]],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecordError) as error:
        raise ModelError(
            f"the model card cannot be read ({error})",
            where=str(path),
            remedy="train the model again, or reinstall kgscripts if it is one that ships",
        ) from error
