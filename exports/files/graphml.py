"""GraphML, for Gephi, Cytoscape, yEd and similar tools, written row by row.

GraphML has no lists, and XML does not allow some characters, such as NUL. Lists are written as JSON. In texts with
such characters, they are replaced by U+FFFD, and an additional property with the suffix `_json` holds the exact text
as JSON.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

from exports.neo4j.property_graph import ENDS, KEY, node_batches, relation_batches
from exports.targets import ExportOptions, compression_of, opened, report
from schemas.graph_directory import graph_files
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.output_files import new_file
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph
from schemas.type_declarations import Property, ValueType

_TYPES = {ValueType.INTEGER: "long", ValueType.NUMBER: "double", ValueType.BOOLEAN: "boolean"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EXACT = "_json"


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write the graph as GraphML (``.graphml``, ``.graphml.gz``, ``.graphml.zst``).

    Raises
    ------
    StoreError
        If the file cannot be written.
    """
    path = Path(target)
    if options.dry_run:
        return report(graph, target)
    with new_file(path, inputs=graph_files(graph.directory)) as temporary:
        with opened(temporary, compression_of(path)) as file:
            _write(graph, file, options)
        size = temporary.stat().st_size
    return report(graph, target, bytes=size)


def _write(graph: StoredGraph, stream: IO[bytes], options: ExportOptions) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
    text.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
    text.write(_key("node", "type", "string") + _key("edge", "type", "string"))
    text.writelines(_keys("node", (item for node in NODE_TYPES.values() for item in node.properties)))
    text.writelines(_keys("edge", (item for relation in RELATION_TYPES.values() for item in relation.properties)))
    text.write(f'<graph id={quoteattr(graph.manifest.base_iri)} edgedefault="directed">\n')
    for label in NODE_TYPES:
        for batch in node_batches(graph, label):
            for row in batch.to_pylist():
                text.write(f"<node id={quoteattr(row.pop(KEY))}>{_data('node', label, row)}</node>\n")
            options.advance(batch.num_rows)
    number = 0
    for name in RELATION_TYPES:
        for batch in relation_batches(graph, name):
            for row in batch.to_pylist():
                number += 1
                source, target = (quoteattr(row.pop(end)) for end in ENDS)
                data = _data("edge", name, row)
                text.write(f'<edge id="e{number}" source={source} target={target}>{data}</edge>\n')
            options.advance(batch.num_rows)
    text.write("</graph>\n</graphml>\n")
    text.flush()
    text.detach()


def _keys(kind: str, properties: Iterable[Property]) -> Iterable[str]:
    keys: dict[str, str] = {}
    for item in properties:
        keys[item.name] = _TYPES.get(item.type, "string")
        if item.type is ValueType.STRING:
            keys[item.name + _EXACT] = "string"
    return (_key(kind, name, xml_type) for name, xml_type in keys.items())


def _key(kind: str, name: str, xml_type: str) -> str:
    return f'<key id="{kind}.{name}" for="{kind}" attr.name="{name}" attr.type="{xml_type}"/>\n'


def _data(kind: str, type_name: str, row: dict[str, Any]) -> str:
    parts = [f'<data key="{kind}.type">{type_name}</data>']
    for name, value in row.items():
        if value is not None:
            parts.append(f'<data key="{kind}.{name}">{_text(value)}</data>')
            if isinstance(value, str) and _NOT_XML.search(value):
                parts.append(f'<data key="{kind}.{name}{_EXACT}">{_text(json.dumps(value))}</data>')
    return "".join(parts)


def _text(value: object) -> str:
    if isinstance(value, str):
        return escape(_NOT_XML.sub("\ufffd", value), {"\r": "&#13;"})
    if isinstance(value, list):
        return escape(json.dumps(value))
    return str(value).lower() if isinstance(value, bool) else repr(value)
