"""HAS_SUB_EVENT.typicality, .essential_probability, .usual and .salience_rank, and the names of steps.

The score of an action follows from its vector and from its similarity to the actions of other sources of the scenario
(`kgscripts.typicality.features`); a step has the mean of its mentions. A step of different actions gets the name of the
action that represents the others best (`kgscripts.typicality.naming`). Whether it is essential follows from its number
of sources, its typicality and this name (`kgscripts.typicality.importance`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgscripts.assembly.engine import Engine, Rule
from kgscripts.assembly.step import Step, made_by, rows, tables_in
from kgscripts.assembly.tables.clusters import PRONOUNS
from kgscripts.assembly.tables.order import by_group
from kgscripts.models.stored_vectors import decoded
from kgscripts.typicality.features import Integers, ScenarioActions, Vectors, features
from kgscripts.typicality.importance import importance_features, shipped_importance
from kgscripts.typicality.naming import content, listed, naming_actions, with_things
from kgscripts.typicality.weights import shipped_weights

COMMON_PER_CENT, LEAST_TOLD = 40, 3
"""A step that this share of the sources tells, and at least this number, is common: usual whatever its typicality. An
essential step comes first if at least this number tells it. With fewer sources, a scenario has nothing to compare its
steps with: all are usual, and texts make none essential or optional."""
LEAST_PROPOSED = 2
"""A step that the script of a scenario does not have is usual if this number of texts tells it."""


def usual_steps() -> Rule:
    """The table `step_usual`: for each step of a scenario whether it is `usual`, `essential`, `optional`, or to come
    `first`.
    """
    important = shipped_importance()
    return Rule(
        "step_usual",
        f"""
        WITH told AS (
            SELECT r.step, count(DISTINCT document) AS told, bool_or(instructed) AS instructed
            FROM realization r ANTI JOIN written_step w USING (document)
            WHERE r.scenario > 0 GROUP BY step
        ), sources AS (
            SELECT s.scenario, count(DISTINCT document) AS sources
            FROM segment s ANTI JOIN written_step w USING (document) GROUP BY s.scenario
        )
        SELECT s.step,
               coalesce(told >= {LEAST_TOLD} AND 100 * told >= {COMMON_PER_CENT} * sources, false) AS common,
               coalesce(w.importance = 'essential',
                        n.sources >= {LEAST_TOLD} AND y.essential_probability >= {important.least_essential}, false)
                   AS essential,
               common OR coalesce(essential AND told >= {LEAST_TOLD}, false) AS first,
               NOT essential AND coalesce(w.importance = 'optional',
                                          n.sources >= {LEAST_TOLD}
                                          AND y.optional_probability >= {important.least_optional}, false) AS optional,
               common OR essential OR w.step IS NOT NULL OR coalesce(n.sources, 0) < {LEAST_TOLD}
                      OR ((coalesce(t.instructed, false) OR coalesce(y.typicality, 1) >= {shipped_weights().usual})
                          AND (t.told >= {LEAST_PROPOSED} OR s.scenario NOT IN (SELECT scenario FROM written_step)))
                      OR s.step IN (SELECT "end" FROM added_has_sub_event) AS usual,
               nullif(w.step IS NOT NULL, false) AS written
        FROM named_step s LEFT JOIN step_typicality y USING (step) LEFT JOIN told t ON t.step = s.step
             LEFT JOIN step_as_written w ON w.step = s.step
             LEFT JOIN sources n ON n.scenario = s.scenario
        WHERE s.scenario > 0
        """,
    )


def salience_ranks() -> Rule:
    """The table `step_salience_rank`: the `salience_rank` of each step among the scenario's that the graph has.

    Steps that a person added come first, then common and essential ones, and then other usual ones, each ordered by
    salience; among equal ones the earlier comes first. `step` holds the labels of the graph, `has_sub_event` and
    `expressed_as` the relations after corrections.
    """
    return Rule(
        "step_salience_rank",
        f"""
        WITH verbatim AS (
            SELECT x.start AS step, arg_max(x.support, x."end") AS support, arg_max({_says()}, x."end") AS says
            FROM expressed_as x JOIN step s ON s.step = x.start JOIN action a ON a.action = x."end"
            WHERE a.label = s.label AND kept(x.support, x.added) AND s.scenario > 0
            GROUP BY x.start
        ), known AS (
            SELECT h.start AS scenario, h."end" AS step, h.mean_position, u.usual, u.first, h.added, h.support,
                   coalesce(v.support, h.support) AS verbatim, coalesce(v.says, 6) AS says,
                   round(10000 * coalesce(y.typicality, 1))::HUGEINT AS typicality
            FROM has_sub_event h JOIN step_usual u ON u.step = h."end"
                 LEFT JOIN step_typicality y ON y.step = h."end" LEFT JOIN verbatim v ON v.step = h."end"
            WHERE kept(h.support, h.added)
        )
        SELECT step, row_number() OVER (
                   PARTITION BY scenario
                   ORDER BY added DESC, first DESC, usual DESC,
                            (3 * verbatim + support) * typicality * typicality * typicality * says DESC,
                            mean_position, step
               ) AS salience_rank
        FROM known
        """,
    )


def _says() -> str:
    """SQL: how specific an action is, in sixths. A verb alone counts a third; a verb with a particle, or a verb such as
    "put" with an object and no place, counts half.
    """
    return f"""
        CASE WHEN a.preposition <> '' THEN 6
             WHEN a.object IN ('', {listed("object")}) THEN CASE WHEN a.particle <> '' THEN 3 ELSE 2 END
             WHEN a.particle = '' AND a.predicate IN ({listed("verb")}) THEN 3
             ELSE 6 END
    """


_MENTIONS = """
    SELECT scenario, action, document, count(*) AS mentions, sum(position)::BIGINT AS position
    FROM realization WHERE scenario > 0 GROUP BY ALL ORDER BY scenario, document, action
