"""RDF files: two parsers read the same, sources have graphs of their own, the same graph has the same bytes."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.namespace import RDF, XSD

from exports.rdf.descriptions import double, escaped
from exports.rdf.mapping import describe
from exports.targets import ExportOptions, export, resolve
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError, GraphDirectoryError, StoreError
from schemas.graph_types import RELATION_TYPES
from schemas.results import ExportReport
from schemas.tables import table_path
from schemas.type_declarations import Layer
from tests.exports.adapters_rdf import FILE_SUFFIXES, file_content, parse_file
from tests.graphs import Rows, generated_graph, odd_graph, odd_rows, write_graph

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
DEFAULT_GRAPH = rdflib.graph.DATASET_DEFAULT_GRAPH_ID
KGS = rdflib.Namespace("https://w3id.org/kgscripts/ontology#")
OXIGRAPH = {
    ".ttl": pyoxigraph.RdfFormat.TURTLE,
    ".trig": pyoxigraph.RdfFormat.TRIG,
    ".nq": pyoxigraph.RdfFormat.N_QUADS,
    ".jsonld": pyoxigraph.RdfFormat.JSON_LD,
}
Quad = tuple[str, str, str, str | None, str]
Written = Callable[[str], tuple[Path, ExportReport]]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("rdf") / "graph")


@pytest.fixture(scope="module")
def written(graph: ScriptGraph, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The graph as the file of a suffix, and the report of its export, which each suffix has once."""
    folder = tmp_path_factory.mktemp("written")

    @cache
    def write(suffix: str) -> tuple[Path, ExportReport]:
        return folder / f"g{suffix}", export(graph, str(folder / f"g{suffix}"))

    return write


@pytest.fixture(scope="module")
def turtle(written: Written) -> rdflib.Dataset:
    return parse_file(written(".ttl")[0])


def by_oxigraph(path: Path) -> set[Quad]:
    """Subject, predicate, object, datatype with language, and graph ("" for the default graph)."""
    quads = pyoxigraph.parse(file_content(path), OXIGRAPH[path.suffixes[0]])
    return {
        (
            q.subject.value,
            q.predicate.value,
            q.object.value,
            f"{q.object.datatype.value}@{q.object.language or ''}"
            if isinstance(q.object, pyoxigraph.Literal)
            else None,
            "" if isinstance(q.graph_name, pyoxigraph.DefaultGraph) else q.graph_name.value,
        )
        for q in quads
    }


def _datatype(literal: rdflib.Literal) -> str:
    return str(literal.datatype or (RDF.langString if literal.language else XSD.string))


def by_rdflib(path: Path) -> set[Quad]:
    return {
        (
            str(s),
            str(p),
            str(o),
            f"{_datatype(o)}@{o.language or ''}" if isinstance(o, rdflib.Literal) else None,
            "" if g == DEFAULT_GRAPH else str(g),
        )
        for s, p, o, g in parse_file(path).quads()
    }


