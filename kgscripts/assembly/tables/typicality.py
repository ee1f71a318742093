"""HAS_SUB_EVENT.typicality, how probably a step is of its scenario's script and no bystander; and names of steps.

The score of an action follows from its vector and from how it resembles what the other sources of the scenario say
(`kgscripts.typicality`); a step has the mean of its mentions. A step of different actions is called by the typical one
that stands for the others best (`kgscripts.typicality.naming`).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.tables.order import by_group
from kgscripts.typicality.features import Integers, ScenarioActions, Vectors, features
from kgscripts.typicality.naming import content, naming_actions
from kgscripts.typicality.weights import shipped_weights

_MENTIONS = """
    SELECT scenario, action, document, count(*) AS mentions, sum(position)::BIGINT AS position
    FROM realization WHERE scenario > 0 GROUP BY ALL ORDER BY scenario, document, action
"""

_ACTIONS = """
    SELECT r.scenario, r.action, r.step, v.values AS own, l.values AS scenario_values, object <> '' AS has_object,
           preposition <> '' AS has_phrase, particle <> '' AS has_particle, predicate, particle, object, preposition
    FROM (SELECT DISTINCT scenario, action, step FROM realization WHERE scenario > 0) r JOIN action a USING (action)
         JOIN vector v ON v.target = r.action JOIN vector l ON l.target = -r.scenario
    ORDER BY r.scenario, r.action
"""

_WORDS = ("predicate", "particle", "object", "preposition")
_SCHEMA = pa.schema([("step", pa.int32()), ("typicality", pa.float64()), ("name", pa.int32())])
_DECIMALS = 10_000

_NAMES = (
    "UPDATE step SET label = a.label FROM step_typicality n, action a WHERE n.step = step.step AND a.action = n.name",
    # Another step without its place must not have the same name.
    """
    UPDATE step SET label = a.label
    FROM action a, (SELECT scenario, label FROM step WHERE scenario > 0 GROUP BY ALL HAVING count(*) > 1) twice
    WHERE a.action = step.leader AND twice.scenario = step.scenario AND twice.label = step.label
          AND step.step IN (SELECT step FROM step_typicality WHERE name IS NULL)
    """,
)


def find_typicality(engine: Engine, version: str | None) -> None:
    """Make `step_typicality`, by step, from the vectors of the enricher with this version; empty without one.

    Steps of different actions are named anew.
    """
    found: list[pa.Table] = [_SCHEMA.empty_table()]
    if version is not None:
        engine.execute(
            "CREATE TEMP VIEW vector AS SELECT o.target, f.values FROM action_vector_of o JOIN action_vector_file f "
            f"ON f.subject = o.subject AND f.extractor = '{version}'"
        )
        # The engine streams one result at a time: the one with the vectors.
        mentions = by_group(engine.table(_MENTIONS).to_batches(), "scenario")
        actions = by_group(engine.rows(_ACTIONS), "scenario")
        found += [_of_scenario(*both) for both in zip(mentions, actions, strict=True)]
    engine.add("step_typicality", pa.concat_tables(found))
    for statement in _NAMES:
        engine.execute(statement)


def _of_scenario(mentions: pa.Table, actions: pa.Table) -> pa.Table:
    numbers = actions["action"].to_numpy()
    row = np.searchsorted(numbers, mentions["action"].to_numpy())
    count = mentions["mentions"].to_numpy()
    vectors = _decoded(actions["own"])
    found = features(
        ScenarioActions(
            vectors=vectors,
            parts=np.stack(
                [actions[name].to_numpy() for name in ("has_object", "has_phrase", "has_particle")], axis=1
            ).astype(np.bool_),
            action=row,
            source=mentions["document"].to_numpy(),
            mentions=count,
            position=mentions["position"].to_numpy(),
            scenario=_decoded(actions["scenario_values"][:1])[0],
        )
    )
    typical = np.round(shipped_weights().typicality(found, vectors) * _DECIMALS).astype(np.int64)
    steps, step = np.unique(actions["step"].to_numpy(), return_inverse=True)
    total = np.bincount(step[row], weights=count, minlength=len(steps)).astype(np.int64)
    summed = np.bincount(step[row], weights=count * typical[row], minlength=len(steps)).astype(np.int64)
    # Rounded half up, in integers.
    mean = (2 * summed + total) // (2 * total) / _DECIMALS
    return pa.table(
        {"step": steps, "typicality": mean, "name": _names(actions, step, vectors, np.bincount(row), typical)}, _SCHEMA
    )


def _names(
    actions: pa.Table, step: Integers, vectors: Vectors, support: Integers, typical: Integers
) -> Sequence[int | None]:
    """The action that names each step; None where all of its actions differ in their places only."""
    parts = list(zip(*(actions[name].to_pylist() for name in _WORDS), strict=True))
    weight = typical * np.array([content(*words) for words in parts])
    wordings: dict[int, set[tuple[str, ...]]] = {}
    for number, words in zip(step.tolist(), parts, strict=True):
        wordings.setdefault(number, set()).add(words[:3])
    named = actions["action"].to_numpy()[naming_actions(step, vectors, support, weight)]
    return [name if len(wordings[number]) > 1 else None for number, name in enumerate(named.tolist())]


def _decoded(column: pa.ChunkedArray) -> Vectors:
    return np.frombuffer(b"".join(map(base64.b64decode, column.to_pylist())), np.int8).reshape(len(column), -1)
