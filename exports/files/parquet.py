"""The graph's Parquet tables as they are: a directory that `StoredGraph.open` reads, without the records."""

from __future__ import annotations

import shutil
from pathlib import Path

from exports.targets import ExportOptions, report
from schemas.graph_directory import ID, read_id
from schemas.output_files import new_directory
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph
from schemas.tables import table_path


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Copy the tables, the manifest and the graph's id (``parquet:DIR``).

    Raises
    ------
    GraphDirectoryError
        If the id is damaged.
    StoreError
        If the directory cannot be written, or holds files that no export made.
    """
    path = Path(target.partition(":")[2])
    if options.dry_run:
        return report(graph, target)
    with new_directory(path, inputs=[graph.directory]) as temporary:
        for name in sorted(graph.manifest.tables):
            copy = temporary / table_path(name)
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(graph.directory / table_path(name), copy)
            options.advance(graph.manifest.rows(name))
        if read_id(graph.directory) is not None:
            shutil.copyfile(graph.directory / ID, temporary / ID)
        shutil.copyfile(graph.directory / "manifest.json", temporary / "manifest.json")
    return report(graph, target)
