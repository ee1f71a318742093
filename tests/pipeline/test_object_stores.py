"""Inputs and pieces in an object store: the graph is that of one process, and every fault has a name."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.distributed import object_stores
from kgscripts.distributed import plan as planning
from kgscripts.distributed.ingest import _Taking, take_in_pieces
from kgscripts.distributed.object_stores import Fetched, Store, StoredObject
from kgscripts.distributed.plan import FOLDER, ReadingPlan, split_reading
from kgscripts.distributed.reading import read_piece
from kgscripts.pipeline import build_graph, remove_source
from schemas.errors import ConfigurationError, GraphDirectoryError, InputError, StoreError
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny
from tests.buckets import KEY, SECRET, Bucket, cut, refused, serving
from tests.commands import run
from tests.pipeline.stopping import until_assembly

READ_BY = ["labels"]
"""It needs no parse, so that no pipeline is loaded."""
_AWAY = refused("ServiceUnavailable", HTTPStatus.SERVICE_UNAVAILABLE)
_DENIED = refused("AccessDenied", HTTPStatus.FORBIDDEN)


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bucket]:
    with serving(tmp_path_factory.mktemp("store")) as served:
        lines = [json.dumps({"id": n, "text": f"I dug a hole. I planted {n} trees."}) for n in range(2, 8)]
        served.put("stories/planting_a_tree/trees.jsonl", "\n".join(lines).encode())
        served.put("stories/a b#c?.txt", "We peeled the carrots.".encode("utf-16"))
        served.put("stories/broken.jsonl", b'{"text": "\xff\xfe\x00')
        served.put("stories/.hidden/tea.txt", b"I drank tea.")
        yield served


@pytest.fixture(autouse=True)
def few_attempts_and_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_stores, "_ATTEMPTS", 2)
    monkeypatch.setattr(planning, "_LEAST_BYTES", 1)


@pytest.fixture(scope="module")
def whole(bucket: Bucket, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph that one process makes of the URL."""
    directory = tmp_path_factory.mktemp("whole") / "graph"
    build_graph(f"{bucket.url}/stories/", directory, extractors=READ_BY)
    return directory


def test_a_url_is_read_as_a_folder_is(bucket: Bucket, whole: Path, tmp_path: Path) -> None:
    graph, local = ScriptGraph.open(whole), tmp_path / "local"
    build_graph(bucket.folder / "stories", local, extractors=READ_BY)
    names = {row["name"] for row in graph.rows("Source")}
    assert names == {f"{bucket.url}/stories/{row['name']}" for row in ScriptGraph.open(local).rows("Source")}
    assert f"{bucket.url}/stories/a b#c?.txt" in names
    assert [row["label"] for row in graph.rows("Scenario")] == ["planting a tree"]
    assert [row["text"] for row in graph.rows("Passage")] == [
        row["text"] for row in ScriptGraph.open(local).rows("Passage")
    ]


def test_one_download_identifies_an_object_and_is_read_if_it_is_new_or_has_changed(
    bucket: Bucket, tmp_path: Path
) -> None:
    one, other = bucket.put("few/one.txt", b"peel the carrots."), bucket.put("few/other.txt", b"boil the water.")
    bucket.requests.clear()
    with until_assembly() as begun:
        build_graph([one, f"{bucket.url}/few"], tmp_path, extractors=tiny())
    assert begun.sources == [one, other]
    downloads = [each for each in bucket.requests if each.startswith("GET /texts/")]
    assert downloads == ["GET /texts/few/one.txt", "GET /texts/few/other.txt"]
    bucket.put("few/other.txt", b"boil the milk.")
    assert build_graph([f"{bucket.url}/few"], tmp_path, extractors=tiny()).run.sources_read == 1
    assert remove_source(tmp_path, other) == [other]


