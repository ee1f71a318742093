"""Discards: one line each in ``discarded.jsonl``, counted by reason."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import Engine
from kgscripts.assembly.step import Step, tables_in
from kgscripts.records.inputs import InputIndex
from kgscripts.records.readings import FailedDocument
from schemas.records import Discard, DiscardReason

_REMEDY = "mend the extractor: the next build tries again"

_READINGS = """
    SELECT r.reason, d.name AS "where", r.start, r."end", r.detail
    FROM discard_record r JOIN document d USING (document) ORDER BY r.document, r.reader, r.ordinal
"""

_WITHOUT_EVENT = f"""
    SELECT '{DiscardReason.NO_SUCH_EVENT.value}' AS reason, d.name AS "where", a.start, a."end", a.label AS detail
    FROM (FROM unaligned_step UNION ALL FROM unplaced_change) a JOIN document d USING (document)
    ORDER BY document, a.start, a."end", detail
"""

_CONTRADICTED = """
    SELECT a.id AS "where",
           format('PRECEDES {}, {} sources for it and {} against', b.id, c.support, c.against) AS detail
    FROM contradicted_pair c JOIN step a ON a.step = c.start JOIN step b ON b.step = c."end"
    ORDER BY c.scenario, c.start, c."end"
"""

_WITHOUT_ADDED = 'ANTI JOIN added_{0} a ON a.start = r.start AND a."end" = r."end"'


class DiscardLog:
    """Writes each discard as a line of JSON and counts it."""

    def __init__(self, write_line: Callable[[str], None]) -> None:
        self._write_line = write_line
        self.counts: Counter[str] = Counter()

    def add(self, discard: Discard) -> None:
        """Write and count one."""
        reason = discard.reason.value
        self.counts[reason] += 1
        content: dict[str, str | int] = {"reason": reason, "where": discard.where}
        if discard.start is not None and discard.end is not None:
            content |= {"start": discard.start, "end": discard.end}
        if discard.detail:
            content["detail"] = discard.detail
        self._write_line(json.dumps(content, ensure_ascii=False))

    def inputs(self, inputs: InputIndex) -> None:
        """Discards of the readers of inputs, and texts that occur more than once."""
        for discard in inputs.discards():
            self.add(discard)
        for place, reason, count in inputs.unlisted_discards():
            self.counts[reason.value] += count
            content = {"reason": reason.value, "where": place, "detail": f"and {count:,} more in this source"}
            self._write_line(json.dumps(content, ensure_ascii=False))

    def failures(self, failures: Iterable[FailedDocument]) -> None:
        """The texts on which extractors failed."""
        for item in failures:
            reason = item.failure.reason.value
            self.counts[reason] += 1
            content = {"reason": reason, "where": item.document, "extractor": item.name, "detail": item.failure.detail}
            self._write_line(json.dumps(content | {"remedy": _REMEDY}, ensure_ascii=False))

    def _add_places(self, query: str, tables: Engine) -> None:
        """The rows of a query with places in texts."""
        for batch in tables.rows(query):
            for row in batch.to_pylist():
                self.add(Discard(**row))

    def steps(self, relations: Sequence[Relation], added: Collection[Relation]) -> list[Step]:
        """Log the discards of extractors and rules; `added` are the relations to which corrections add."""
        queries = {
            f"log {relation.name}": (
                DiscardReason.BELOW_SUPPORT,
                f"""
                SELECT s.id AS "where", '{relation.name} ' || e.id AS detail
                FROM {relation.table}_counted r {relation.ends}
                {_WITHOUT_ADDED.format(relation.table) if relation in added else ""}
                WHERE r.support < least_support() ORDER BY r.start, r."end"
                """,
            )
            for relation in relations
        }
        places = {"readings": _READINGS, "without event": _WITHOUT_EVENT}
        queries["log contradicted orders"] = (DiscardReason.CYCLE, _CONTRADICTED)
        return [
            *(
                Step(
                    f"log {name}",
                    (f"log/{name.replace(' ', '-')}",),
                    tables_in(query),
                    partial(self._add_places, query),
                )
                for name, query in places.items()
            ),
            *(
                Step(name, (name.replace(" ", "/", 1),), tables_in(query), partial(self._add_ids, reason, query))
                for name, (reason, query) in queries.items()
            ),
        ]

    def _add_ids(self, reason: DiscardReason, query: str, tables: Engine) -> None:
        """The rows of a query with ids, in which nothing needs to be escaped; there may be millions of rows."""
        for batch in tables.rows(query):
            self.counts[reason.value] += batch.num_rows
            lines = (
                f'{{"reason": "{reason.value}", "where": "{where}", "detail": "{detail}"}}'
                for where, detail in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            )
            self._write_line("\n".join(lines))
