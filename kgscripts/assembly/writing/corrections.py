"""Writing corrections: their nodes, what they correct, and corrections that match nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import Engine, Rule, arrow_table
from kgscripts.assembly.rules.corrected_relations import CORRECTED_ROLE, corrected_by_rejection, statements_of
from kgscripts.assembly.step import Step, made_by, tables_in
from kgscripts.assembly.tables.additions import OVERRULED
from kgscripts.assembly.tables.corrections import CORRECTED
from kgscripts.assembly.tables.corrections import verdicts as verdicts_of
from kgscripts.assembly.tables.words import leading_names
from kgscripts.assembly.writing.discards import DiscardLog
from kgscripts.assembly.writing.evidence import as_batches
from schemas.corrections import OF_STEPS, Correction, CorrectionKind
from schemas.graph_writer import ScriptGraphWriter
from schemas.records import Discard, DiscardReason
from schemas.tables import table_schema
from schemas.vocabulary import node_id

_KEPT = """
    SELECT n.id, c.correction FROM corrected c JOIN (
        SELECT id FROM scenario UNION ALL SELECT id FROM document
        UNION ALL SELECT s.id FROM step s JOIN step_total t ON t.key = s.step WHERE kept(support, added)
        UNION ALL SELECT s.id FROM tool s JOIN tool_total t ON t.key = s.tool WHERE kept(support, added)
        UNION ALL
        SELECT s.id FROM entity s JOIN entity_total t ON t.key = s.entity WHERE kept(support, added)
    ) n USING (id)
"""
_VERDICTS = "SELECT correction, holds FROM link_verdict"
_STATEMENTS = "SELECT id, correction FROM corrected_statement"
_NAMED = "SELECT name FROM named_thing"
_FILES = ("graph/Correction", "graph/CORRECTED_BY")


def steps(
    corrections: Sequence[Correction],
    rejected: Iterable[Relation],
    added: Iterable[Relation],
    has_roles: bool,
    writer: ScriptGraphWriter,
    log: DiscardLog,
) -> list[Step]:
    """Write Correction and CORRECTED_BY; log what was rejected, and corrections that match nothing.

    `rejected` are the relations that some correction rejects, `added` those to which some correction adds.
    """
    if not corrections:
        return [Step("write corrections", _FILES, frozenset(), lambda _: _write(writer, [], []))]
    parts = [*CORRECTED, *map(corrected_by_rejection, rejected), *([CORRECTED_ROLE] if has_roles else [])]
    reads = frozenset[str]().union(*map(tables_in, (_KEPT, _STATEMENTS, _VERDICTS, OVERRULED, _NAMED)))
    statements = " UNION ALL ".join(map(statements_of, added))
    return [
        made_by(Rule("corrected", " UNION ALL ".join(parts))),
        made_by(Rule("corrected_statement", statements or "SELECT '' AS id, 0 AS correction WHERE false")),
        Step("write corrections", _FILES, reads, partial(_write_all, corrections, writer, log)),
    ]


def _write_all(corrections: Sequence[Correction], writer: ScriptGraphWriter, log: DiscardLog, tables: Engine) -> None:
    verdicts = {row["correction"]: row["holds"] for row in tables.table(_VERDICTS).to_pylist()} | verdicts_of(
        corrections
    )
    overruled = set(tables.values(OVERRULED))
    renamed = _renamed(corrections, set(tables.values(_NAMED)))
    corrected: dict[int, list[str]] = defaultdict(list)
    for row in (*tables.table(_KEPT).to_pylist(), *tables.table(_STATEMENTS).to_pylist()):
        number = row["correction"]
        kind = corrections[number].kind
        is_link = kind in OF_STEPS or number in verdicts
        # A correction can name something in the graph and change nothing, such as a name that it has already.
        if (not is_link or verdicts.get(number)) and (kind is not CorrectionKind.SAME_THING or number in renamed):
            corrected[number].append(row["id"])
    nodes: list[dict[str, Any]] = []
    ends: set[tuple[str, str]] = set()
    for number, item in enumerate(corrections):
        identifier = node_id("Correction", item.label, *item.key)
        ends |= {(node, identifier) for node in corrected.get(number, ())}
        nodes.append(
            {"id": identifier, "label": item.label, "kind": item.kind.value, "author": item.author}
            | {"time": item.time, "applied": number in corrected, "content": item.to_json()}
        )
        if number not in corrected:
            contradicted = verdicts.get(number) is False or number in overruled
            reason = DiscardReason.CONTRADICTED_CORRECTION if contradicted else DiscardReason.UNMATCHED_CORRECTION
        elif item.kind is CorrectionKind.REJECT:
            reason = DiscardReason.REJECTED
        else:
            continue
        log.add(Discard(reason=reason, where=item.scenario or item.thing, detail=item.label))
    nodes.sort(key=lambda node: str(node["id"]))
    _write(writer, nodes, sorted(ends))


def _renamed(corrections: Sequence[Correction], named: Collection[str]) -> set[int]:
    """The corrections that name a thing of some text by a name other than that of its group."""
    leading = leading_names(corrections)
    return {
        number
        for number, item in enumerate(corrections)
        if item.kind is CorrectionKind.SAME_THING
        and any(name in named and leading.get(name, name) != name for name in (item.thing, item.other))
    }


def _write(writer: ScriptGraphWriter, nodes: Sequence[dict[str, Any]], ends: Sequence[tuple[str, str]]) -> None:
    writer.write("Correction", as_batches("Correction", nodes))
    writer.write("CORRECTED_BY", arrow_table(ends, table_schema("CORRECTED_BY")).to_batches())