@pytest.fixture
def split(bucket: Bucket, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A directory with a plan of three pieces, and the URL where it is shared."""
    url = f"{bucket.url}/run"
    split_reading([f"{bucket.url}/stories"], tmp_path / "graph", pieces=3, share=url, extractors=READ_BY)
    yield tmp_path / "graph", url
    shutil.rmtree(bucket.folder / "run")


def test_shared_pieces_make_the_graph_of_one_process(bucket: Bucket, whole: Path, tmp_path: Path) -> None:
    (tmp_path / "options.toml").write_text(f"extractors = {json.dumps(READ_BY)}\n", encoding="utf-8")
    graph, url = tmp_path / "graph", f"{bucket.url}/with/commands"
    options = ("--pieces", 3, "--share", f"{url}/", "--config", tmp_path / "options.toml")
    assert f"read-piece {url} --piece 0" in run("split-reading", f"{bucket.url}/stories", "-o", graph, *options)
    for piece in (0, 2):
        run("read-piece", url, "--piece", piece)
    taken = take_in_pieces(graph)
    assert (taken.missing, taken.place) == ({1: "not finished"}, url)
    run("read-piece", url, "--piece", 1)
    run("build-graph", "-o", graph, "--take-in")
    assert graph_bytes(graph) == graph_bytes(whole)
    kept = b"".join(
        path.read_bytes() for place in (graph, bucket.folder) for path in place.rglob("*") if path.is_file()
    )
    assert not [word for word in (KEY, SECRET) if word.encode() in kept]


def test_a_shared_piece_that_is_read_twice_by_two_at_once_or_damaged_leaves_the_same(
    bucket: Bucket, split: tuple[Path, str], whole: Path
) -> None:
    graph, url = split
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: read_piece(url, 0), range(2)))
    for number in (1, 2):
        read_piece(url, number)
    piece = bucket.folder / "run" / ReadingPlan.read(graph).digest(0)
    left = {path: path.read_bytes() for path in piece.rglob("*.*")}
    bucket.requests.clear()
    read_piece(url, 0)
    assert not [each for each in bucket.requests if each.startswith(("PUT", "POST"))]
    for path in (next(piece.glob("document/*")), piece / "finished.json"):
        path.write_bytes(path.read_bytes()[:-7])
        found, shards = _Taking(graph, ReadingPlan.read(graph))._left_by(piece.name)
        assert ((found is None), shards) == (path.name == "finished.json", None)
        read_piece(url, 0)
        assert {path: path.read_bytes() for path in piece.rglob("*.*")} == left
    take_in_pieces(graph)
    assert graph_bytes(graph) == graph_bytes(whole)


def test_a_piece_whose_store_goes_away_is_not_finished_and_the_others_stay_so(
    bucket: Bucket, split: tuple[Path, str], whole: Path
) -> None:
    graph, url = split
    read_piece(url, 0)
    # As after a kill: all is there but the note.
    fault = refused("SlowDown", HTTPStatus.SERVICE_UNAVAILABLE, r"PUT .*/finished\.json")
    with bucket.failing(fault), pytest.raises(StoreError, match=r"finished\.json: the store does not answer"):
        read_piece(url, 1)
    piece = bucket.folder / "run" / ReadingPlan.read(graph).digest(1)
    assert {path.name for path in piece.iterdir()} >= {"document", "reading-list"}
    with bucket.failing(_AWAY), pytest.raises(StoreError, match="does not answer"):
        take_in_pieces(graph)
    assert set(take_in_pieces(graph).missing) == {1, 2}
    with bucket.failing(refused("SlowDown", HTTPStatus.SERVICE_UNAVAILABLE, times=1)):
        read_piece(url, 1)
    with bucket.failing(cut(times=1)):
        read_piece(url, 2)
    take_in_pieces(graph)
    assert graph_bytes(graph) == graph_bytes(whole)


def test_an_object_that_has_changed_since_the_split_is_not_read(bucket: Bucket, tmp_path: Path) -> None:
    url = bucket.put("changing/one.txt", b"I peeled the carrots.")
    split_reading([url], tmp_path, pieces=1, share=f"{bucket.url}/changed", extractors=READ_BY)
    bucket.put("changing/one.txt", b"I peeled the potatoes.")
    with pytest.raises(InputError, match=r"(?s)s3://texts/changing/one\.txt: the file has changed.*split-reading"):
        read_piece(f"{bucket.url}/changed", 0)


def test_ranges_of_two_versions_of_an_object_are_never_joined(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_stores, "_CHUNK", 4)
    url = bucket.put("replaced.txt", b"1111111111")

    def changing(times: int) -> Any:
        left = list(range(times))

        def fault(request: Any) -> bool:
            if request.command == "GET" and request.headers["Range"] == "bytes=4-7" and left:
                bucket.put("replaced.txt", bytes([65 + left.pop()]) * 10)
            return False

        return fault

    with bucket.failing(changing(1)):
        assert Fetched().fetch(StoredObject(url)).read() == b"A" * 10
    with bucket.failing(changing(10)), pytest.raises(StoreError, match="changes while it is read"):
        Fetched().fetch(StoredObject(url))


@pytest.mark.parametrize(
    ("place", "fault", "message"),
    [
        ("s3://nosuchbucket/stories", None, "there is no such bucket"),
        ("s3://texts/stories", _DENIED, r"(?s)no access.*AWS_ACCESS_KEY_ID"),
        ("s3://texts/stories", refused("InvalidAccessKeyId", HTTPStatus.FORBIDDEN), "no access"),
        ("s3://texts/stories", _AWAY, r"(?s)does not answer.*finished stays so"),
        ("s3://texts/stories", cut(), "does not answer"),
        ("s3://texts/stories", refused("Strange", HTTPStatus.BAD_REQUEST), "cannot be read or written"),
        ("s3://texts//stories", None, "cannot be read or written"),
    ],
)
def test_what_is_wrong_with_a_store_is_said_in_a_line(
    bucket: Bucket, tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str, fault: Any, message: str
) -> None:
    caplog.set_level(logging.DEBUG)
    with bucket.failing(fault), pytest.raises(StoreError, match=message) as caught:
        build_graph(place, tmp_path, extractors=tiny())
    assert str(caught.value).startswith(place.rstrip("/"))
    assert len(str(caught.value).splitlines()) <= 2
    assert SECRET not in str(caught.value) + caplog.text


def test_an_endpoint_that_goes_away_leaves_what_was_read(bucket: Bucket, tmp_path: Path) -> None:
    first = bucket.put("away/1.txt", b"peel the carrots.")
    second = bucket.put("away/2.txt", b"boil the water.")

    def fault(request: Any) -> bool:
        return request.path == "/texts/away/2.txt" and request.command == "GET" and _AWAY(request)

    with bucket.failing(fault), pytest.raises(StoreError, match=r"away/2\.txt: the store does not answer"):
        build_graph([first, second], tmp_path, extractors=tiny())
    report = build_graph([first, second], tmp_path, extractors=tiny())
    assert (report.run.inputs_known, report.run.inputs_read) == (1, 1)


@pytest.mark.parametrize(
    "url",
    [
        "s3://key:hunter2@texts/stories",
        "s3://hunter2@texts/stories",
        "s3://texts/stories?secret_key=hunter2",
        "abfs://box:hunter2@host/x",
        "https://host/x?token=hunter2",
        "ftp://user:hunter2@host/x",
        "s3:///hunter2",
    ],
)
def test_a_url_with_a_password_or_of_something_else_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    for call in (
        lambda: build_graph(url, tmp_path / "graph"),
        lambda: split_reading([tmp_path], tmp_path / "graph", pieces=2, share=url),
        lambda: read_piece(url, 0),
    ):
        with pytest.raises(ConfigurationError) as caught:
            call()
        assert "hunter2" not in str(caught.value)
        assert caught.value.remedy


def test_what_is_not_there_is_named(bucket: Bucket, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no object to read below this URL"):
        build_graph(f"{bucket.url}/nothing", tmp_path, extractors=tiny())
    with pytest.raises(GraphDirectoryError, match=r"s3://texts/nothing/plan\.json: there is no plan"):
        read_piece(f"{bucket.url}/nothing", 0)
    with pytest.raises(StoreError, match="there is no such bucket"):
        read_piece("s3://nosuchbucket/run", 0)
    bucket.put("bad/plan.json", b"[")
    with pytest.raises(GraphDirectoryError, match=r"s3://texts/bad/plan\.json: the plan of the reading is damaged"):
        read_piece(f"{bucket.url}/bad", 0)
    with pytest.raises(StoreError, match="there is no such object"):
        Fetched().fetch(StoredObject(f"{bucket.url}/nothing"))


def test_objects_are_found_in_the_order_of_files_of_a_folder(bucket: Bucket) -> None:
    for key in ("sorted/b.txt", "sorted/b/a.txt", "sorted/b-a.txt", "sorted/B.txt"):
        bucket.put(key, b"x")
    found = [item.url.removeprefix("s3://texts/sorted/") for item in Store.at(f"{bucket.url}/sorted").find()]
    assert found == ["B.txt", "b/a.txt", "b-a.txt", "b.txt"]
    assert not (bucket.folder / FOLDER).exists()


def test_a_list_whose_pages_never_end_is_an_error(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>"
    page += b"<Contents><Key>a.txt</Key><Size>1</Size></Contents></ListBucketResult>"

    def repeating(request: Any) -> bool:
        request.send_response(200)
        request.send_header("Content-Length", str(len(page)))
        request.end_headers()
        request.wfile.write(page)
        return True

    monkeypatch.setattr(object_stores, "LISTING_SECONDS", 0.5)
    with bucket.failing(repeating), pytest.raises(StoreError, match=r"did not end within 0\.5 seconds") as caught:
        object_stores.Store.at(bucket.url).find()
    assert caught.value.remedy
