"""What models that ship expect of a question: the scenario that it is about, and the tools that are used.

They know the 200 listed scenarios, and the tools of the events that they were trained on. All others have probability
0, and are found by words and by vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kgscripts.search.entries import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def expected(vector: NDArray[np.int8], kind: Kind) -> dict[str, float]:
    """The probability of each label that a model knows, for a question with this vector (`quantised_vector`): of tools
    for tools, else of scenarios.

    Raises ModelError if a model cannot be found.
    """
    return _MODELS[kind](vector[None])


def _scenarios(vectors: NDArray[np.int8]) -> dict[str, float]:
    import numpy as np

    from kgscripts.models.scenarios.detector import load_detector

    detector = load_detector("default")
    # The last label is that of no scenario.
    probabilities = np.exp(detector.log_probabilities_of(vectors)[0, :-1])
    return dict(zip(detector.settings.labels, probabilities.tolist(), strict=False))


def _tools(vectors: NDArray[np.int8]) -> dict[str, float]:
    from kgscripts.models.registry import load
    from kgscripts.models.tools.ranker import features, projected

    ranker = load("tools", "default")
    # Unlike `ToolRanker.rank`, with the tools that the question names.
    (vector,) = projected(vectors, ranker.projection)
    probabilities = ranker.probabilities(features(ranker.known, ranker.bilinear, vector))
    return dict(zip(ranker.known.tools, probabilities.tolist(), strict=True))


_MODELS: Mapping[Kind, Callable[[NDArray[np.int8]], dict[str, float]]] = {
    Kind.SCENARIO: _scenarios,
    Kind.TOOL: _tools,
    Kind.STEP: _scenarios,
}
