"""The scripts that ship (`everyday`) beside the texts of a build: those of the activities that the texts are about."""

from __future__ import annotations

import logging

import pyarrow.compute as pc
import pyarrow.parquet as pq

from kgscripts.building.build import Build
from kgscripts.building.inputs import file_input
from kgscripts.building.intake import Intake
from kgscripts.building.run import Run
from kgscripts.corpora.files import InputFile
from kgscripts.everyday_scripts import NAME, folder, names_in
from kgscripts.records.store import RecordStore
from kgscripts.titles.keys import title_key
from schemas.records import Segment

_LOG = logging.getLogger(__name__)


def take_in_everyday(build: Build) -> None:
    """Add the scripts of the activities that what was read is about, by any of their names, and read them.

    Raises what `Build.read` raises.
    """
    known = {title_key(name) for name in _scenarios(build.store)}
    files = [path for path in sorted(folder().iterdir()) if not known.isdisjoint(map(title_key, names_in(path)))]
    if files:
        _LOG.info("%d scripts of %s are taken in", len(files), NAME)
        inputs = [file_input(InputFile(path, f"{NAME}/{path.name}"), None) for path in files]
        Intake(build.store, Run(jobs=1)).take_in(inputs, strict=True, limit=None)
        build.read()


def _scenarios(store: RecordStore) -> set[str]:
    """The scenarios of all texts."""
    scenarios: set[str] = set()
    for path in store.shards.files(Segment):
        scenarios.update(pc.unique(pq.read_table(path, columns=["scenario"])["scenario"]).to_pylist())
    return scenarios
