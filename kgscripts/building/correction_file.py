"""Files of corrections: JSON lines, one correction a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgscripts.corpora.files import find_files
from kgscripts.corpora.json_records import encodable, json_object
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import numbered_lines
from schemas.arguments import path_of
from schemas.corrections import NO_SCENARIO, Correction, CorrectionKind
from schemas.errors import InputError, KGScriptsError

_FIELDS = {"kind", "scenario", "step", "relation", "other", "thing", "name", "role", "withdrawn", "author", "time"}
_REMEDY = (
    'a correction is {"kind": "rename", "scenario": "baking a cake", "step": "put cake in oven", "name": "bake it", '
    '"author": "Ada", "time": "2026-03-01"}'
)


def read_correction_file(path: str | Path) -> list[Correction]:
    """Read corrections from a file of JSON lines; blank lines are skipped. Scenarios get their listed names.

    Raises
    ------
    InputError
        If the file cannot be read, at the first line that is no correction, and for two corrections of the same thing
        with the same time.
    """
    if path_of("corrections", path).is_dir():
        raise InputError("it is a folder", where=str(path), remedy="name a file with a correction on each line")
    [file] = find_files([path])
    if file.fault:
        raise InputError(file.fault, where=str(file.path), remedy="check its permissions")
    corrections: list[Correction] = []
    seen: dict[tuple[str, str], str] = {}
    for where, line in numbered_lines(file.path):
        try:
            correction = correction_of(json_object(line))
        except KGScriptsError as error:
            raise InputError(error.message, where=where, remedy=error.remedy or _REMEDY) from error
        before = seen.setdefault((correction.digest, correction.time), where)
        if before != where and correction not in corrections:
            raise InputError(
                f"it corrects the same as {before} at the same time",
                where=where,
                remedy="give the one that shall win a later time",
            )
        corrections.append(correction)
    return corrections


def correction_of(record: dict[str, Any]) -> Correction:
    """The correction of a line of such a file; raises InputError, RecordError or ConfigurationError if it is none."""
    if unknown := sorted(record.keys() - _FIELDS):
        raise InputError(f"unknown field {unknown[0]!r}")
    withdrawn = record.pop("withdrawn", False)
    if not isinstance(withdrawn, bool):
        raise InputError('"withdrawn" is neither true nor false')
    for name in record:
        if not isinstance(record[name], str):
            raise InputError(f'"{name}" is not a string')
        encodable(name, record[name])
    for name in ("kind", "author", "time"):
        if not record.get(name, "").strip():
            raise InputError(f'needs "{name}"')
    if record["kind"] not in list(CorrectionKind):
        raise InputError(
            f"{record['kind'][:40]!r} is no kind of correction", remedy=f"name one of {', '.join(CorrectionKind)}"
        )
    if record.get("scenario", "").strip() not in ("", NO_SCENARIO):
        record["scenario"] = resolve(record["scenario"])
    return Correction(**record, withdrawn=withdrawn)
