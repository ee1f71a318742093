"""The script of a scenario: its steps in order, with their tools, participants, changes and concrete steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from attrs import field, frozen

from exports.rows import Row, find
from exports.step_pairs import Alternative, Match, alternatives_of, matches_of
from exports.step_parts import Part, StepCorrection, corrections_of, parts_of
from schemas.installed_types import installed_relation_types
from schemas.script_graph import ScriptGraph


@frozen(kw_only=True)
class Scenario:
    """A scenario, with the number of its steps in the graph (`sub_events`)."""

    iri: str
    label: str
    alternative_labels: tuple[str, ...] = field(converter=tuple)
    support: int
    sub_events: int


@frozen(kw_only=True)
class Step:
    """A step in its script; its parts are sorted by support, concrete steps by order.

    Containers and surfaces are behind the other tools. `further` has its relations of installed packages, by relation
    type.
    """

    iri: str
    label: str
    support: int
    probability: float
    mean_position: float
    optional: bool
    usual: bool
    typicality: float | None = None
    tools: tuple[Part, ...] = ()
    participants: tuple[Part, ...] = ()
    state_changes: tuple[Part, ...] = ()
    decomposes_into: tuple[Part, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    matches: tuple[Match, ...] = ()
    further: Mapping[str, tuple[Part, ...]] = field(factory=dict)
    corrections: tuple[StepCorrection, ...] = ()


@frozen(kw_only=True)
class Precedence:
    """The step `before` precedes `after` (IRIs) in `support` sources."""

    before: str
    after: str
    support: int
    probability: float


@frozen(kw_only=True)
class Script:
    """The steps of a scenario in order; `left_out` counts those that a limit or a minimum excluded.

    `corrections` are those of the scenario itself: steps that were rejected. `precedes` are the PRECEDES relations
    between these steps. `order` follows from all relations of the scenario, including those of omitted steps: pairs of
    IRIs, without pairs that other pairs imply.
    """

    scenario: Scenario
    steps: tuple[Step, ...]
    corrections: tuple[StepCorrection, ...] = ()
    precedes: tuple[Precedence, ...]
    order: tuple[tuple[str, str], ...]
    left_out: int


def list_scenarios(graph: ScriptGraph) -> list[Scenario]:
    """Return every scenario, sorted by descending support."""
    found = graph.rows("Scenario", ("id", "label", "alternative_labels", "support"))
    counts = Counter(row["from_id"] for row in graph.rows("HAS_SUB_EVENT", ("from_id",)))
    scenarios = [_scenario(graph, row, counts[row["id"]]) for row in found]
    return sorted(scenarios, key=lambda each: (-each.support, each.label, each.iri))


def read_script(graph: ScriptGraph, name: str, *, limit: int = 0, min_support: int = 1, usual: bool = False) -> Script:
    """Return the script of the scenario `name`: its label, an alternative label, or its IRI, in any case.

    Steps ascend by rank, which follows PRECEDES. `usual` keeps the usual ones, and `limit` the first ones by salience
    rank (0: all).

    Raises
    ------
    QueryError
        If no scenario or several scenarios have this name.
    """
    row = find(graph, "Scenario", name, ("label", "alternative_labels", "support"))
    relations = list(graph.rows("HAS_SUB_EVENT", where={"from_id": row["id"]}))
    salient = sorted(relations, key=itemgetter("salience_rank"))
    enough = [each for each in salient if each["support"] >= min_support and (each["usual"] or not usual)]
    kept = {each["to_id"]: each for each in (enough[:limit] if limit else enough)}
    every = {each["to_id"] for each in relations}
    pairs = list(graph.rows("PRECEDES", where={"from_id": every, "to_id": every}))
    every_in_order = [each["to_id"] for each in sorted(relations, key=lambda each: (each["rank"], each["to_id"]))]
    order = [step for step in every_in_order if step in kept]
    labels = graph.labels("SubEvent", kept)
    corrections = corrections_of(graph, [row["id"], *kept])
    parts = {name: parts_of(graph, name, kept) for name in ("USES", "HAS_PARTICIPANT", "CHANGES", "DECOMPOSES_INTO")}
    further = {
        item.name: parts_of(graph, item.name, kept)
        for item in installed_relation_types()
        if item.ends[0][0] == "SubEvent"
    }
    alternatives, matches = alternatives_of(graph, kept), matches_of(graph, kept)
    return Script(
        scenario=_scenario(graph, row, len(relations)),
        steps=tuple(
            Step(
                iri=graph.iri(step),
                label=labels[step],
                support=kept[step]["support"],
                probability=kept[step]["probability"],
                mean_position=kept[step]["mean_position"],
                optional=kept[step]["optional"],
                usual=kept[step]["usual"],
                typicality=kept[step]["typicality"],
                tools=parts["USES"][step],
                participants=parts["HAS_PARTICIPANT"][step],
                state_changes=parts["CHANGES"][step],
                decomposes_into=parts["DECOMPOSES_INTO"][step],
                alternatives=alternatives[step],
                matches=matches[step],
                further={name: of_step[step] for name, of_step in further.items() if of_step[step]},
                corrections=corrections[step],
            )
            for step in order
        ),
        corrections=corrections[row["id"]],
        precedes=tuple(
            Precedence(
                before=graph.iri(pair["from_id"]),
                after=graph.iri(pair["to_id"]),
                support=pair["support"],
                probability=pair["probability"],
            )
            for pair in pairs
            if pair["from_id"] in kept and pair["to_id"] in kept
        ),
        order=tuple(
            (graph.iri(start), graph.iri(end))
            for start, end in least_order(every_in_order, [(pair["from_id"], pair["to_id"]) for pair in pairs], kept)
        ),
        left_out=len(relations) - len(kept),
    )


def least_order(
    order: Sequence[str], pairs: Iterable[tuple[str, str]], kept: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Return the fewest pairs of `kept` nodes that imply every path between kept nodes, through any other nodes.

    Pairs that contradict the `order` of the nodes are ignored.
    """
    position = {node: i for i, node in enumerate(order)}
    later: dict[str, list[str]] = defaultdict(list)
    for start, end in pairs:
        if position[start] < position[end]:
            later[start].append(end)
    # The kept nodes that are reachable from a node, as bits at their positions.
    reached: dict[str, int] = {}
    for node in reversed(order):
        reached[node] = 0
        for end in later[node]:
            reached[node] |= reached[end] | (1 << position[end] if end in kept else 0)
    nodes = [node for node in order if node in kept]
    for node in nodes:
        ends = [end for end in nodes if reached[node] >> position[end] & 1]
        implied = 0
        for end in ends:
            implied |= reached[end]
        yield from ((node, end) for end in ends if not implied >> position[end] & 1)


def _scenario(graph: ScriptGraph, row: Row, sub_events: int) -> Scenario:
    return Scenario(
        iri=graph.iri(row["id"]),
        label=row["label"],
        alternative_labels=row["alternative_labels"],
        support=row["support"],
        sub_events=sub_events,
    )
