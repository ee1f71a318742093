"""HAS_SUB_EVENT.typicality: how probably a step is of its scenario's script and no bystander.

The score of an action follows from its vector and from how it resembles what the other sources of the scenario say
(`kgscripts.typicality`); a step has the mean of its mentions.
"""

from __future__ import annotations

import base64

import numpy as np
import pyarrow as pa

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.order import by_group
from kgscripts.typicality.features import ScenarioActions, Vectors, features
from kgscripts.typicality.weights import shipped_weights

_MENTIONS = """
    SELECT scenario, action, document, count(*) AS mentions, sum(position)::BIGINT AS position
    FROM realization WHERE scenario > 0 GROUP BY ALL ORDER BY scenario, document, action
"""

_ACTIONS = """
    SELECT r.scenario, r.action, r.step, v.values AS own, l.values AS scenario_values, object <> '' AS has_object,
           preposition <> '' AS has_phrase, particle <> '' AS has_particle
    FROM (SELECT DISTINCT scenario, action, step FROM realization WHERE scenario > 0) r JOIN action a USING (action)
         JOIN vector v ON v.target = r.action JOIN vector l ON l.target = -r.scenario
    ORDER BY r.scenario, r.action
"""

_SCHEMA = pa.schema([("step", pa.int32()), ("typicality", pa.float64())])
_DECIMALS = 10_000


def find_typicality(engine: Engine, version: str | None) -> None:
    """Make `step_typicality`, by step, from the vectors of the enricher with this version; empty without one."""
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
    return pa.table({"step": pa.array(steps, pa.int32()), "typicality": pa.array(mean, pa.float64())})


def _decoded(column: pa.ChunkedArray) -> Vectors:
    return np.frombuffer(b"".join(map(base64.b64decode, column.to_pylist())), np.int8).reshape(len(column), -1)
