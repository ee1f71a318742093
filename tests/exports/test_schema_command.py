"""`kgscripts schema` prints the files of the schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import OWL, RDF, SH
from typer.testing import CliRunner

import cli
from exports.schema_command import SchemaFile
from schemas.errors import ConfigurationError, StoreError


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli.app, ["schema", *map(str, arguments)])
    if isinstance(result.exception, Exception):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("name", SchemaFile)
def test_what_is_printed_is_what_is_written(name: str, tmp_path: Path) -> None:
    assert run(name, "-o", tmp_path / "file") == ""
    written = (tmp_path / "file").read_text(encoding="utf-8")
    assert run(name) == written


def test_each_is_of_its_format() -> None:
    assert rdflib.Graph().parse(data=run("ontology"), format="turtle").value(predicate=RDF.type, object=OWL.Ontology)
    assert "@context" in json.loads(run("context"))
    assert "CREATE CONSTRAINT" in run("constraints")
    closed = {
        flags: list(rdflib.Graph().parse(data=run("shapes", *flags), format="turtle").objects(None, SH.closed))
        for flags in ((), ("--closed",))
    }
    assert closed[()] == []
    assert set(map(str, closed["--closed",])) == {"true"}


def test_faults_have_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="only shapes"):
        run("ontology", "--closed")
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "text").touch()
    with pytest.raises(StoreError):
        run("ontology", "-o", tmp_path / "file")
