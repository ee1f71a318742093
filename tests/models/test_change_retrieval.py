"""Retrieval of state changes: what is found, what is put in, and which set is chosen."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import attrs
import numpy as np
import pytest
import torch

from kgscripts.models.checkpoint import Checkpoint, ModelCard, load_checkpoint, save_checkpoint
from kgscripts.models.registry import load
from kgscripts.models.stored_vectors import SCALE
from kgscripts.reproductions.openpi.composer.neighbours import KnownSteps
from kgscripts.reproductions.openpi.composer.substitution import Noun, nouns_of, substituted, substitutes
from kgscripts.reproductions.openpi.retrieval import (
    ChangeRetriever,
    RetrievalSettings,
    retrieval_checkpoint,
    retrieval_model,
)
from schemas.changes import Change, ProcedureStep
from schemas.errors import ModelError

TEXTS = ("Combine the apricots in a blender.", "Sweep the floor with a broom.", "Wait until the bell rings.")
CHANGES = (
    (
        Change(entity="apricots", attribute="location", before="on counter", after="in blender"),
        Change(entity="the blender", attribute="fullness", before="empty", after="full"),
    ),
    (Change(entity="floor", attribute="cleanness", before="dirty", after="clean"),),
    (),
)
CARD = ModelCard(name="retrieval", version="1", task="state changes", licence="MIT", data="three steps", command="")


@pytest.fixture(scope="module")
def known() -> KnownSteps:
    return KnownSteps.of(TEXTS, CHANGES)


@pytest.fixture
def saved(known: KnownSteps, tmp_path: Path) -> Path:
    settings = RetrievalSettings(neighbours=1, changes=5)
    save_checkpoint(retrieval_checkpoint(known, settings, CARD), tmp_path / "model")
    return tmp_path / "model"


def test_the_changes_of_the_nearest_step_are_rewritten(saved: Path) -> None:
    model = load("state-changes", saved)
    found = model.predict([ProcedureStep(text="Combine the eggs in a mixer."), ProcedureStep(text=TEXTS[2])])
    assert {one.change for one in found[0]} == {
        Change(entity="eggs", attribute="location", before="on counter", after="in mixer"),
        Change(entity="the mixer", attribute="fullness", before="empty", after="full"),
    }
    assert found[1] == []
    assert model.model.name == "retrieval"
    assert all(one.log_probability == 0.0 for one in found[0])


def test_a_checkpoint_holds_all_that_is_known(saved: Path, known: KnownSteps) -> None:
    read = retrieval_model(load_checkpoint(saved))._search._known
    assert read.changes == list(known.changes)
    assert [list(nouns) for nouns in read.nouns] == [list(nouns) for nouns in known.nouns]
    assert np.array_equal(read.vectors, known.vectors)
    assert list(read.lemmas) == list(known.lemmas)
    assert {noun.lemma for noun in known.nouns[0]} == {"apricot", "blender"}
    assert not known.nouns[2]


def _damaged(checkpoint: Checkpoint, damage: str) -> Checkpoint:
    tensors, files, settings = dict(checkpoint.as_torch()), dict(checkpoint.files), dict(checkpoint.settings)
    if damage in tensors:
        tensors[damage] = tensors[damage][:-1]
    match damage:
        case "no vectors":
            del tensors["vectors"]
        case "unknown string":
            tensors["changes"] = tensors["changes"] + 1000
        case "negative count":
            tensors["change_counts"] = torch.tensor([4, -1, 0], dtype=torch.int32)
        case "other columns":
            tensors["changes"] = tensors["changes"][:, :3]
        case "no JSON":
            files["strings.json"] = b"{"
        case "deep JSON":
            files["strings.json"] = b"[" * 100_000
        case "no strings":
            files["strings.json"] = b"[" + b"1," * 20 + b"1]"
        case "odd setting":
            settings["neighbours"] = 0
        case "foreign setting":
            settings["cooks"] = 3
    return attrs.evolve(checkpoint, tensors=tensors, files=files, settings=settings)


DAMAGES = (
    *("vectors", "noun_vectors", "changes", "change_counts", "nouns", "noun_counts", "no vectors", "unknown string"),
    *("negative count", "other columns", "no JSON", "deep JSON", "no strings", "odd setting", "foreign setting"),
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoints_are_refused(saved: Path, damage: str) -> None:
    save_checkpoint(_damaged(load_checkpoint(saved), damage), saved.parent / "damaged")
    with pytest.raises(ModelError):
        load("state-changes", saved.parent / "damaged")


def test_nouns_that_both_steps_have_stay() -> None:
    vectors = {lemma: np.zeros(384, dtype=np.float32) for lemma in ("pan", "egg", "potato", "spoon")}
    for place, lemma in enumerate(vectors):
        vectors[lemma][place] = SCALE
    vectors["potato"][1] = SCALE * 0.5
    known, new = [Noun("pan", "pan"), Noun("eggs", "egg")], [Noun("pans", "pan"), Noun("potatoes", "potato")]
    assert substitutes(known, new, vectors, 0.1) == {"egg": "potatoes", "eggs": "potatoes"}
    assert substitutes(known, new, vectors, 0.6) == {}
    assert substitutes(known, [*new, Noun("spoon", "spoon")], vectors, 0.0)["eggs"] == "potatoes"
    assert substitutes([], new, vectors, 0.1) == substitutes(known, [], vectors, 0.1) == {}


def test_words_are_replaced_once_and_in_all_values() -> None:
    change = Change(entity="Eggs and egg-cup", attribute="eggs", before="in eggs", after="eggshells")
    found = substituted(change, {"eggs": "egg", "egg": "ham"})
    assert found == Change(entity="egg and egg-cup", attribute="eggs", before="in egg", after="eggshells")


def _best_set(overlaps: np.ndarray, agreement: np.ndarray, weights: np.ndarray, size: int) -> float:
    """The highest precision plus recall of any set, by trying all."""
    return max(_worth(list(chosen), overlaps, agreement, weights) for chosen in combinations(range(len(weights)), size))


def _worth(chosen: list[int], overlaps: np.ndarray, agreement: np.ndarray, weights: np.ndarray) -> float:
    return float(agreement[chosen].sum() / len(chosen) + overlaps[chosen].max(axis=0) @ weights)


@pytest.mark.parametrize("seed", range(20))
def test_the_chosen_set_is_nearly_the_best(known: KnownSteps, seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.random((9, 9))
    overlaps = np.maximum(rows, rows.T)
    np.fill_diagonal(overlaps, 1.0)
    weights, agreement = draw.dirichlet(np.ones(9)), draw.random(9)
    changes = [Change(entity=f"e{place}") for place in range(9)]
    model = ChangeRetriever(known, RetrievalSettings(changes=3), load("state-changes", "retrieval").model)
    chosen = model._choose(changes, agreement, overlaps, weights)
    assert len(set(chosen)) == 3
    # Greedy choice of a monotone submodular function (Nemhauser et al. 1978).
    best = _best_set(overlaps, agreement, weights, 3)
    assert _worth(chosen, overlaps, agreement, weights) >= (1 - 1 / np.e) * best


STEPS = [
    ProcedureStep(text="Pour the batter into the pan.", context=("Mix flour and milk.",), title="Bake a Cake"),
    ProcedureStep(text="🍳🔥"),
    ProcedureStep(text="鍋を火にかける。"),
    ProcedureStep(text=" "),
    ProcedureStep(text="\x00\u202e!!"),
    ProcedureStep(text="stir the soup with a spoon and " * 700),
    ProcedureStep(text="Close the door."),
]


def test_the_model_that_ships_is_small_and_reads_anything() -> None:
    model = load("state-changes", "retrieval")
    found = model.predict(STEPS)
    assert [found[place] for place in (6, 0)] == model.predict([STEPS[6], STEPS[0]])
    assert model.predict([]) == []
    for changes in found:
        assert len(changes) <= 10
        keys = [(one.change.entity.lower(), one.change.attribute.lower(), one.change.after.lower()) for one in changes]
        assert len(set(keys)) == len(keys)
        logs = [one.log_probability for one in changes]
        assert logs == sorted(logs, reverse=True)
        assert all(log <= 0 for log in logs)
    assert any("batter" in one.change.entity for one in found[0])


def test_nouns_are_in_lower_case() -> None:
    assert list(nouns_of(["Peel the Potatoes.", "Go!"])) == [(Noun("potatoes", "potato"),), ()]


def test_a_step_beyond_the_limit_of_spacy_is_read(saved: Path) -> None:
    (nouns,) = nouns_of(["Peel the potatoes. " * 60_000])
    assert set(nouns) == {Noun("potatoes", "potato")}
    (found,) = load("state-changes", saved).predict([ProcedureStep(text="Combine the eggs in a mixer. " * 40_000)])
    assert {one.change.entity for one in found} == {"eggs", "the mixer"}
