"""Which actions of one scenario are the same step, and the name of that step.

Clusters partition the actions of a scenario. A step gets its id from its leading action: the smallest, unless another
has twice its support. The ids that the other actions would have given are kept too. Its label is that of its most
frequent action, until `typicality` finds a better one. An action with a pronoun gives neither unless all have one.

An action whose object is a pronoun ("pour it into the mug") belongs to the step of its scenario that names the thing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from kgscripts.assembly.engine import ACTION_PARTS, Engine, action_key, same_action
from kgscripts.assembly.step import Step, document_rules, made_by, rules, tables_in, view
from kgscripts.assembly.tables.alternatives import ActionKey, split_by_choice
from kgscripts.assembly.tables.links import Link, linked_clusters
from kgscripts.text.lexicon import word_list
from kgscripts.typicality.naming import listed

PRONOUNS = tuple(sorted(word_list("pronouns for things")))
"""The objects of actions whose thing the text does not tell (`kgscripts.extractors.events.events`)."""

_LEAST_SOURCES = 2
_CLEAR = 2 / 3
"""The step has at least this share of the sources of all steps that the action could be."""


def with_named_steps(actions: Sequence[ActionKey], sources: Sequence[int], clusters: Sequence[int]) -> list[int]:
    """The clusters of the actions of one scenario, where an action with a pronoun joins the step that it must be.

    That step has actions with the same verb, particle and phrase and with a noun as their object; if there are none,
    with the same verb and particle, where one of the two has no phrase. An action stays where it is if no step has
    enough of the sources of such actions, or if its cluster already names what its verb acts on.

    Parameters
    ----------
    actions, sources, clusters:
        Of each action its parts, the number of its sources and its cluster.
    """
    named: dict[tuple[str, ...], list[int]] = defaultdict(list)
    naming = set()
    for place, (predicate, particle, thing, *_) in enumerate(actions):
        if thing and thing not in PRONOUNS:
            named[predicate, particle].append(place)
            naming.add((clusters[place], predicate))
    result = list(clusters)
    for place, (predicate, particle, thing, *phrase) in enumerate(actions):
        if thing not in PRONOUNS or (clusters[place], predicate) in naming:
            continue
        others = named[predicate, particle]
        fitting = [other for other in others if list(actions[other][3:]) == phrase]
        fitting = fitting or [other for other in others if not (phrase[0] and actions[other][3])]
        support: Counter[int] = Counter()
        for other in fitting:
            support[clusters[other]] += sources[other]
        # Of equal ones none has the share.
        best = max(support, key=lambda number: support[number], default=None)
        if best is not None and support[best] >= max(_LEAST_SOURCES, _CLEAR * support.total()):
            result[place] = best
    return result


def cluster_key(action: ActionKey) -> ActionKey:
    """What the actions of one step have in common: predicate, particle and object, without the place ("put pasta in
    pot", "put pasta in boiling water"). An action without an object is compared in all its parts.
    """
    return action[:3] if action[2] else action


def cluster(actions: Sequence[ActionKey]) -> list[int]:
    """For each action of one scenario the number of its cluster, by its words; used without a model."""
    numbers: dict[ActionKey, int] = {}
    return [numbers.setdefault(cluster_key(action), len(numbers)) for action in actions]


def assembled_clusters(actions: Sequence[ActionKey], sources: Sequence[int], merged: Sequence[int]) -> list[int]:
    """The clusters of the actions of one scenario, without corrections, from those of a model.

    `sources` is the number of sources of each action. Actions that differ in a choice are taken apart, and those with a
    pronoun join the step that they must be.
    """
    return with_named_steps(actions, sources, split_by_choice(actions, sources, merged))


_OF_DOCUMENTS = document_rules(
    sense_part="""
        SELECT scenario, action, count(*) AS support FROM (
            SELECT DISTINCT scenario, action, document FROM occurrence WHERE in_partition(document)
        ) GROUP BY ALL
        """,
    # Each mention as a mention of a step, once for each of its scenarios.
    realization="""
        SELECT o.*, s.step,
               m.* EXCLUDE (mention, document, start, "end", action)
        FROM occurrence o JOIN step_of s USING (scenario, action) JOIN mention m USING (mention)
        WHERE in_partition(o.document) AND in_partition(m.document)
        """,
)
_TABLES = rules(
    # What an action means in a scenario, or in none, with the number of sources; 0 for what only a person adds.
    sense="""
        SELECT scenario, action, sum(support)::BIGINT AS support
        FROM (FROM sense_part UNION ALL SELECT scenario, action, 0 FROM added_action)
        GROUP BY scenario, action
        """,
    # The steps, including those that people reject.
    found_step="SELECT row_number() OVER (ORDER BY id)::INTEGER AS step, * FROM unnumbered_step",
    # The actions that the enricher merged with others.
    merged_wording="""
        SELECT s.step, s.action, m.probability FROM step_of s JOIN merged_action m USING (scenario, action)
        QUALIFY count(*) OVER (PARTITION BY s.step, m.cluster) > 1
        """,
    step_of="""
        SELECT m.scenario, m.action, s.step FROM member m JOIN found_step s USING (scenario, cluster)
             ANTI JOIN rejected_step r ON r.step = s.step
        """,
    # The clusters of actions without a scenario, by their words, since there may be any number of actions.
    unscripted_member="""
        SELECT 0::INTEGER AS scenario, s.action, min(s.action) OVER (PARTITION BY predicate, particle, object,
            CASE WHEN object = '' THEN preposition ELSE '' END,
            CASE WHEN object = '' THEN prepositional_object ELSE '' END) AS cluster
        FROM sense s JOIN action a USING (action) WHERE s.scenario = 0
        """,
    # The clusters of the enricher that merges steps.
    merged_action=f"""
        SELECT c.scenario, a.action, c.cluster, c.probability
        FROM (SELECT target AS scenario, ordinal AS cluster, probability, UNNEST(actions) AS member
              FROM step_cluster_of) c
             JOIN action a ON {same_action("c.member", "a")}
        """,
    # The steps of a written script are different ones, unless a person has joined steps of the scenario.
    written_link="""
        WITH written AS (
            SELECT DISTINCT o.document, o.scenario, o.action
            FROM written_step_record w JOIN occurrence o ON o.document = w.document AND o.start = w.start
            WHERE o.scenario > 0 AND o.scenario NOT IN (SELECT scenario FROM link WHERE same)
        )
        SELECT DISTINCT a.scenario, a.action AS one, b.action AS other, false AS same
        FROM written a JOIN written b ON b.document = a.document AND b.scenario = a.scenario AND a.action < b.action
        ANTI JOIN link l ON l.scenario = a.scenario AND l.one = a.action AND l.other = b.action
        """,
)

_SCRIPTED = f"""
    SELECT s.scenario, s.action, m.cluster, s.support, {", ".join(f"a.{part}" for part in ACTION_PARTS)}
    FROM sense s JOIN action a USING (action) LEFT JOIN merged_action m USING (scenario, action)
    WHERE s.scenario > 0 ORDER BY s.scenario, a.place
"""
_LINKS = "SELECT scenario, one, other, same FROM link UNION ALL SELECT scenario, one, other, same FROM written_link"


def _cluster_scripted(tables: Engine, by_words: bool) -> None:
    links: dict[int, list[Link]] = {}
    for row in tables.table(_LINKS).to_pylist():
        links.setdefault(row["scenario"], []).append(Link(row["one"], row["other"], row["same"]))
    members = list(_clustered(tables.rows(_SCRIPTED), links, by_words=by_words))
    tables.add("scripted_member", pa.concat_tables(members))


# Python's lists take several times the room of Arrow's columns.
_ROWS = 500_000


def _clustered(
    batches: Iterable[pa.RecordBatch], links: Mapping[int, Sequence[Link]], *, by_words: bool
) -> Iterator[pa.Table]:
    """The members of the clusters of each scenario, changed to keep its `links`, in tables of bounded size."""
    rows = (row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))
    scenarios: list[int] = []
    actions: list[int] = []
    clusters: list[int] = []
    for scenario, group in groupby(rows, key=itemgetter(0)):
        of_scenario = [(row[1], row[2], row[3], row[4:]) for row in group]
        first: dict[int, int] = {}
        _, _, sources, keys = zip(*of_scenario, strict=True)
        if by_words:
            numbers = with_named_steps(keys, sources, cluster(keys))
        else:
            # Actions that the model does not merge get negative numbers.
            numbers = [-1 - place if number is None else number for place, (_, number, *_) in enumerate(of_scenario)]
            numbers = assembled_clusters(keys, sources, numbers)
        # What no text tells was added as a step of its own: only a person joins it with another.
        numbers = [
            number if told else -1 - len(numbers) - place
            for place, (number, told) in enumerate(zip(numbers, sources, strict=True))
        ]
        if scenario in links:
            place = {action: number for number, (action, *_) in enumerate(of_scenario)}
            placed = (Link(place[link.one], place[link.other], link.same) for link in links[scenario])
            numbers = linked_clusters(numbers, placed)
        for (action, *_), number in zip(of_scenario, numbers, strict=True):
            scenarios.append(scenario)
            actions.append(action)
            clusters.append(first.setdefault(number, action))
        if len(scenarios) >= _ROWS:
            yield _members(scenarios, actions, clusters)
            scenarios, actions, clusters = [], [], []
    yield _members(scenarios, actions, clusters)


def _members(scenarios: list[int], actions: list[int], clusters: list[int]) -> pa.Table:
    columns = {"scenario": scenarios, "action": actions, "cluster": clusters}
    return pa.table({name: pa.array(values, pa.int32()) for name, values in columns.items()})


STEPS = rules(
    # The id that each action would give a step, and whether it leads its cluster.
    named_member=f"""
        SELECT m.scenario, m.cluster, m.action, a.place, a.label, a.readable, s.support,
               a.predicate, a.particle, a.object, a.object IN {PRONOUNS} AS unnamed,
               a.particle = '' AND a.predicate IN ({listed("verb")}) AS vague, a.preposition <> '' AS has_place,
               identifier('sub-event', a.readable,
                          part('SubEvent') || part(coalesce(c.id, '')) || {action_key("a")}) AS id
        FROM member m JOIN sense s USING (scenario, action) JOIN action a USING (action)
             LEFT JOIN scenario c ON c.scenario = m.scenario
        """,
    # The action with the first place leads, but for one with twice its sources; those that name no thing come last.
    leader="""
        SELECT scenario, cluster, count(*) AS members,
               arg_min(action, row(unnamed, vague AND NOT has_place, -support, place)) AS most_frequent,
               CASE WHEN arg_min(support, row(unnamed, -support, place)) >= 2 * arg_min(support, row(unnamed, place))
                    THEN arg_min(action, row(unnamed, -support, place))
                    ELSE arg_min(action, row(unnamed, place)) END AS action
        FROM named_member GROUP BY scenario, cluster
        """,
    # Numbered later by ascending id. The label is that of the most frequent action. Its place is left out where the
    # actions differ in nothing else, and no other step of the scenario would have the same label; "put the pot" needs
    # one.
    unnumbered_step="""
        SELECT scenario, cluster, leader, id,
               CASE WHEN members = 1 OR wordings > 1
                         OR (scenario > 0 AND count(*) OVER (PARTITION BY scenario, cluster_label) > 1)
                    THEN action_label ELSE cluster_label END AS label,
               replaces
        FROM (SELECT l.scenario, l.cluster, l.members, l.action AS leader,
                     count(DISTINCT row(m.predicate, m.particle, m.object)) AS wordings,
                     any_value(m.id) FILTER (WHERE m.action = l.action) AS id,
                     any_value(m.label) FILTER (WHERE m.action = l.most_frequent) AS action_label,
                     any_value(CASE WHEN m.object = '' OR vague THEN m.label
                               ELSE concat_ws(' ', m.predicate, nullif(m.particle, ''), m.object) END)
                         FILTER (WHERE m.action = l.most_frequent) AS cluster_label,
                     list(m.id ORDER BY m.id) FILTER (WHERE m.action <> l.action) AS replaces
              FROM leader l JOIN named_member m USING (scenario, cluster)
              GROUP BY l.scenario, l.cluster, l.members, l.action, l.most_frequent)
        """,
)


def steps(by_words: bool) -> list[Step]:
    """The steps of the scenarios, and the mentions that realise them.

    Actions are clustered by their words, or as the enricher that merges steps says (`step_cluster_of`).
    """
    reads = tables_in(_SCRIPTED) | tables_in(_LINKS)
    return [
        *(made_by(rule) for rule in (*_OF_DOCUMENTS, *_TABLES)),
        Step("scripted_member", ("scripted_member",), reads, partial(_cluster_scripted, by_words=by_words)),
        view("member", "FROM scripted_member UNION ALL BY NAME FROM unscripted_member"),
        made_by(*STEPS, name="unnumbered_step"),
    ]
