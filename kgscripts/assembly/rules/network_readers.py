"""READ_BY of what networks decide about rows of the graph, beside the extractors that read it in the texts."""

from __future__ import annotations

from kgscripts.assembly.engine import Engine


def read_by_merger(engine: Engine, reader: int) -> None:
    """EXPRESSED_AS and HAS_SUB_EVENT of merged steps: how probably their actions are the same step."""
    _add_column(engine, "expressed_as", reader)
    engine.execute(
        f"""
        UPDATE expressed_as SET reader_{reader} = m.probability
        FROM merged_wording m WHERE m.step = expressed_as.start AND m.action = expressed_as."end"
        """
    )
    _add_column(engine, "has_sub_event", reader)
    engine.execute(
        f"""
        UPDATE has_sub_event SET reader_{reader} = m.probability
        FROM (SELECT step, max(probability) AS probability FROM merged_wording GROUP BY step) m
        WHERE m.step = has_sub_event."end"
        """
    )


def read_by_vectors(engine: Engine, reader: int) -> None:
    """CLOSE_MATCH: the similarity."""
    _add_column(engine, "close_match", reader)
    engine.execute(f"UPDATE close_match SET reader_{reader} = similarity")


def _add_column(engine: Engine, table: str, reader: int) -> None:
    engine.execute(f"ALTER TABLE {table} ADD COLUMN reader_{reader} DOUBLE")
