"""Read scripts: the steps of a scenario in order, with their parts and the passages behind them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from attrs import frozen

from kgscripts.scripts.causes import with_causes
from kgscripts.scripts.items import read_items
from kgscripts.scripts.names import Row, find_scenario, folded, nearest
from kgscripts.scripts.steps import corrections_of, parts_of, read_steps
from kgscripts.scripts.things import read_needs
from kgscripts.scripts.types import ENOUGH, LeftOut, Precedence, Reason, Scenario, Script, Step, is_added
from kgscripts.titles.keys import title_key
from schemas.errors import UnknownNameError
from schemas.script_graph import StoredGraph


def list_scenarios(graph: StoredGraph) -> list[Scenario]:
    """Return every scenario, those with steps first, sorted by descending support."""
    rows = graph.rows("Scenario", ("id", "label", "alternative_labels", "support"))
    counts = Counter(row["from_id"] for row in graph.rows("HAS_SUB_EVENT", ("from_id",)))
    scenarios = [
        Scenario(
            iri=graph.iri(row["id"]),
            label=row["label"],
            alternative_labels=row["alternative_labels"],
            support=row["support"],
            sub_events=counts[row["id"]],
        )
        for row in rows
    ]
    return sorted(scenarios, key=lambda each: (not each.sub_events, -each.support, each.label, each.iri))


MOST_STEPS = 30
"""The most steps of a script that commands print, unless one or two texts tell it: then they print all."""


def read_script(
    graph: StoredGraph,
    name: str,
    *,
    limit: int | None = 0,
    min_support: int = 1,
    usual: bool = False,
    evidence: int = 0,
    readers: bool = False,
) -> Script:
    """Return the script of a scenario, whose name is one that `find_scenario` finds.

    Steps ascend by rank, which follows PRECEDES. `usual` keeps the usual ones, and `limit` the first ones by salience
    rank (0: all; None: `MOST_STEPS`, all of one or two texts). `evidence` is the largest number of passages of each
    step and each part, which have the models behind them with `readers`.

    Raises
    ------
    QueryError
        If no scenario or several scenarios have this name.
    """
    selection = _choose(graph, name, limit, min_support, usual)
    needs = read_needs(graph, selection.scenario["id"], evidence)
    pairs = list(graph.rows("PRECEDES", where={"from_id": selection.relations, "to_id": selection.relations}))
    joined = [(pair["from_id"], pair["to_id"]) for pair in pairs]
    return Script(
        iri=graph.iri(selection.scenario["id"]),
        label=selection.scenario["label"],
        alternative_labels=selection.scenario["alternative_labels"],
        support=selection.scenario["support"],
        generated=_generated(graph, selection.scenario["id"]),
        needs=[need for need in needs if need.usual or not usual],
        needs_left_out=sum(usual and not need.usual for need in needs),
        steps=read_steps(
            graph, {step: selection.relations[step] for step in selection.kept}, evidence, readers=readers
        ),
        items=read_items(graph, selection.scenario["id"], selection.kept) if selection.scenario["support"] == 1 else (),
        left_out=_left_out(graph, selection),
        corrections=corrections_of(graph, [selection.scenario["id"]])[selection.scenario["id"]],
        precedes=[
            Precedence(
                before=graph.iri(pair["from_id"]),
                after=graph.iri(pair["to_id"]),
                **{name: pair[name] for name in ("support", "probability", "lower", "required")},
            )
            for pair in pairs
            if pair["from_id"] in selection.kept and pair["to_id"] in selection.kept
        ],
        order=[
            (graph.iri(start), graph.iri(end))
            for start, end in least_order(list(selection.relations), joined, set(selection.kept))
        ],
    )


def _generated(graph: StoredGraph, scenario: str) -> int:
    """The number of the sources of a scenario that a language model wrote."""
    texts = {row["from_id"] for row in graph.rows("ABOUT", ("from_id",), {"to_id": [scenario]})}
    return sum(bool(row["generated"]) for row in graph.rows("Source", ("generated",), {"id": texts}))


def read_step(
    graph: StoredGraph,
    name: str,
    step: str,
    *,
    limit: int | None = 0,
    min_support: int = 1,
    usual: bool = False,
    evidence: int = 0,
    causes: bool = False,
) -> tuple[str, Step]:
    """Return the label of a scenario and one of its steps: the step with this number in `read_script`, or, of all
    steps, the one with this label, another wording of it, or its IRI. With `causes` its parts say what gave them.

    Raises
    ------
    QueryError
        If no scenario or several scenarios have this name, or no step or several steps.
    """
    selection = _choose(graph, name, limit, min_support, usual)
    label: str = selection.scenario["label"]
    if step.isascii() and step.isdigit():
        if not 0 < int(step) <= len(selection.kept):
            raise UnknownNameError(
                f"{label!r} has no step {step}",
                where=str(graph.directory),
                remedy=f"number one of the {len(selection.kept)} that `kgscripts show DIR SCENARIO` prints, or name it",
            )
        chosen = selection.kept[int(step) - 1]
    else:
        chosen = _step_named(graph, selection, step)
    (read,) = read_steps(graph, {chosen: selection.relations[chosen]}, evidence, readers=causes)
    return label, with_causes(graph, chosen, read) if causes else read


@frozen
class _Selection:
    """A scenario, the rows of its relations to all steps by their ids, ascending by rank, and the steps that are kept.

    `reasons` has those that are left out, in the order of salience.
    """

    scenario: Row
    relations: Mapping[str, Row]
    kept: Sequence[str]
    reasons: Mapping[str, Reason]


def _choose(graph: StoredGraph, name: str, limit: int | None, min_support: int, usual: bool) -> _Selection:
    scenario = find_scenario(graph, name)
    if limit is None:
        limit = MOST_STEPS if scenario["support"] > ENOUGH else 0
    relations = list(graph.rows("HAS_SUB_EVENT", where={"from_id": scenario["id"]}))
    reasons: dict[str, Reason] = {}
    kept: set[str] = set()
    for row in sorted(relations, key=itemgetter("salience_rank")):
        if usual and not row["usual"]:
            reasons[row["to_id"]] = Reason.UNUSUAL
        elif row["support"] < min_support and not is_added(row["support"], row["probability"]):
            reasons[row["to_id"]] = Reason.FEW_SOURCES
        elif limit and len(kept) == limit:
            reasons[row["to_id"]] = Reason.LIMIT
        else:
            kept.add(row["to_id"])
    by_rank = {row["to_id"]: row for row in sorted(relations, key=itemgetter("rank", "to_id"))}
    return _Selection(scenario, by_rank, [step for step in by_rank if step in kept], reasons)


def _step_named(graph: StoredGraph, selection: _Selection, name: str) -> str:
    """The id of the step with this label, wording or IRI; a label takes precedence, and exact words do."""
    names = graph.names("SubEvent", selection.relations)
    wordings = {
        step: [row["label"] for row in rows]
        for step, rows in parts_of(graph, "EXPRESSED_AS", selection.relations).items()
    }
    for named in _named(graph, name, names, wordings):
        if len(named) == 1:
            return named[0]
        if named:
            raise UnknownNameError(
                f"{len(named)} steps of {selection.scenario['label']!r} are called {name!r}",
                where=str(graph.directory),
                remedy="name one by its IRI: " + ", ".join(map(graph.iri, named[:5])),
            )
    others = {folded(wording): names[step][0] for step, each in wordings.items() for wording in each}
    others |= {folded(label): label for label, _ in names.values()}
    raise UnknownNameError(
        f"{selection.scenario['label']!r} has no step {name!r}",
        where=str(graph.directory),
        remedy=nearest(others, folded(name)) or "`kgscripts show DIR SCENARIO --all` prints its steps",
    )


def _named(
    graph: StoredGraph,
    name: str,
    names: Mapping[str, tuple[str, str]],
    wordings: Mapping[str, Sequence[str]],
) -> Iterator[list[str]]:
    """The steps with a name, by one kind of name after the other."""
    wanted = folded(name)
    yield [step for step in names if wanted in (step, graph.iri(step).casefold())]
    # Labels are lemmas: "put egg on plate" for "put the eggs on a plate".
    for same in (folded, title_key):
        wanted = same(name)
        yield [step for step, both in names.items() if wanted in map(same, both)]
        yield [step for step, each in wordings.items() if wanted in map(same, each)]


def _left_out(graph: StoredGraph, selection: _Selection) -> Iterator[LeftOut]:
    labels = graph.labels("SubEvent", selection.reasons)
    for step, reason in selection.reasons.items():
        row = selection.relations[step]
        yield LeftOut(
            iri=graph.iri(step),
            label=labels[step],
            support=row["support"],
            typicality=row["typicality"],
            reason=reason,
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
