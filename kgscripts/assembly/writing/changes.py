"""Writing state changes: types, and the instances of each text in the order of its steps."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.step import Step, tables_in
from kgscripts.assembly.tables.changes import LEVEL
from schemas.graph_writer import ScriptGraphWriter

_KNOWN = "JOIN state_change_total t ON t.key = c.state_change"

_TYPES = {
    "Attribute": """
        SELECT n.id, n.label, coalesce(o.names, []) AS alternative_labels, t.support
        FROM attribute n JOIN attribute_total t ON t.key = n.attribute
             LEFT JOIN (SELECT attribute, list(name ORDER BY name) AS names FROM attribute_alias GROUP BY attribute) o
             ON o.attribute = n.label
        WHERE kept(t.support, t.added) ORDER BY n.attribute
    """,
    "StateChange": f"""
        SELECT c.id, c.label, nullif(c.before, '') AS before, c.after, t.support
        FROM state_change c {_KNOWN} WHERE kept(t.support, t.added) ORDER BY c.state_change
    """,
    "OF_ENTITY": f"""
        SELECT c.id AS from_id, e.id AS to_id FROM state_change c {_KNOWN} JOIN entity e USING (entity)
        WHERE kept(t.support, t.added)
        UNION ALL
        SELECT c.id, n.id FROM state_change c {_KNOWN} JOIN tool n ON n.label = c.entity_label
             JOIN tool_total u ON u.key = n.tool
        WHERE kept(t.support, t.added) AND kept(u.support, u.added)
        ORDER BY from_id, to_id
    """,
    "OF_ATTRIBUTE": f"""
        SELECT c.id AS from_id, a.id AS to_id FROM state_change c {_KNOWN} JOIN attribute a USING (attribute)
        WHERE kept(t.support, t.added) ORDER BY c.state_change
    """,
}

# The instances of the current documents in the order of their ids, which begin like those of their passages.
_INSTANCE = """
    SELECT row_number() OVER (ORDER BY document, start, "end", kind, change) AS instance, *,
           'change-instance/' || passage_key || '-' || change AS id, 'passage/' || passage_key AS passage
    FROM (SELECT i.*, c.id AS state_change_id, c.entity, c.attribute, c.before, c.after, right(c.id, 24) AS change,
                 substr(passage_id(d.key, i.start, i."end", i.kind), length('passage/') + 1) AS passage_key,
                 d.id AS source, kept(t.support, t.added) AS kept
          FROM change_instance i JOIN state_change c USING (state_change) JOIN document d USING (document)
               JOIN state_change_total t ON t.key = i.state_change
          WHERE in_partition(i.document))
"""

# Each instance with those in the last earlier step that changes the same attribute of the entity.
_SUCCESSION = """
    SELECT *, bool_or(agrees) OVER (PARTITION BY later) AS explained
    FROM (SELECT a.instance AS earlier, b.instance AS later, a.id AS from_id, b.id AS to_id,
                 a.kept AND b.kept AS kept, agree(a.after, b.before) AS agrees
          FROM ordered_instance a JOIN ordered_instance b ON b.document = a.document AND b.entity = a.entity
               AND b.attribute = a.attribute AND b.place = a.place + 1
          WHERE b.before <> '')
"""

_INSTANCES = {
    "ChangeInstance": "SELECT id, source, step, presupposed FROM instance WHERE kept ORDER BY instance",
    "SHOWS": f"""
        SELECT passage AS from_id, id AS to_id, probability, {LEVEL.format("is_certain")}
        FROM instance WHERE kept ORDER BY instance
    """,
    "INSTANCE_OF": "SELECT id AS from_id, state_change_id AS to_id FROM instance WHERE kept ORDER BY instance",
    "PERSISTS_TO": "SELECT from_id, to_id FROM succession WHERE kept AND agrees ORDER BY earlier, later",
    "CONTRADICTS": "SELECT from_id, to_id FROM succession WHERE kept AND NOT explained ORDER BY earlier, later",
}


_ORDERED = """
    SELECT *, dense_rank() OVER (PARTITION BY document, entity, attribute ORDER BY step) AS place FROM instance
"""

_ANY_INSTANCE = "SELECT 1 FROM change_instance LIMIT 1"
_ANY_TYPE = f"({_ANY_INSTANCE}) UNION ALL (SELECT 1 FROM added_changes LIMIT 1)"


def steps(writer: ScriptGraphWriter) -> list[Step]:
    """Write Attribute, StateChange and their relations, then the instances of each text and their order."""

    def write_type(name: str, tables: Engine) -> None:
        if tables.values(_ANY_TYPE):
            writer.write(name, tables.graph_rows(name, _TYPES[name]))

    def write_instances(tables: Engine) -> None:
        if not tables.values(_ANY_INSTANCE):
            return
        with ExitStack() as stack:
            files = {name: stack.enter_context(writer.table(name)) for name in _INSTANCES}
            for _ in tables.partitions():
                tables.make_temporary("instance", _INSTANCE)
                tables.make_temporary("ordered_instance", _ORDERED)
                tables.make_temporary("succession", _SUCCESSION)
                for name, write in files.items():
                    for batch in tables.graph_rows(name, _INSTANCES[name]):
                        write(batch)

    types = [
        Step(f"write {name}", (f"graph/{name}",), tables_in(query) | tables_in(_ANY_TYPE), partial(write_type, name))
        for name, query in _TYPES.items()
    ]
    made = tuple(f"graph/{name}" for name in _INSTANCES)
    return [*types, Step("write instances", made, tables_in(_INSTANCE), write_instances)]
