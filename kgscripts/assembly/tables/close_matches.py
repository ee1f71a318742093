"""CLOSE_MATCH: the same step of another scenario, by the vectors and the words of its actions.

Steps of two scenarios match if each is the nearest one of its scenario to the other, by the mean vectors of their
actions, and if they share wordings. The number of matches of a step is limited, since most scenarios have steps such as
"wait".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.assembly.engine import ACTION_PARTS, Engine, arrow_table
from kgscripts.assembly.step import Step, rows, tables_in
from kgscripts.assembly.tables.alternatives import ActionKey, usual_steps
from kgscripts.assembly.tables.clusters import cluster_key
from kgscripts.assembly.tables.order import by_group
from kgscripts.models.stored_vectors import SCALE, decoded
from kgscripts.typicality.features import Vectors

LEAST_SOURCES = 3
MOST_STEPS = 100
"""At most this number of steps of a scenario, those with the most support, are compared with those of other
scenarios."""
MOST_MATCHES = 3
"""At most this number of matches of a step are kept, the most similar ones."""

LEAST_SIMILARITY = 82 * SCALE * SCALE // 100
"""The least cosine, 0.82, of vectors of the length `SCALE`."""
_LEAST_SHARED, _LEAST_SPECIFIC = 30, 10
"""The least percentage of the mentions of two steps that share their actions: of all actions, and of actions with an
object or a place (a verb alone, such as "ask", says too little)."""

_ACTIONS = f"""
    WITH usual AS ({usual_steps(LEAST_SOURCES, MOST_STEPS)})
    SELECT r.scenario, r.step, r.mentions, o.values, u.label,
           {", ".join(f"a.{part}" for part in ACTION_PARTS)}
    FROM (SELECT scenario, step, action, count(DISTINCT mention) AS mentions FROM realization JOIN usual
          USING (scenario, step) GROUP BY ALL) r
         JOIN usual u USING (step) JOIN action a USING (action) JOIN action_vector_of o ON o.target = r.action
    ORDER BY r.scenario, r.step, r.action
