"""Searching a graph: by words and by meaning, joined by their ranks.

Models that ship expand a question by what they expect: the scenario that it is about, and the tools that are used.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kgscripts.models.stored_vectors import SCALE
from kgscripts.search import meaning, words
from kgscripts.search.entries import Answer, Found, Kind, entries, passages
from schemas.arguments import check_number, check_texts, check_type, shown
from schemas.errors import ConfigurationError, ModelError
from schemas.kept_stores import is_kept, kept_store, use_store
from schemas.output_files import new_directory, new_file
from schemas.script_graph import StoredGraph, check_graph

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


T = TypeVar("T")

_CONSTANT = 60
"""The constant of reciprocal rank fusion, as Cormack et al. (2009) have it."""
_BEST = 100
"""The number of best entries by words, and by meaning, that are joined; twice as many can be found at most."""


def search(
    graph: StoredGraph,
    question: str,
    *,
    kind: str | Kind | None = None,
    limit: int = 5,
    by_meaning: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Answer:
    """Find the steps, tools and scenarios of a graph that a question is about, the best `limit` of each kind.

    What has all words of the question (SQLite full text) comes first, in its names and what it has to do with (BM25),
    or in a passage that tells it. This ranking and that by meaning (MiniLM) are joined by reciprocal rank fusion: each
    gets 1 / (60 + rank) for either rank that it has. Both indexes are made under the graph's directory on first use.
    Meanings are not compared where words fill the answer, without MiniLM, or if `by_meaning` is false; then
    `Answer.meaning` is false.

    While the vectors are made, `progress` is called with the number of nodes that have theirs, and of all nodes.

    Raises
    ------
    ConfigurationError
        If an argument has another type, the question has no letter or digit, or there is no such kind.
    StoreError
        If an index cannot be written or read.
    GraphDirectoryError
        If the graph is damaged.
    """
    check_graph(graph)
    chosen = _check(question, kind, limit)
    if progress is not None:
        check_type("progress", progress, Callable, "give a function")  # type: ignore[arg-type]
    searcher = Searcher(graph, by_meaning=by_meaning, progress=progress)
    return searcher.answer(question, tuple(Kind) if chosen is None else (chosen,), limit)


class Searcher:
    """Answers questions about one graph, by words or by meaning only if asked to; keeps nothing open."""

    def __init__(
        self,
        graph: StoredGraph,
        *,
        by_words: bool = True,
        by_meaning: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._graph = graph
        self._by_words = by_words
        self._by_meaning = by_meaning
        self._progress = progress or _no_progress

    def answer(self, question: str, kinds: Sequence[Kind], limit: int) -> Answer:
        """The best of each kind, one kind after the other.

        Meanings are not compared if so many entries of each kind have all words of the question, which come first.
        """
        exact: dict[Kind, list[int]] = {kind: [] for kind in kinds}
        if self._by_words:
            exact = self._in_words(lambda index: {kind: index.exact(question, kind, _BEST) for kind in kinds})
        is_enough = all(len(numbers) >= limit for numbers in exact.values())
        vector = None if is_enough else self._vector(question)
        near = (
            {}
            if vector is None
            else use_store(
                lambda: vectors_store(self._graph, self._progress),
                lambda path: {
                    kind: meaning.Meanings(path).best(vector, kind, _BEST, expected(vector, kind)) for kind in kinds
                },
            )
        )

        def joined(index: words.Words) -> Iterator[Found]:
            for kind in kinds:
                # What has one of the words only is found by its meaning, and better.
                more = index.more(question, kind, _BEST) if self._by_words and not near else ()
                yield from self._joined(index, exact[kind], more, near.get(kind, ()), limit)

        every = self._in_words(lambda index: tuple(joined(index)))
        return Answer(question=question, meaning=vector is not None, found=every)

    def _in_words(self, use: Callable[[words.Words], T]) -> T:
        """The result of `use` for the index of words."""

        def opened(path: Path) -> T:
            with words.opened_words(path) as index:
                return use(index)

        return use_store(lambda: words_store(self._graph), opened)

    def _vector(self, question: str) -> NDArray[np.int8] | None:
        """That of the question; None if only words are compared."""
        if not self._by_meaning:
            return None
        from kgscripts.models.sentence_vectors import quantised_vectors

        try:
            vector: NDArray[np.int8] = quantised_vectors([question])[0]
        # Words alone answer, too.
        except ModelError:
            return None
        return vector

    def _joined(
        self, index: words.Words, exact: Sequence[int], more: Sequence[int], near: Sequence[int], limit: int
    ) -> Iterator[Found]:
        """The entries of two rankings, that of words and that of meaning: the exact ones first, each best first."""
        named = list(dict.fromkeys([*exact, *more]))
        has_all = frozenset(exact)
        by_words, by_meaning = ({number: rank for rank, number in enumerate(each, start=1)} for each in (named, near))
        scores = {
            number: sum(1 / (_CONSTANT + ranks[number]) for ranks in (by_words, by_meaning) if number in ranks)
            for number in sorted({*named, *near})
        }
        best = sorted(scores, key=lambda number: (number not in has_all, -scores[number], number))[:limit]
        rows = index.rows(best)
        for number in best:
            kind, node, label, scenario, support = rows[number]
            yield Found(
                kind=kind,
                iri=self._graph.iri(node),
                label=label,
                scenario=scenario,
                support=support,
                score=scores[number],
                by_words=by_words.get(number),
                by_meaning=by_meaning.get(number),
            )


def vectors_of(graph: StoredGraph) -> Iterator[tuple[Kind, str, list[float]]]:
    """The kind, the IRI and the vector of each scenario, tool and step, for stores that search themselves.

    An entry with several vectors has their mean. Raises ModelError if MiniLM cannot be found.
    """
    numbered = enumerate(entries(graph), start=1)
    index = meaning.Meanings(vectors_store(graph, _no_progress))
    for kind, own in groupby(numbered, key=lambda item: item[1].kind):
        for (_, entry), vector in zip(own, index.means(kind), strict=True):
            yield kind, graph.iri(entry.id), vector.tolist()


def question_vector(question: str) -> list[float]:
    """The vector of a question, to be compared with those of `vectors_of`; raises ModelError without MiniLM."""
    from kgscripts.models.sentence_vectors import quantised_vectors

    vector: list[float] = (quantised_vectors([question])[0] / SCALE).tolist()
    return vector


def words_store(graph: StoredGraph) -> Path:
    """The index of words, made if there is none."""
    return kept_store(
        graph, "words", words.FORMAT, new_file, lambda path: words.write_words(path, entries(graph), passages(graph))
    )


def vectors_store(graph: StoredGraph, progress: Callable[[int, int], None]) -> Path:
    """The index of meaning, made if there is none; `progress` as in `search`. Raises ModelError without MiniLM."""

    def write(path: Path) -> None:
        every = sum(map(graph.manifest.rows, ("SubEvent", "Tool", "Scenario")))
        parts = graph.directory / "stores" / ".vectors.parts"
        progress(0, every)
        meaning.write_vectors(path, entries(graph), lambda done: progress(done, every), parts)
        shutil.rmtree(parts, ignore_errors=True)

    return kept_store(graph, "vectors", meaning.FORMAT, new_directory, write)


def has_vectors(graph: StoredGraph) -> bool:
    """Whether the index of meaning is there."""
    return is_kept(graph, "vectors", meaning.FORMAT)


def _no_progress(_done: int, _every: int) -> None:
    pass


def _check(question: str, kind: str | Kind | None, limit: int) -> Kind | None:
    check_type("question", question, str, "ask in words")
    check_texts(question=question)
    check_number("limit", limit, least=1)
    if not any(char.isalnum() for char in question):
        raise ConfigurationError("the question has no word", remedy="ask for a step, a tool or a scenario in words")
    if kind is None:
        return None
    if kind not in tuple(Kind):
        raise ConfigurationError(f"there is no kind {shown(kind)}", remedy=f"name one of {', '.join(Kind)}")
    return Kind(kind)
