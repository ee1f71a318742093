"""Opening cloze models by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from attrs import evolve

from kgscripts.models.cloze.protocol import Cloze, ClozeModel
from schemas.errors import ModelError

if TYPE_CHECKING:
    import torch

_LEFT = ":left"
VITERBI = ":viterbi"
_HUGGING_FACE = "hf:"


class LeftSideOnly:
    """A cloze model of both sides from which the text to the right of the blank is hidden.

    The model still sees the number of words in the blank (section 4.1), but not the length of the following text.
    """

    context: Literal["left", "both"] = "left"

    def __init__(self, model: ClozeModel) -> None:
        self.name = f"{model.name}, left side only"
        self._model = model

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        """See `ClozeModel`."""
        return self._model.predict([_cut(cloze) for cloze in clozes], candidates)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> None:
        """None, since the overall probability of a model of both sides depends on the right side."""


def _cut(cloze: Cloze) -> Cloze:
    end = cloze.position
    while end < len(cloze.hidden) and cloze.hidden[end]:
        end += 1
    return evolve(cloze, concrete=cloze.concrete[:end], hidden=cloze.hidden[:end])


def checkpoint_name(name: str) -> str:
    """The name of the checkpoint that `open_cloze_model` reads for this name."""
    return name.removesuffix(_LEFT).removesuffix(VITERBI)


def open_cloze_model(name: str) -> ClozeModel:
    """The model of a name that ships, of a checkpoint directory, or `hf:` and a Hugging Face causal language model.

    With `:left` behind it the right side of each blank is taken away from the model; with `:viterbi` a transducer
    fills each blank from one alignment, as it was published.
    Raises ModelError where there is no such model, it is damaged or fills no blanks, or aligns nothing.
    """
    if name.endswith(_LEFT):
        return LeftSideOnly(open_cloze_model(name.removesuffix(_LEFT)))
    if name.endswith(VITERBI):
        return _with_viterbi_slots(open_cloze_model(name.removesuffix(VITERBI)))
    if name.startswith(_HUGGING_FACE):
        from kgscripts.models.cloze.causal_loading import load_causal_model

        return load_causal_model(name.removeprefix(_HUGGING_FACE))
    from kgscripts.models.registry import load

    return load("cloze", name)


def _with_viterbi_slots(model: ClozeModel) -> ClozeModel:
    from kgscripts.models.cloze.left_context import TransducerModel

    if not isinstance(model, TransducerModel):
        raise ModelError(f"{model.name} has no alignments", remedy=f"{VITERBI} is for transducers")
    return model.with_viterbi_slots()
