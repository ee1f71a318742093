"""`build_graph` and `remove_source`: adding, replacing, removing, and every option."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import kgscripts
from kgscripts import ScriptGraph
from kgscripts.building import jobs
from kgscripts.building.build import Progress
from kgscripts.building.inputs import Text
from kgscripts.building.report import BuildReport
from kgscripts.extractors.protocol import Extractor
from kgscripts.pipeline import build_graph, remove_source
from schemas.errors import ConfigurationError, GraphDirectoryError, InputError
from schemas.vocabulary import DEFAULT_BASE_IRI
from tests.assembly.built import graph_bytes, graph_rows, labels
from tests.assembly.tiny_reader import CountingExtractor, TinySegmenter, tiny, tiny_document
from tests.pipeline.stopping import until_assembly

IRI, LICENCE = "https://example.org/kg/", "https://creativecommons.org/licenses/by/4.0/"


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four stories, two of them about cooking pasta."""
    texts = {
        "cooking_pasta_1": "boil the water. add the pasta. drain the pasta with the strainer.",
        "cooking_pasta_2": "boil the water in the pot. add the pasta. not eat the pasta.",
        "baking_1": "mix the dough with the spoon. boil the water.",
        "baking_2": "mix the dough.",
    }
    folder = tmp_path_factory.mktemp("of") / "stories"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return sorted(folder.iterdir())


@pytest.fixture
def changeable(stories: list[Path]) -> Iterator[list[Path]]:
    """The stories, which are put back after the test."""
    contents = {story: story.read_bytes() for story in stories}
    yield stories
    for story, content in contents.items():
        story.write_bytes(content)


