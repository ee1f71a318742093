"""The tool ranker: against a plain implementation, and files that do not fit together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from attrs import evolve

from kgscripts.models.checkpoint import Checkpoint, ModelCard, load_checkpoint, save_checkpoint
from kgscripts.models.registry import load
from kgscripts.models.tools.ranker import (
    NEIGHBOURS,
    STRINGS,
    TEMPERATURE,
    Bilinear,
    KnownEvents,
    ToolRanker,
    features,
    ranker_checkpoint,
    tool_ranker,
    units,
)
from schemas.errors import ModelError

TOOLS = ("bucket", "mop", "pump")
CARD = ModelCard(name="tiny", version="1", task="tools", licence="CC0-1.0", data="made up", command="none")


def tiny(events: int = 30, size: int = 4) -> ToolRanker:
    draw = np.random.default_rng(0)
    known = KnownEvents(
        TOOLS, ((0, 1), (2,), ()), draw.integers(3, size=events), units(draw.standard_normal((events, size)))
    )
    bilinear = Bilinear(
        draw.standard_normal((size, size)),
        draw.standard_normal(size),
        units(draw.standard_normal((4, size))),
        draw.standard_normal(4),
        3.0,
    )
    return ToolRanker(known, bilinear, draw.standard_normal((size, 384)), np.array([1, 0.5, 0.4, -0.1, -1, 0.2]))


def test_the_features_are_those_of_a_plain_implementation() -> None:
    ranker = tiny()
    known, bilinear = ranker.known, ranker.bilinear
    vector = units(np.random.default_rng(1).standard_normal((1, 4)))[0]
    kept = np.arange(30) % 5 != 0
    found = features(known, bilinear, vector, kept)

    mapped = bilinear.event_map @ vector + bilinear.offset
    cosines = [tool @ mapped / np.linalg.norm(mapped) for tool in bilinear.tools]
    scores = [np.exp(3.0 * cosine + bias) for cosine, bias in zip(cosines, bilinear.biases, strict=True)]
    near = sorted(((float(known.vectors[e] @ vector), e) for e in range(30) if kept[e]), reverse=True)[:NEIGHBOURS]
    weights = [np.exp(cosine / TEMPERATURE) for cosine, _ in near]
    for tool in range(3):
        votes = [
            next((1 / (1 + 0.15 * place) for place, own in enumerate(group) if own == tool), 0.0)
            for group in (known.groups[known.group_of[event]] for _, event in near)
        ]
        share = sum(w * v for w, v in zip(weights, votes, strict=True)) / sum(weights)
        none = sum(w for w, (_, e) in zip(weights, near, strict=True) if not known.groups[known.group_of[e]])
        expected = [
            np.log(scores[tool] / sum(scores)),
            np.log(share + 0.01),
            max((cosine for (cosine, _), vote in zip(near, votes, strict=True) if vote), default=0.0),
            np.log(scores[3] / sum(scores)),
            none / sum(weights),
        ]
        assert found[tool] == pytest.approx([expected[0], expected[1], max(expected[2], 0.0), *expected[3:]])


def test_a_checkpoint_ranks_as_the_model_that_was_saved(tmp_path: Path) -> None:
    ranker = tiny()
    save_checkpoint(ranker_checkpoint(ranker, CARD), tmp_path / "model")
    loaded = load("tools", tmp_path / "model")
    assert loaded.known.groups == ranker.known.groups
    np.testing.assert_allclose(loaded.known.vectors, ranker.known.vectors, atol=0.01)
    for event in ("mop the floor", "pump up a tyre"):
        before, after = ({tool.lemma: tool.probability for tool in one.rank([event])[0]} for one in (ranker, loaded))
        assert after == pytest.approx(before, abs=0.05)
        assert len(after) == 2, "what the event itself names is no answer"


def test_a_ranking_depends_on_its_event_alone() -> None:
    ranker = load("tools", "default")
    events = ["change a bicycle tyre", "say hello to the neighbour", "mop the floor", "brew coffee"]
    together = ranker.rank(events)
    assert together == [ranker.rank([event])[0] for event in events]
    assert together == ranker.rank(events[::-1])[::-1]
    for tools in together:
        assert [tool.probability for tool in tools] == sorted((t.probability for t in tools), reverse=True)
    assert [len(tools) for tools in ranker.rank(events, least=0.5)] == [
        sum(tool.probability >= 0.5 for tool in tools) for tools in together
    ]
    assert ranker.rank(events[1:2], least=0.5) == [[]]
    assert "mop" not in {tool.lemma for tool in together[2]}
    assert ranker.rank([]) == []
    assert len(ranker.rank([""])) == 1


def _without_a_group(parts: dict[str, torch.Tensor]) -> None:
    parts["group_of"][0] = 7


def _without_a_tool(parts: dict[str, torch.Tensor]) -> None:
    parts["group_tools"][0] = 3


def _of_another_size(parts: dict[str, torch.Tensor]) -> None:
    parts["events"] = parts["events"][:, :3]


def _not_finite(parts: dict[str, torch.Tensor]) -> None:
    parts["offset"][0] = float("nan")


def _too_few_events(parts: dict[str, torch.Tensor]) -> None:
    parts["events"], parts["group_of"] = parts["events"][:5], parts["group_of"][:5]


def _lost_weights(parts: dict[str, torch.Tensor]) -> None:
    del parts["weights"]


@pytest.mark.parametrize(
    "damage",
    [_without_a_group, _without_a_tool, _of_another_size, _not_finite, _too_few_events, _lost_weights],
)
def test_files_that_do_not_fit_together_are_refused(
    damage: Callable[[dict[str, torch.Tensor]], None], tmp_path: Path
) -> None:
    whole = ranker_checkpoint(tiny(), CARD)
    parts = {name: tensor.clone() for name, tensor in whole.as_torch().items()}
    damage(parts)
    save_checkpoint(evolve(whole, tensors=parts), tmp_path / "model")
    with pytest.raises(ModelError, match="do not fit together") as refused:
        load("tools", tmp_path / "model")
    assert refused.value.remedy


@pytest.mark.parametrize("names", [["bucket", "bucket", "pump"], ["bucket", 3, "pump"], ["bucket"]])
def test_names_that_do_not_fit_are_refused(names: list[object]) -> None:
    checkpoint: Checkpoint = ranker_checkpoint(tiny(), CARD)
    with pytest.raises(ModelError, match="do not fit together"):
        tool_ranker(evolve(checkpoint, files={STRINGS: json.dumps({"tools": names}).encode()}))


def test_what_ships_is_small() -> None:
    from kgscripts.models.registry import find_checkpoint

    folder = find_checkpoint("default", "tools")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 2_000_000
    assert load_checkpoint(folder).card.licence == "CC0-1.0"
