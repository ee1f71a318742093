"""Opening cloze models by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from attrs import evolve

from kgscripts.models.cloze import Cloze, ClozeModel

if TYPE_CHECKING:
    import torch

_LEFT = ":left"
TOGETHER = "+"
HUGGING_FACE = "hf:"


class LeftSideOnly:
    """A cloze model of both sides from which the text to the right of the blank is hidden.

    The model still sees the number of words in the blank (section 4.1), but not the length of the following text.
    """

    context: Literal["left", "both"] = "left"

    def __init__(self, model: ClozeModel) -> None:
        self.name = f"{model.name}, left side only"
        self.model = model

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        """See `ClozeModel`."""
        return self.model.predict([_cut(cloze) for cloze in clozes], candidates)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> None:
        """None, since the overall probability of a model of both sides depends on the right side."""


class Together:
    """Several cloze models as one: the probability of a word is the geometric mean of theirs, normalised.

    It sees both sides of a blank if one of them does. A word that one of them does not know has probability 0.
    """

    def __init__(self, models: Sequence[ClozeModel]) -> None:
        self.name = f" {TOGETHER} ".join(model.name for model in models)
        self.context: Literal["left", "both"] = "both" if any(one.context == "both" for one in models) else "left"
        self.models = tuple(models)

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        """See `ClozeModel`."""
        logs = [model.predict(clozes, candidates) for model in self.models]
        return (sum(logs[1:], logs[0]) / len(logs)).log_softmax(dim=1)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> None:
        """None: there is no normalised probability of whole texts."""


def asked_models(model: ClozeModel) -> list[ClozeModel]:
    """The models that a model asks, or itself."""
    if isinstance(model, Together):
        return [asked for part in model.models for asked in asked_models(part)]
    return asked_models(model.model) if isinstance(model, LeftSideOnly) else [model]


def _cut(cloze: Cloze) -> Cloze:
    end = cloze.position
    while end < len(cloze.hidden) and cloze.hidden[end]:
        end += 1
    return evolve(cloze, concrete=cloze.concrete[:end], hidden=cloze.hidden[:end])


def checkpoint_names(name: str) -> list[str]:
    """The names of the checkpoints that `open_cloze_model` reads for this name."""
    return [_plain(part) for part in _parts(name)]


def _plain(name: str) -> str:
    return name.removesuffix(_LEFT)


def _parts(name: str) -> list[str]:
    """The names of models that are asked together; the name of a folder may have the sign, too."""
    is_one = TOGETHER not in name or Path(_plain(name).removeprefix(HUGGING_FACE)).exists()
    return [name] if is_one else name.split(TOGETHER)


def open_cloze_model(name: str) -> ClozeModel:
    """The model of a name that ships, of a checkpoint directory, or `hf:` and a Hugging Face causal language model.

    With `:left` behind it the right side of each blank is taken away from the model; `A+B` are two models together.
    Raises ModelError where there is no such model, or it is damaged or fills no blanks.
    """
    parts = _parts(name)
    if len(parts) > 1:
        return Together([open_cloze_model(part) for part in parts])
    if name.endswith(_LEFT):
        return LeftSideOnly(open_cloze_model(name.removesuffix(_LEFT)))
    if name.startswith(HUGGING_FACE):
        from kgscripts.reproductions.kidscook.networks.causal_loading import load_causal_model

        return load_causal_model(name.removeprefix(HUGGING_FACE))
    from kgscripts.models.registry import load

    return load("cloze", name)