@pytest.mark.parametrize("suffix", FILE_SUFFIXES)
def test_two_parsers_read_the_same(written: Written, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # rdflib tidies the lexical form of numbers as it reads.
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    path, report = written(suffix)
    found = by_oxigraph(path)
    assert len(found) == report.details["triples"]
    read = by_rdflib(path)
    if suffix.startswith(".jsonld"):
        # The lexical form of a native JSON number is the processor's (JSON-LD 1.1 API, 8.2.2); rdflib's is its own.
        read = {(s, p, double(float(o)) if t == f"{XSD.double}@" else o, t, g) for s, p, o, t, g in read}
    assert read == found


def test_all_syntaxes_say_the_same(written: Written) -> None:
    said = {suffix: by_oxigraph(written(suffix)[0]) for suffix in OXIGRAPH}
    assert said[".nq"] == said[".trig"] == said[".jsonld"]
    assert {quad[:4] for quad in said[".nq"]} == {quad[:4] for quad in said[".ttl"]}
    assert {quad[4] for quad in said[".ttl"]} == {""}


def test_texts_are_in_the_graph_of_their_source_and_knowledge_in_none(graph: ScriptGraph, written: Written) -> None:
    dataset = parse_file(written(".nq")[0])
    source_of = {
        graph.iri(row["id"]): graph.iri(row["source"])
        for name in ("Passage", "ChangeInstance")
        for row in graph.rows(name)
    }
    names = {str(g) for *_, g in dataset.quads() if g != DEFAULT_GRAPH}
    assert names == {graph.iri(row["id"]) for row in graph.rows("Source")}
    checked = 0
    for subject, _, _, name in dataset.quads():
        node = re.split(r"\.(?:selector|about|realizes|shows|quantities|sizes|durations)\b", str(subject))[0]
        if "/passage/" in node or "/change-instance/" in node:
            assert str(name) == source_of[node], subject
            checked += 1
        elif "/source/" in node:
            assert str(name) == node
        else:
            assert name == DEFAULT_GRAPH, subject
    assert checked > 100


def test_passages_find_their_source_however_the_tables_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generated = generated_graph(tmp_path / "graph", 1000)
    export(generated, str(tmp_path / "whole.nq"))
    batches = ScriptGraph.batches
    monkeypatch.setattr(ScriptGraph, "batches", lambda self, name, rows=0: batches(self, name, 7 if rows else 11))
    monkeypatch.setattr("exports.rdf.mapping._BYTES", 1000)
    export(generated, str(tmp_path / "cut.nq"))
    whole, cut = ((tmp_path / name).read_text().splitlines() for name in ("whole.nq", "cut.nq"))
    assert sorted(whole) == sorted(cut)


@pytest.mark.parametrize("name", [name for name, kind in RELATION_TYPES.items() if kind.layer is Layer.KNOWLEDGE])
def test_knowledge_is_said_as_a_plain_triple(graph: ScriptGraph, turtle: rdflib.Dataset, name: str) -> None:
    predicate = KGS[name.title().replace("_", "")[0].lower() + name.title().replace("_", "")[1:]]
    pairs = {(str(s), str(o)) for s, _, o, _ in turtle.quads((None, predicate, None, None))}
    assert pairs == {(graph.iri(row["from_id"]), graph.iri(row["to_id"])) for row in graph.rows(name)}


@pytest.mark.parametrize("suffix", [*FILE_SUFFIXES, ".trig.zst"])
def test_the_same_graph_has_the_same_bytes(written: Written, tmp_path: Path, suffix: str) -> None:
    export(odd_graph(tmp_path / "again"), str(tmp_path / f"another{suffix}"))
    assert written(suffix)[0].read_bytes() == (tmp_path / f"another{suffix}").read_bytes()


def test_json_ld_is_plain_json_with_native_values(written: Written) -> None:
    document = json.loads(written(".jsonld")[0].read_text(encoding="utf-8"))
    (tool,) = [node for node in document["@graph"] if node.get("type") == ["Tool"] and node["rdfs:label"] == "plain"]
    assert isinstance(tool["support"], int)
    numbers = [node["probability"] for node in document["@graph"] if "probability" in node]
    assert numbers
    assert all(isinstance(number, float) for number in numbers)


def test_every_line_of_n_quads_is_a_quad_by_itself(written: Written) -> None:
    content = written(".nq")[0].read_bytes()
    assert not set(content) & {*range(0x0A), *range(0x0B, 0x20), 0x7F}, "control characters are escaped"
    lines = content.split(b"\n")
    assert lines.pop() == b""
    for line in lines:
        assert len(list(pyoxigraph.parse(line, pyoxigraph.RdfFormat.N_QUADS))) == 1


def test_the_dataset_names_its_build_and_its_size(graph: ScriptGraph, turtle: rdflib.Dataset) -> None:
    (described,) = turtle.subjects(RDF.type, rdflib.URIRef("http://www.w3.org/ns/dcat#Dataset"))
    assert str(turtle.value(described, rdflib.URIRef("http://purl.org/dc/terms/identifier"))) == graph.build_id
    void = rdflib.Namespace("http://rdfs.org/ns/void#")
    counts = {
        str(turtle.value(part, void["class"])): int(str(turtle.value(part, void.entities)))
        for part in turtle.objects(described, void.classPartition)
    }
    assert counts[str(KGS.Tool)] == graph.manifest.rows("Tool")
    assert counts[str(KGS.Statement)] == graph.manifest.rows("Statement")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.none(), min_size=1))