"""

_ACTIONS = """
    SELECT r.scenario, r.action, r.step, s.own AS scenario_label, a.label, v.values AS own,
           l.values AS scenario_values, object <> '' AS has_object, preposition <> '' AS has_phrase,
           particle <> '' AS has_particle, predicate, particle, object, preposition
    FROM (SELECT DISTINCT scenario, action, step FROM realization WHERE scenario > 0) r JOIN action a USING (action)
         JOIN scenario s ON s.scenario = r.scenario
         JOIN action_vector_of v ON v.target = r.action JOIN action_vector_of l ON l.target = -r.scenario
    ORDER BY r.scenario, r.action
"""

_SOURCES = "SELECT scenario, count(DISTINCT document) AS sources FROM segment WHERE scenario > 0 GROUP BY scenario"

_WORDS = ("predicate", "particle", "object", "preposition")
_SCHEMA = pa.schema(
    [
        ("step", pa.int32()),
        *((name, pa.float64()) for name in ("typicality", "essential_probability", "optional_probability")),
        ("name", pa.int32()),
    ]
)
_DECIMALS = 10_000

NAMED = Rule(
    "named_step",
    """
    WITH named AS (
        SELECT s.* EXCLUDE (label, cluster), coalesce(w.name, a.label, s.label) AS label,
               w.step IS NULL AND y.step IS NOT NULL AND y.name IS NULL AS differs_in_place
        FROM found_step s ANTI JOIN rejected_step r USING (step) LEFT JOIN step_typicality y USING (step)
             LEFT JOIN action a ON a.action = y.name LEFT JOIN step_as_written w ON w.step = s.step
    ), twice AS (
        SELECT scenario, label FROM named WHERE scenario > 0 GROUP BY ALL HAVING count(*) > 1
    )
    SELECT n.* EXCLUDE (label, differs_in_place), coalesce(l.label, n.label) AS label
    FROM named n LEFT JOIN twice t ON n.differs_in_place AND t.scenario = n.scenario AND t.label = n.label
         LEFT JOIN action l ON t.label IS NOT NULL AND l.action = n.leader
    """,
)
"""The steps with the names that written scripts, or else texts, give them. If the actions of a step differ only in
their places, its name leaves out the place, unless another step has this name too."""


def _find_typicality(tables: Engine) -> None:
    # The engine streams one result at a time; here it is the result with the vectors.
    mentions = by_group(tables.table(_MENTIONS).to_batches(), "scenario")
    actions = by_group(tables.rows(_ACTIONS), "scenario")
    counts = tables.table(_SOURCES)
    sources = dict(zip(counts["scenario"].to_pylist(), counts["sources"].to_pylist(), strict=True))
    of_scenarios = [_of_scenario(*both, sources) for both in zip(mentions, actions, strict=True)]
    tables.add("step_typicality", pa.concat_tables([_SCHEMA.empty_table(), *of_scenarios]))


def steps(has_vectors: bool) -> list[Step]:
    """The table `step_typicality`, by step, which is empty without the enricher of vectors; and the names of steps."""
    if has_vectors:
        reads = tables_in(_MENTIONS) | tables_in(_ACTIONS) | tables_in(_SOURCES)
        typicality = Step("step_typicality", ("step_typicality",), reads, _find_typicality)
    else:
        typicality = rows("step_typicality", _SCHEMA.empty_table)
    return [typicality, made_by(NAMED)]


def _of_scenario(mentions: pa.Table, actions: pa.Table, sources: Mapping[int, int]) -> pa.Table:
    numbers = actions["action"].to_numpy()
    row = np.searchsorted(numbers, mentions["action"].to_numpy())
    count = mentions["mentions"].to_numpy()
    vectors, about = (decoded(own.to_pylist()) for own in (actions["own"], actions["scenario_values"][:1]))
    of_actions = features(
        ScenarioActions(
            vectors=vectors,
            parts=np.stack(
                [actions[name].to_numpy() for name in ("has_object", "has_phrase", "has_particle")], axis=1
            ).astype(np.bool_),
            action=row,
            source=mentions["document"].to_numpy(),
            mentions=count,
            position=mentions["position"].to_numpy(),
            scenario=about[0],
        )
    )
    typical = np.round(shipped_weights().probability(of_actions, vectors) * _DECIMALS).astype(np.int64)
    steps, step = np.unique(actions["step"].to_numpy(), return_inverse=True)
    total = np.bincount(step[row], weights=count, minlength=len(steps)).astype(np.int64)
    summed = np.bincount(step[row], weights=count * typical[row], minlength=len(steps)).astype(np.int64)
    # Rounded half up, in integers.
    mean = (2 * summed + total) // (2 * total) / _DECIMALS
    names, is_named = _names(actions, step, vectors, np.bincount(row), typical)
    pairs = np.unique(np.stack([step[row], mentions["document"].to_numpy()], axis=1), axis=0)
    labels = actions["label"].take(names).to_pylist()
    scenario = actions["scenario_label"][0].as_py()
    of_steps = importance_features(
        told=np.bincount(pairs[:, 0], minlength=len(steps)),
        sources=np.full(len(steps), sources[actions["scenario"][0].as_py()]),
        typicality=mean,
        labels=[(label, scenario) for label in labels],
        vectors=vectors[names],
        scenario=about,
    )
    important = shipped_importance()
    return pa.table(
        {
            "step": steps,
            "typicality": mean,
            "essential_probability": important.essential.probability(of_steps, vectors[names]),
            "optional_probability": important.optional.probability(of_steps, vectors[names]),
            "name": pa.array(actions["action"].to_numpy()[names], pa.int32(), mask=~is_named),
        },
        _SCHEMA,
    )


def _names(
    actions: pa.Table, step: Integers, vectors: Vectors, support: Integers, typical: Integers
) -> tuple[Integers, NDArray[np.bool_]]:
    """The row of the action that names each step; and whether its actions differ in more than their places."""
    parts = list(zip(*(actions[name].to_pylist() for name in _WORDS), strict=True))
    weight = typical * np.array([0.0 if words[2] in PRONOUNS else content(*words) for words in parts])
    wordings: dict[int, set[tuple[str, ...]]] = {}
    for number, words in zip(step.tolist(), parts, strict=True):
        wordings.setdefault(number, set()).add(words[:3])
    chosen = with_things(naming_actions(step, vectors, support, weight), step, support, parts)
    return chosen, np.array([len(wordings[number]) > 1 for number in range(len(chosen))])
