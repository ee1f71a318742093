"""The adapters of `weights/` over the language model that they belong to (``make test-llm``, which installs it).

No other test has its 98 MB of weights.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from schemas.provenance import Exposure
from tests.extractors.llm.real_model import PYTHON
from tests.models.test_shipped import check_slice
from tests.test_weights import WEIGHTS

FOLDERS = sorted(path.parent for path in (WEIGHTS / "kgscripts_weights").glob("*/model_card.json"))

# What the language model has read is not known.
EXPOSURES = {Exposure.UNKNOWN}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the package with the language model be found; it lies in another environment."""
    (found,) = Path(os.environ[PYTHON]).parent.parent.glob("lib/python*/site-packages")
    monkeypatch.setattr(sys, "path", [*sys.path, str(found)])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_scores_on_the_slice_are_those_of_the_card(folder: Path) -> None:
    check_slice(str(folder), EXPOSURES)
