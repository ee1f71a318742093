"""What models that ship expect of a question: the scenario that it is about, and the tools that are used.

They know the 200 listed scenarios, and the tools of the events that they were trained on. All others have probability
0, and are found by words and by vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from schemas.found import Kind


def expected(question: str, kind: Kind) -> dict[str, float]:
    """The probability of each label that a model knows: of tools for tools, else of scenarios.

    Raises ModelError if MiniLM cannot be found.
    """
    return _MODELS[kind](question)


def _scenarios(question: str) -> dict[str, float]:
    import numpy as np

    from kgscripts.models.scenarios.detector import load_detector

    detector = load_detector("default")
    # The last label is that of no scenario.
    probabilities = np.exp(detector.log_probabilities([question])[0, :-1])
    return dict(zip(detector.settings.labels, probabilities.tolist(), strict=False))


def _tools(question: str) -> dict[str, float]:
    from kgscripts.models.registry import load
    from kgscripts.models.tools.ranker import features

    ranker = load("tools", "default")
    # Unlike `ToolRanker.rank`, with the tools that the question names.
    (vector,) = ranker.vectors([question])
    probabilities = ranker.probabilities(features(ranker.known, ranker.bilinear, vector))
    return dict(zip(ranker.known.tools, probabilities.tolist(), strict=True))


_MODELS: Mapping[Kind, Callable[[str], dict[str, float]]] = {
    Kind.SCENARIO: _scenarios,
    Kind.TOOL: _tools,
    Kind.STEP: _scenarios,
}
