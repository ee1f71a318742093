"""The confidence of detected scenarios: by hand on a small example, and the floor that is chosen."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from kgscripts.models.scenarios.detector import DetectorSettings
from kgscripts.reproductions.scenarios.confidence import FLOORS, UNLISTED_SHARE, ScoredDocuments, best_floor
from schemas.scenario_documents import LabelledSegment, ScenarioDocument

SETTINGS = DetectorSettings(
    scenarios=["making coffee", "making tea"], others=["boiling an egg"], none_bias=0.0, change_cost=0.1
)
DOCUMENT = ScenarioDocument(
    id="1",
    sentences=["I ground the beans.", "I poured it.", "It rained."],
    segments=[LabelledSegment(start=0, end=2, scenarios=["making coffee"])],
)
# Of coffee, tea and none: sure and right, unsure and wrong, none.
SHARES = np.array([[0.8, 0.15, 0.05], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8]])
SCORED = ScoredDocuments([DOCUMENT], [np.log(SHARES)], SETTINGS)


def test_each_document_is_taken_as_it_is_and_without_its_scenarios() -> None:
    assert [item.scenarios for item in SCORED.found(0.0)[0]] == [("making coffee",), ("making tea",), ()]
    assert [item.scenarios for item in SCORED.found(0.7)[0]] == [("making coffee",), (), ()]
    [left] = SCORED.found_without_own(0.0)
    # Without coffee, tea has 0.75 and 0.86 of the first two sentences.
    assert [(item.start, item.end, item.scenarios) for item in left] == [(0, 2, ("making tea",)), (2, 3, ())]
    assert left[0].confidence == pytest.approx((0.75 + 6 / 7) / 2, abs=1e-3)
    assert SCORED.unlisted_as_none(0.0) == pytest.approx(1 / 3)
    assert SCORED.unlisted_as_none(0.9) == 1


def test_the_floor_leaves_out_what_is_wrong_and_keeps_what_is_right() -> None:
    # Two of three labels are right without a floor; with one above 0.6, the second sentence is None instead of tea.
    assert SCORED.quality(0.0) == pytest.approx((1 - UNLISTED_SHARE) * 2 / 3 + UNLISTED_SHARE / 3)
    assert best_floor(SCORED) == max(FLOORS, key=lambda floor: (round(SCORED.quality(floor), 6), -floor))
    right = attrs.evolve(SCORED, scores=[np.log(np.array([[0.8, 0.1, 0.1], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]]))])
    assert right.quality(0.5) == pytest.approx(1 - UNLISTED_SHARE + UNLISTED_SHARE * right.unlisted_as_none(0.5))
    assert right.quality(0.85) < right.quality(0.5), "a floor above what is right costs it"
