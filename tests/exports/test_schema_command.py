"""`kgscripts schema` prints the files of the schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import OWL, RDF, SH

from exports.commands import SchemaFile
from schemas.errors import ConfigurationError, StoreError
from tests.commands import run


@pytest.mark.parametrize("name", SchemaFile)
def test_what_is_printed_is_what_is_written(name: str, tmp_path: Path) -> None:
    assert run("schema", name, "-o", tmp_path / "file") == ""
    written = (tmp_path / "file").read_text(encoding="utf-8")
    assert run("schema", name) == written


def test_each_is_of_its_format() -> None:
    assert (
        rdflib.Graph()
        .parse(data=run("schema", "ontology"), format="turtle")
        .value(predicate=RDF.type, object=OWL.Ontology)
    )
    assert "@context" in json.loads(run("schema", "context"))
    assert "CREATE CONSTRAINT" in run("schema", "constraints")
    closed = {
        flags: list(
            rdflib.Graph().parse(data=run("schema", "shapes", *flags), format="turtle").objects(None, SH.closed)
        )
        for flags in ((), ("--closed",))
    }
    assert closed[()] == []
    assert set(map(str, closed["--closed",])) == {"true"}


def test_faults_have_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="only shapes"):
        run("schema", "ontology", "--closed")
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "text").touch()
    with pytest.raises(StoreError):
        run("schema", "ontology", "-o", tmp_path / "file")
