"""Each scenario as a written script, in a YAML file of its own: ``scripts:FOLDER``.

A build of the folder gives the same scripts, and a person can change the files before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from exports.targets import ExportOptions, report
from kgscripts.changes.attributes import attributes
from kgscripts.corpora.scripts.format import (
    Need,
    NeedKind,
    Script,
    Step,
    StepChange,
    StepParticipant,
    StepTool,
    Variant,
    script_text,
    step_ids,
)
from kgscripts.scripts import types
from kgscripts.scripts.reading import least_order, list_scenarios, read_script
from schemas.changes import Level
from schemas.output_files import new_directory
from schemas.records import Importance, Role, ToolRole
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph
from schemas.vocabulary import slug


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write a file for each scenario with steps, named after the scenario (``scripts:FOLDER``).

    The steps are the usual ones, as `kgscripts show` prints them, or all if none is usual.

    Raises
    ------
    StoreError
        If the folder cannot be written, or holds files that no export made.
    """
    path = Path(target.partition(":")[2])
    if options.dry_run:
        return report(graph, target)
    names: Counter[str] = Counter()
    with new_directory(path, inputs=[graph.directory]) as temporary:
        for script in scripts_of(graph):
            name = slug(script.scenario) or "script"
            names[name] += 1
            number = f"-{names[name]}" if names[name] > 1 else ""
            (temporary / f"{name}{number}.yaml").write_text(script_text(script), encoding="utf-8")
        options.advance(sum(map(graph.manifest.rows, graph.manifest.tables)))
    return report(graph, target, files=names.total())


def scripts_of(graph: StoredGraph) -> Iterator[Script]:
    """Each scenario that has steps, as a person could have written it; with a licence if all texts have the same."""
    licences = {row["licence"] or "" for row in graph.rows("Source", ("licence",))}
    licence = licences.pop() if len(licences) == 1 else ""
    for scenario in list_scenarios(graph):
        if scenario.sub_events:
            script = read_script(graph, scenario.iri, usual=True)
            script = script if script.steps else read_script(graph, scenario.iri)
            yield _written(script, licence)


def _written(script: types.Script, licence: str) -> Script:
    ids = dict(
        zip((step.iri for step in script.steps), step_ids([step.label_text for step in script.steps]), strict=True)
    )
    common = [step for step in script.steps if not step.variants]
    names = dict.fromkeys(name for step in script.steps for name in (*step.variants, *step.left_out_of))
    required = [(pair.before, pair.after) for pair in script.precedes if pair.required]
    order = least_order(list(ids), required, set(ids))
    return Script(
        scenario=script.label,
        also=script.alternative_labels,
        licence=licence,
        generated=0 < script.generated == script.support,
        needs=tuple(_need(need) for need in script.needs),
        steps=tuple(_step(step, ids) for step in common or script.steps),
        order=tuple(" < ".join(chain) for chain in _chains((ids[start], ids[end]) for start, end in order)),
        variants=tuple(
            Variant(
                name=name,
                without=tuple(ids[step.iri] for step in script.steps if name in step.left_out_of),
                steps=tuple(_step(step, ids) for step in script.steps if step.variants[:1] == (name,)),
            )
            for name in (names if common else ())
        ),
    )


def _need(need: types.Need) -> Need:
    return Need(
        thing=need.label,
        kind=NeedKind.TOOL if need.is_tool else NeedKind.SUPPLY,
        amount=need.amount or "",
        instead=need.instead,
        optional=need.optional,
    )


def _step(step: types.Step, ids: Mapping[str, str]) -> Step:
    conditions = {first: _condition(step.conditions, first) for first in ("if", "unless")}
    known = attributes()
    before = list(ids.values())[: list(ids).index(step.iri)]
    earlier = [ids[other.iri] for other in step.alternatives if ids.get(other.iri) in before]
    return Step(
        id=ids[step.iri],
        name=step.label_text,
        wordings=tuple(words for words in step.wordings if words not in (step.label, step.label_text)),
        importance=_importance(step),
        tools=tuple(StepTool(thing=tool.label, role=ToolRole(tool.role)) for tool in step.tools if not tool.predicted),
        participants=tuple(StepParticipant(thing=item.label, role=Role(item.role)) for item in step.participants),
        changes=tuple(
            StepChange(entity=item.entity, attribute=item.attribute, before=item.before or "", after=item.after)
            for item in step.changes
            if item.level is Level.CERTAIN and item.attribute in known
        ),
        duration=next(iter(step.durations), ""),
        if_=conditions["if"],
        unless=conditions["unless"],
        instead_of=next(iter(earlier), ""),
        steps=step.parts,
    )


def _importance(step: types.Step) -> Importance:
    if step.essential:
        return Importance.ESSENTIAL
    return Importance.OPTIONAL if step.optional else Importance.USUAL


def _condition(conditions: Iterable[str], first: str) -> str:
    """The first condition with this first word, without it."""
    return next((words.removeprefix(f"{first} ") for words in conditions if words.startswith(f"{first} ")), "")


def _chains(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Chains with all pairs: each pair goes on with the first chain that ends where it begins."""
    chains: list[list[str]] = []
    for start, end in pairs:
        chain = next((chain for chain in chains if chain[-1] == start), None)
        if chain is None:
            chains.append([start, end])
        else:
            chain.append(end)
    return chains
