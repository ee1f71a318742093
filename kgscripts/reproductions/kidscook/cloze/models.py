"""Opening cloze models by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from attrs import evolve

from kgscripts.models.cloze import Cloze, ClozeModel

if TYPE_CHECKING:
    import torch

_LEFT = ":left"


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


def _cut(cloze: Cloze) -> Cloze:
    end = cloze.position
    while end < len(cloze.hidden) and cloze.hidden[end]:
        end += 1
    return evolve(cloze, concrete=cloze.concrete[:end], hidden=cloze.hidden[:end])


def checkpoint_name(name: str) -> str:
    """The name of the checkpoint that `open_cloze_model` reads for this name."""
    return name.removesuffix(_LEFT)


def open_cloze_model(name: str) -> ClozeModel:
    """The model of a name that ships, or of a checkpoint directory.

    With `:left` behind it the right side of each blank is taken away from the model. Raises ModelError where there is
    no such model, or it is damaged or fills no blanks.
    """
    from kgscripts.models.registry import load

    model = load("cloze", checkpoint_name(name))
    return LeftSideOnly(model) if name.endswith(_LEFT) else model