def test_any_text_survives_its_escapes(texts: list[str | None]) -> None:
    for text, escape in zip(texts, escaped(pa.array(texts, pa.string())).to_pylist(), strict=True):
        if text is None:
            assert escape is None
            continue
        assert json.loads(f'"{escape}"') == text
        (quad,) = pyoxigraph.parse(f'<a:s> <a:p> "{escape}" .'.encode(), pyoxigraph.RdfFormat.N_QUADS)
        assert quad.object.value == text


@given(st.floats())
def test_any_number_survives_its_lexical_form(value: float) -> None:
    text = double(value)
    found = float(text.replace("INF", "inf"))
    assert found == value or (math.isnan(found) and math.isnan(value))
    assert math.copysign(1, found) == math.copysign(1, value) or math.isnan(value)


@pytest.mark.parametrize(
    ("value", "lexical"),
    [
        (1.0, "1.0E0"),
        (0.0, "0.0E0"),
        (-0.0, "-0.0E0"),
        (0.25, "2.5E-1"),
        (100.0, "1.0E2"),
        (-1234.5, "-1.2345E3"),
        (1e-7, "1.0E-7"),
        (math.inf, "INF"),
        (-math.inf, "-INF"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_are_in_canonical_form(value: float, lexical: str) -> None:
    assert double(value) == lexical


@pytest.mark.parametrize("suffix", OXIGRAPH)
def test_numbers_that_are_none_survive(tmp_path: Path, suffix: str) -> None:
    rows = odd_rows(3)
    for row, value in zip(rows["BenchmarkScore"], (math.inf, -math.inf, math.nan), strict=True):
        row["value"] = value
    export(write_graph(tmp_path / "graph", rows), str(tmp_path / f"g{suffix}"))
    values = {o for _, p, o, _, _ in by_oxigraph(tmp_path / f"g{suffix}") if p == "http://www.w3.org/ns/dqv#value"}
    assert values == {"INF", "-INF", "NaN"}


def with_id(old: str, new: str, rows: Rows) -> Rows:
    return {
        name: [{key: new if value == old else value for key, value in row.items()} for row in table]
        for name, table in rows.items()
    }


@pytest.mark.parametrize(
    "identifier",
    ["tool/a b", "tool/>", "tool/a>b<c", "tool/é", "tool/", "tool/a\nb", 'tool/"', "tool/a/b", "tool/a.", "tool/-"],
)
def test_an_id_that_is_no_part_of_an_iri_is_refused(tmp_path: Path, identifier: str) -> None:
    rows = odd_rows(3)
    graph = write_graph(tmp_path / "graph", with_id(rows["Tool"][0]["id"], identifier, rows))
    with pytest.raises(StoreError, match="cannot be part of an IRI"):
        export(graph, str(tmp_path / "g.nq"))
    assert not (tmp_path / "g.nq").exists()


def test_a_replaced_id_that_is_no_part_of_an_iri_is_refused(tmp_path: Path) -> None:
    rows = odd_rows(3)
    rows["SubEvent"][0]["replaces"] = ["sub-event/a b"]
    with pytest.raises(StoreError, match=r"'sub-event/a b' cannot be part of an IRI") as error:
        export(write_graph(tmp_path / "graph", rows), str(tmp_path / "g.nq"))
    assert error.value.where == "SubEvent.replaces"


def test_a_statement_of_an_unknown_relation_is_refused(tmp_path: Path) -> None:
    rows = odd_rows(3)
    rows["Statement"][0]["relation"] = "> . <a:injected> <a:b> <a:c"
    with pytest.raises(StoreError, match="there is no relation"):
        export(write_graph(tmp_path / "graph", rows), str(tmp_path / "g.ttl"))


def test_an_export_that_fails_leaves_the_older_file(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    target = tmp_path / "g.nq.gz"
    export(graph, str(target))
    before = target.read_bytes()
    table = graph.directory / table_path("SHOWS")
    table.write_bytes(bytes(table.stat().st_size))
    with pytest.raises(GraphDirectoryError, match="damaged"):
        export(graph, str(target))
    assert target.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.nq.gz", "graph"]


def test_places_that_cannot_be_written_are_named(graph: ScriptGraph, tmp_path: Path) -> None:
    (tmp_path / "folder.ttl").mkdir()
    (tmp_path / "file").write_text("")
    for target in ("folder.ttl", "file/g.ttl"):
        with pytest.raises(StoreError, match="cannot be written"):
            export(graph, str(tmp_path / target))


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """No file may grow beyond a few bytes: to a program it looks like a disk that has no room left."""
    odd_graph(tmp_path / "graph")
    code = (
        "import resource, sys; from exports.targets import export; from schemas.errors import StoreError;"
        "from kgscripts import ScriptGraph; graph = ScriptGraph.open('graph');"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "for target in sys.argv[1:]:\n"
        " try: export(graph, target)\n"
        " except StoreError as error: print(repr(str(error)))"
    )
    targets = ["g.ttl", "g.nq.gz", "g.jsonld.zst", "g.oxigraph"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.run(
        [sys.executable, "-c", code, *targets],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert process.returncode == 0, process.stderr
    for target, said in zip(targets, process.stdout.splitlines(), strict=True):
        assert "written" in said, (target, process.stderr)
        assert "space" in said, target
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


@pytest.mark.parametrize(
    "target", ["graph", "graph.txt", "graph.gz", "graph.nq.bz2", "ftp://host/x", "c:graph", ".", "nq"]
)
def test_a_target_that_names_nothing_is_refused(graph: ScriptGraph, target: str) -> None:
    with pytest.raises(ConfigurationError, match="has no known suffix or scheme"):
        export(graph, target)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("g.TTL", "Turtle"),
        ("a:b/g.nq.GZ", "N-Quads"),
        ("oxigraph:relative/dir", "Oxigraph store"),
        ("g.oxigraph/", "Oxigraph store"),
        ("SPARQL+HTTP://host/kg", "SPARQL server"),
        ("C:\\graphs\\g.jsonld", "JSON-LD"),
    ],
)
def test_suffix_or_scheme_tell_the_target(target: str, name: str) -> None:
    assert resolve(target).name == name


def test_what_is_read_of_a_graph_at_a_time_is_bounded(tmp_path: Path) -> None:
    rows = odd_rows(2)
    passage = rows["Passage"][0]
    text = "long " * 200_000
    rows["Passage"] = [passage | {"id": f"passage/p{i:03}", "text": text} for i in range(100)]
    for name in ("WITHIN", "NEXT", "ABOUT", "REALIZES", "SHOWS", "EVIDENCED_BY"):
        rows[name] = []
    graph = write_graph(tmp_path / "graph", rows)
    sizes = [sum(v.objects.nbytes for d in chunk.descriptions for v in d.values) for chunk in describe(graph)]
    assert max(sizes) < 70 << 20
    export(graph, str(tmp_path / "g.nq.zst"), ExportOptions())
    assert len(by_oxigraph(tmp_path / "g.nq.zst")) > 800