"""

_SCHEMA = pa.schema(
    [("start", pa.int32()), ("end", pa.int32()), ("shared", pa.float64()), ("similarity", pa.float64())]
)


@frozen(eq=False)
class Steps:
    """Steps, ascending by scenario: mean vectors of shape (steps, size), mentions of each wording, wording of the
    label."""

    scenario: NDArray[np.int32]
    step: NDArray[np.int32]
    vectors: Vectors
    wordings: Sequence[Mapping[ActionKey, int]]
    labels: Sequence[ActionKey]


@frozen(order=True)
class Match:
    """Two steps, by index. `shared` and `similarity` are in ten-thousandths."""

    similarity: int
    one: int
    other: int
    shared: int


def steps(has_vectors: bool) -> list[Step]:
    """The table `close_match_pair` (start, end, shared, similarity), empty without the enricher of vectors."""
    if has_vectors:
        return [Step("close_match_pair", ("close_match_pair",), tables_in(_ACTIONS), _find)]
    return [rows("close_match_pair", _SCHEMA.empty_table)]


def _find(tables: Engine) -> None:
    steps = _read(tables)
    numbers = steps.step
    matches = close_matches(steps)
    pairs = sorted((*sorted((numbers[match.one], numbers[match.other])), match) for match in matches)
    content = [(start, end, match.shared / 10_000, match.similarity / 10_000) for start, end, match in pairs]
    tables.add("close_match_pair", arrow_table(content, _SCHEMA))


def close_matches(steps: Steps) -> Iterator[Match]:
    """The matches of steps, at most `MOST_MATCHES` for each; among equally similar ones, the first."""
    matches: Counter[int] = Counter()
    for match in sorted(_nearest(steps), key=lambda match: (-match.similarity, match.one, match.other)):
        if matches[match.one] < MOST_MATCHES and matches[match.other] < MOST_MATCHES:
            matches.update((match.one, match.other))
            yield match


def _nearest(steps: Steps) -> Iterator[Match]:
    """All pairs of steps that are nearest to each other and share enough of their wordings."""
    starts = np.flatnonzero(np.diff(steps.scenario, prepend=-1))
    ends = np.append(starts, len(steps.scenario))[1:]
    vectors = steps.vectors.astype(np.float32)
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        # Exact: sums of 384 products of two int8 values stay below 2**24.
        products = vectors[start:end] @ vectors[end:].T
        for first, last in zip(starts[number + 1 :], ends[number + 1 :], strict=True):
            both = products[:, first - end : last - end]
            forwards, backwards = both.argmax(axis=1), both.argmax(axis=0)
            # Nearest to each other: the nearest step of a step has that step as its nearest.
            for row in np.flatnonzero(backwards[forwards] == np.arange(len(both))).tolist():
                product = int(both[row, forwards[row]])
                one, other = int(start) + row, int(first) + int(forwards[row])
                if product < LEAST_SIMILARITY:
                    continue
                if steps.labels[one] not in steps.wordings[other] or steps.labels[other] not in steps.wordings[one]:
                    continue
                shared, specific, whole = _shared(steps.wordings[one], steps.wordings[other])
                if 100 * shared >= _LEAST_SHARED * whole and 100 * specific >= _LEAST_SPECIFIC * whole:
                    # Vectors are rounded to integers, so that equal ones can have a little more than 1.
                    similarity = min(10_000, _in_ten_thousandths(product, SCALE * SCALE))
                    yield Match(similarity, one, other, _in_ten_thousandths(shared, whole))


def _shared(one: Mapping[ActionKey, int], other: Mapping[ActionKey, int]) -> tuple[int, int, int]:
    """The overlap of the wordings of two steps: the sum of the smaller share of each common wording. Returned are the
    numerators for all wordings and for those with an object or a place, and their denominator."""
    mentions, others = sum(one.values()), sum(other.values())
    lesser = {key: min(one[key] * others, other[key] * mentions) for key in one.keys() & other.keys()}
    return sum(lesser.values()), sum(value for key, value in lesser.items() if any(key[2:])), mentions * others


def _in_ten_thousandths(part: int, whole: int) -> int:
    return (2 * 10_000 * part + whole) // (2 * whole)


def _read(tables: Engine) -> Steps:
    scenarios: list[int] = []
    numbers: list[int] = []
    vectors: list[Vectors] = []
    wordings: list[Counter[ActionKey]] = []
    labels: list[ActionKey] = []
    for of_step in by_group(tables.rows(_ACTIONS), "step"):
        mentions = of_step["mentions"].to_pylist()
        scenarios.append(of_step["scenario"][0].as_py())
        numbers.append(of_step["step"][0].as_py())
        vectors.append(mean_vector(decoded(of_step["values"].to_pylist()), np.array(mentions, np.int64)))
        counts: Counter[ActionKey] = Counter()
        label: str = of_step["label"][0].as_py()
        labelled: ActionKey = ()
        parts = zip(*(of_step[part].to_pylist() for part in ACTION_PARTS), strict=True)
        for action, number in zip(parts, mentions, strict=True):
            key = cluster_key(action)
            counts[key] += number
            if label in (" ".join(filter(None, action)), " ".join(filter(None, key))):
                labelled = key
        wordings.append(counts)
        labels.append(labelled)
    return Steps(
        scenario=np.array(scenarios, np.int32),
        step=np.array(numbers, np.int32),
        vectors=np.stack(vectors) if vectors else np.zeros((0, 0), np.int8),
        wordings=wordings,
        labels=labels,
    )


def mean_vector(vectors: Vectors, mentions: NDArray[np.int64]) -> Vectors:
    """The mean of vectors of shape (actions, size), weighted by mentions, as a unit vector times `SCALE`."""
    summed = (vectors.astype(np.int64) * mentions[:, None]).sum(axis=0)
    length = np.sqrt(float((summed * summed).sum()))
    return np.asarray(np.clip(np.rint(summed * SCALE / max(length, 1.0)), -127, 127), np.int8)