@pytest.fixture(scope="module")
def built(stories: list[Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuildReport]:
    """The graph of all stories, which is only read and copied, and the report of its build."""
    directory = tmp_path_factory.mktemp("built") / "graph"
    return directory, build_graph(stories, directory, extractors=tiny())


@pytest.fixture(scope="module")
def whole(built: tuple[Path, BuildReport]) -> dict[str, bytes]:
    """The bytes of the graph of all stories."""
    return graph_bytes(built[0])


@pytest.fixture
def graph(built: tuple[Path, BuildReport], tmp_path: Path) -> Path:
    """A copy of the graph of all stories."""
    return shutil.copytree(built[0], tmp_path / "graph")


@pytest.fixture(scope="module")
def published(stories: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph of all stories with a base IRI and a licence of its own; it is only copied."""
    directory = tmp_path_factory.mktemp("published") / "graph"
    build_graph(stories, directory, extractors=tiny(), base_iri=IRI, licence=LICENCE)
    return directory


@pytest.fixture(scope="module")
def without(stories: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of `published` if it had never had the second story."""
    directory = tmp_path_factory.mktemp("without") / "graph"
    build_graph([stories[0], *stories[2:]], directory, extractors=tiny(), base_iri=IRI, licence=LICENCE)
    return graph_bytes(directory)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where readers write down which sources they read."""
    path = tmp_path / "log"
    path.touch()
    return path


@pytest.fixture
def read_since(log: Path) -> Callable[[], list[str]]:
    """The sources that were read since the last call."""

    def sources() -> list[str]:
        names = log.read_text(encoding="utf-8").split()
        log.write_text("", encoding="utf-8")
        return names

    return sources


def test_what_was_read_is_not_read_again(
    stories: list[Path], whole: dict[str, bytes], tmp_path: Path, log: Path, read_since: Callable[[], list[str]]
) -> None:
    reader = tiny(log=log)
    build_graph(stories[:2], tmp_path / "graph", extractors=reader)
    assert read_since() == [story.name for story in stories[:2]]
    report = build_graph(stories, tmp_path / "graph", extractors=reader)
    assert read_since() == [story.name for story in stories[2:]]
    assert (report.run.inputs_known, report.run.inputs_read, report.run.sources_read) == (2, 2, 2)
    build_graph(stories[0], tmp_path / "graph", extractors=reader)
    assert read_since() == []
    assert graph_bytes(tmp_path / "graph") == whole


def test_a_moved_file_is_known_by_its_content(
    changeable: list[Path], graph: Path, tmp_path: Path, log: Path, read_since: Callable[[], list[str]]
) -> None:
    moved = changeable[0].rename(tmp_path / changeable[0].name)
    build_graph(moved, graph, extractors=tiny(log=log))
    assert read_since() == []


def test_a_changed_file_replaces_what_it_gave(changeable: list[Path], graph: Path, tmp_path: Path) -> None:
    changeable[0].write_text("peel the carrots.", encoding="utf-8")
    build_graph(changeable[0], graph, extractors=tiny())
    build_graph(changeable, tmp_path / "anew", extractors=tiny())
    assert graph_bytes(graph) == graph_bytes(tmp_path / "anew")
    assert "peel carrots" in labels(graph_rows(graph), "SubEvent").values()


def test_another_version_reads_every_text_again(
    stories: list[Path], graph: Path, tmp_path: Path, log: Path, read_since: Callable[[], list[str]]
) -> None:
    build_graph(stories[:1], graph, extractors=tiny(version="2", log=log))
    assert sorted(read_since()) == [story.name for story in stories], "the texts are in the records"
    assert {(row["name"], row["version"]) for row in graph_rows(graph)["Model"]} == {
        ("labels", "4"),
        ("tiny", "2"),
        ("tiny-syntax", "1"),
    }
    build_graph(stories, tmp_path / "anew", extractors=tiny(version="2"))
    assert graph_bytes(graph) == graph_bytes(tmp_path / "anew")


def _records(directory: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in directory.glob("records/*/*.parquet")}


def test_one_extractor_more_reads_alone_and_leaves_the_records_of_others(
    whole: dict[str, bytes], graph: Path, log: Path, read_since: Callable[[], list[str]]
) -> None:
    known = _records(graph)
    build_graph(output=graph, extractors=[*tiny(log=log), TinySegmenter()])
    assert read_since() == []
    assert graph_rows(graph)["ABOUT"]
    assert known.items() <= _records(graph).items()
    # Left out, its records stay: chosen again, nothing is read.
    build_graph(output=graph, extractors=[*tiny(log=log), TinySegmenter()], without=["tiny-segments"])
    assert graph_bytes(graph) == whole
    known = _records(graph)
    with until_assembly():
        build_graph(output=graph, extractors=[*tiny(log=log), TinySegmenter()])
    assert read_since() == []
    assert _records(graph) == known


def test_a_new_version_reads_its_dependants_again_and_nobody_else(
    stories: list[Path], graph: Path, tmp_path: Path, log: Path, read_since: Callable[[], list[str]]
) -> None:
    others: list[Extractor] = [CountingExtractor(log), TinySegmenter()]
    for number in (len(stories), 0):
        with until_assembly():
            build_graph(stories, graph, extractors=[*tiny(), *others], strict=True)
        assert len(read_since()) == number
    build_graph(stories, graph, extractors=[*tiny(version="2"), *others], strict=True)
    assert len(read_since()) == len(stories), "it requires events, which another version reads now"
    build_graph(stories, tmp_path / "anew", extractors=[*tiny(version="2"), *others], strict=True)
    assert graph_bytes(graph) == graph_bytes(tmp_path / "anew")


def test_the_same_text_twice_is_one_source(stories: list[Path], tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    copy, packed = tmp_path / "more/a_copy.txt", tmp_path / "more/packed.txt.gz"
    copy.write_bytes(stories[0].read_bytes())
    packed.write_bytes(gzip.compress(stories[0].read_bytes()))
    build_graph([*stories, packed, copy], tmp_path / "graph", extractors=tiny())
    graph = ScriptGraph.open(tmp_path / "graph")
    assert graph.manifest.sources == 4
    assert graph.manifest.discards["duplicate text"] == 2
    assert "a_copy.txt" in {row["name"] for row in graph.rows("Source")}
    duplicates = [
        json.loads(line)
        for line in (tmp_path / "graph/discarded.jsonl").read_text(encoding="utf-8").splitlines()
        if "duplicate" in line
    ]
    assert [(item["where"], item["detail"]) for item in duplicates] == [
        (stories[0].name, "the same text as a_copy.txt"),
        ("packed.txt.gz", "the same text as a_copy.txt"),
    ]
    remove_source(tmp_path / "graph", copy)
    assert stories[0].name in {row["name"] for row in ScriptGraph.open(tmp_path / "graph").rows("Source")}


def _names(directory: Path, story: Path) -> dict[str, str]:
    """The names of a source, by their kind."""
    graph = ScriptGraph.open(directory)
    row = next(row for row in graph.rows("Source") if row["name"] == story.name)
    return {
        "name": row["name"],
        "path": str(story),
        "digest": row["digest"],
        "short digest": row["digest"][:8],
        "id": row["id"],
        "iri": graph.iri(row["id"]),
    }


@pytest.mark.parametrize("named_by", ["name", "path"])
def test_a_removed_source_leaves_no_trace(
    named_by: str, stories: list[Path], published: Path, without: dict[str, bytes], tmp_path: Path
) -> None:
    """By its path an input is removed, by another name a source."""
    directory = shutil.copytree(published, tmp_path / "graph")
    names = _names(directory, stories[1])
    assert remove_source(directory, names[named_by]) == [stories[1].name]
    assert graph_bytes(directory) == without
    files = list(directory.glob("records/*/*.parquet"))
    assert files
    assert not any(names["digest"] in pq.read_table(file)["subject"].to_pylist() for file in files)
    build_graph(stories, directory, extractors=tiny())
    assert ScriptGraph.open(directory).build_id == ScriptGraph.open(published).build_id


@pytest.mark.parametrize("named_by", ["digest", "short digest", "id", "iri"])
def test_a_source_has_other_names_by_which_it_is_removed(
    named_by: str, stories: list[Path], published: Path, tmp_path: Path
) -> None:
    directory = shutil.copytree(published, tmp_path / "graph")
    with until_assembly() as begun:
        remove_source(directory, _names(directory, stories[1])[named_by])
    assert begun.sources == [story.name for story in (stories[0], *stories[2:])]


def test_one_source_of_several_in_a_file_is_removed_and_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text('{"id": "a", "text": "boil the water."}\n{"id": "b", "text": "add the salt."}\n', encoding="utf-8")
    build_graph(file, tmp_path / "graph", extractors=tiny())
    before = graph_bytes(tmp_path / "graph")
    assert remove_source(tmp_path / "graph", "s.jsonl#a") == ["s.jsonl#a"]
    assert ScriptGraph.open(tmp_path / "graph").manifest.sources == 1
    build_graph(file, tmp_path / "graph", extractors=tiny())
    assert graph_bytes(tmp_path / "graph") == before


@pytest.mark.parametrize(
    ("source", "remedy"), [("cooking_pasta_3.txt", "did you mean cooking_pasta_"), ("x", "give its name")]
)
def test_what_is_not_there_cannot_be_removed(source: str, remedy: str, graph: Path) -> None:
    with pytest.raises(InputError, match="no source goes by") as caught:
        remove_source(graph, source)
    assert remedy in str(caught.value)


def test_a_name_of_two_sources_does_not_say_which_to_remove(graph: Path) -> None:
    texts = [tiny_document("boil the water.", name="a"), tiny_document("add the salt.", name="a")]
    with until_assembly():
        build_graph(output=graph, texts=texts, extractors=tiny())
    with pytest.raises(InputError, match="2 sources go by 'a'") as caught:
        remove_source(graph, "a")
    assert all(text.digest[:12] in str(caught.value) for text in texts)


def test_nothing_is_removed_where_there_is_no_graph(tmp_path: Path) -> None:
    with pytest.raises(GraphDirectoryError, match="no graph directory"):
        remove_source(tmp_path / "graph", "a")
    assert not (tmp_path / "graph").exists()


def test_a_limit_is_on_sources_and_the_rest_comes_later(
    tmp_path: Path, log: Path, read_since: Callable[[], list[str]]
) -> None:
    file = tmp_path / "s.jsonl"
    lines = (json.dumps({"id": str(number), "text": f"boil the egg{number}."}) for number in range(9))
    file.write_text("\n".join(lines), encoding="utf-8")
    other = tmp_path / "other.txt"
    other.write_text("add the salt.", encoding="utf-8")
    reader = tiny(log=log)
    for limit, names, sources in ((4, 4, 4), (3, 0, 4), (6, 2, 6)):
        with until_assembly() as begun:
            build_graph([file, other], tmp_path / "graph", limit=limit, extractors=reader)
        assert len(read_since()) == names
        assert len(begun.sources) == sources
    build_graph([file, other], tmp_path / "graph", extractors=reader)
    build_graph([file, other], tmp_path / "whole", limit=10, extractors=tiny())
    assert graph_bytes(tmp_path / "graph") == graph_bytes(tmp_path / "whole")


def test_what_few_sources_tell_stays_out(stories: list[Path], graph: Path) -> None:
    everything = graph_rows(graph)
    build_graph(stories, graph, min_support=2, extractors=tiny())
    rows = graph_rows(graph)
    for name in ("HAS_SUB_EVENT", "EXPRESSED_AS", "HAS_PARTICIPANT", "USES", "PRECEDES"):
        supports = {(row["from_id"], row["to_id"]): row["support"] for row in rows[name]}
        assert supports == {
            (row["from_id"], row["to_id"]): row["support"] for row in everything[name] if row["support"] >= 2
        }
    for name in ("SubEvent", "Action", "Entity", "Tool"):
        assert {row["id"] for row in rows[name]} == {row["id"] for row in everything[name] if row["support"] >= 2}
    nodes = {row["id"] for name, table in rows.items() if name[1:2].islower() for row in table}
    assert {row[end] for table in rows.values() for row in table for end in ("from_id", "to_id") if end in row} <= nodes
    assert ScriptGraph.open(graph).manifest.discards["below minimum support"] > 0
    assert len(rows["Passage"]) == len(everything["Passage"])


_BAD = '{"id": "a", "text": "boil the water."}\n{"id": "b", "text": \n{"id": "a", "text": "add the salt."}\n'


def test_bad_records_are_set_aside_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(_BAD, encoding="utf-8")
    (tmp_path / "empty.txt").touch()
    report = build_graph([tmp_path / "s.jsonl", tmp_path / "empty.txt"], tmp_path / "graph", extractors=tiny())
    assert report.sources == 1
    assert report.discards == {"duplicate id": 1, "empty source": 1, "malformed record": 1}
    lines = (tmp_path / "graph/discarded.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["where"] for line in lines] == ["empty.txt:1", "s.jsonl:2", "s.jsonl:3"]


def test_strict_stops_at_the_first_bad_record_whenever_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(_BAD, encoding="utf-8")
    for _ in range(2):
        with pytest.raises(InputError, match="malformed record") as caught:
            build_graph(tmp_path / "s.jsonl", tmp_path / "graph", strict=True, extractors=tiny())
        assert caught.value.where == "s.jsonl:2"
        assert not (tmp_path / "graph/manifest.json").exists()
        with until_assembly():
            build_graph(tmp_path / "s.jsonl", tmp_path / "lenient", extractors=tiny())
        with pytest.raises(InputError, match="malformed record"):
            build_graph(tmp_path / "s.jsonl", tmp_path / "lenient", strict=True, extractors=tiny())


_GERMAN = (
    "ich ging in die Küche und kochte Wasser. dann goss ich das Wasser in die Tasse und wartete drei Minuten. am Ende "
    "trank ich den Tee."
)


def test_texts_that_are_none_are_set_aside(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("bean,origin,roast\nlong,Peru,2\nround,Kenya,3\n", encoding="utf-8")
    lines = [{"id": "a", "text": "boil the water."}, {"id": "b", "text": _GERMAN}, {"id": "c", "text": "add the salt."}]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    inputs = [tmp_path / "s.txt", tmp_path / "s.jsonl"]
    report = build_graph(inputs, tmp_path / "graph", extractors=tiny())
    assert report.sources == 2
    assert report.discards == {"not in English": 1, "table, not prose": 1}
    found = [json.loads(line) for line in (tmp_path / "graph/discarded.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["where"] for line in found] == ["s.jsonl#b", "s.txt:1"]
    with pytest.raises(InputError, match="table, not prose") as caught:
        build_graph(inputs, tmp_path / "strict", strict=True, extractors=tiny())
    assert caught.value.where == "s.txt:1"
    with pytest.raises(InputError, match="not in English") as caught:
        build_graph(inputs[1:], tmp_path / "strict", strict=True, extractors=tiny())
    assert caught.value.where == "s.jsonl#b"
    with pytest.raises(InputError, match="not in English"):
        build_graph(texts=[_GERMAN], output=tmp_path / "german", extractors=tiny())


def test_strict_lets_language_pass(stories: list[Path], built: tuple[Path, BuildReport], tmp_path: Path) -> None:
    with until_assembly():
        build_graph(stories, tmp_path / "graph", strict=True, extractors=tiny())
    assert built[1].discards == {"negated": 1}, "what is there to stop at"


def test_texts_in_memory(tmp_path: Path) -> None:
    texts: list[Text] = [
        "boil the water.",
        {"text": "add the salt.", "scenario": "cooking pasta"},
        {"id": "x", "text": "stir."},
    ]
    report = kgscripts.build_graph(output=tmp_path / "graph", texts=texts, extractors=tiny())
    rows = graph_rows(tmp_path / "graph")
    assert report.sources == 3
    assert [row["label"] for row in rows["Scenario"]] == ["cooking pasta"]
    assert "text#x" in {row["name"] for row in rows["Source"]}
    for text in reversed(texts[1:]):
        with until_assembly():
            build_graph(output=tmp_path / "one-by-one", texts=[text], extractors=tiny())
    build_graph(output=tmp_path / "one-by-one", texts=texts[:1], extractors=tiny())
    assert graph_bytes(tmp_path / "one-by-one") == graph_bytes(tmp_path / "graph")


def test_a_graph_of_nothing(tmp_path: Path) -> None:
    report = build_graph(output=tmp_path / "graph", texts=[" ", "Who knows?"], extractors=tiny())
    assert report.nodes.keys() <= {"Source", "Passage", "Model", "BenchmarkScore"}
    assert graph_rows(tmp_path / "graph")["Statement"] == []


@pytest.mark.parametrize("option", ["jobs", "limit", "min_support"])
def test_options_outside_their_range_are_refused(option: str, tmp_path: Path) -> None:
    options: dict[str, int] = {option: 0}
    with pytest.raises(ConfigurationError, match=f"{option} is 0"):
        build_graph(output=tmp_path / "graph", texts=["boil."], extractors=tiny(), **options)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="is no base IRI"):
        build_graph(output=tmp_path / "graph", texts=["boil."], extractors=tiny(), base_iri="no iri")


def test_several_processes_read_the_same(
    stories: list[Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_DOCUMENTS_A_BATCH", 1)
    build_graph(stories, tmp_path / "two", extractors=tiny(), jobs=2)
    assert graph_bytes(tmp_path / "two") == whole


def test_an_interrupted_build_keeps_what_it_read(
    stories: list[Path],
    whole: dict[str, bytes],
    tmp_path: Path,
    log: Path,
    read_since: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "_DOCUMENTS_A_BATCH", 1)
    with pytest.raises(KeyboardInterrupt):
        build_graph(stories, tmp_path / "graph", extractors=tiny(log=log, interrupt_at="add the pasta"))
    first = read_since()
    assert len(first) < len(stories)
    build_graph(stories, tmp_path / "graph", extractors=tiny(log=log))
    assert sorted([*first, *read_since()]) == [story.name for story in stories]
    assert graph_bytes(tmp_path / "graph") == whole


def test_progress_is_reported(stories: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_DOCUMENTS_A_BATCH", 1)
    reported: list[Progress] = []
    with until_assembly():
        build_graph(stories, tmp_path / "graph", extractors=tiny(), progress=reported.append)
    assert [(item.documents, item.all_documents) for item in reported] == [(number, 4) for number in (1, 2, 3, 4)]


def test_the_run_is_described_beside_the_graph(stories: list[Path], built: tuple[Path, BuildReport]) -> None:
    directory, report = built
    run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    assert run["words_read"] == report.run.words_read == 37
    assert run["sources_read"] == 4
    assert {"python", "kgscripts", "spacy"} <= run["versions"].keys()
    manifest = (directory / "manifest.json").read_text(encoding="utf-8")
    assert not [place for place in (directory, stories[0].parent) if str(place) in manifest]


def test_the_licence_is_part_of_the_build(
    stories: list[Path], built: tuple[Path, BuildReport], published: Path, graph: Path, tmp_path: Path
) -> None:
    assert build_graph(stories, graph, extractors=tiny(), licence=LICENCE).build_id != built[1].build_id
    assert ScriptGraph.open(published).manifest.licence == LICENCE
    directory = shutil.copytree(published, tmp_path / "published")
    plain = build_graph(stories, directory, extractors=tiny(), licence="", base_iri=DEFAULT_BASE_IRI)
    assert plain.build_id == built[1].build_id
    for wrong in ("CC BY", "https://a b", "https://x>y"):
        with pytest.raises(ConfigurationError, match="licence"):
            build_graph(stories, directory, extractors=tiny(), licence=wrong)


def test_a_graph_of_an_older_format_is_built_again_from_its_records(
    stories: list[Path], whole: dict[str, bytes], graph: Path, log: Path, read_since: Callable[[], list[str]]
) -> None:
    manifest = json.loads((graph / "manifest.json").read_text(encoding="utf-8"))
    (graph / "manifest.json").write_text(json.dumps(manifest | {"format_version": 3}), encoding="utf-8")
    with sqlite3.connect(graph / "records" / "index.sqlite") as index:
        # Scores of format 3 have no exposure.
        index.execute("UPDATE extractor SET models = replace(models, '\"exposure\": \"development\", ', '')")
    index.close()
    with pytest.raises(GraphDirectoryError, match=r"format 3.*\n.*build-graph"):
        ScriptGraph.open(graph)
    build_graph(stories[:1], graph, extractors=tiny(log=log))
    assert read_since() == []
    assert graph_bytes(graph) == whole
