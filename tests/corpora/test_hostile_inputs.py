"""One odd file never stops a folder, and a build gives the same bytes in any locale."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.building.inputs import place_key
from kgscripts.building.report import print_report
from kgscripts.pipeline import build_graph
from kgscripts.records.inputs import MOST_DISCARDS
from schemas.errors import GraphDirectoryError, InputError, KGScriptsError
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny

XML = '<?xml version="1.0" encoding="{}"?>\n<data><instance id="1"><text>I ran.</text></instance></data>'
STORY = "▁I @ScrPart_bather_bath single none none {} \n<end_of_story>\n"
BAD_LINES = 3 * MOST_DISCARDS

ODD: dict[str, bytes] = {
    **{f"{name}.xml": XML.format(name).encode() for name in ("big5", "utf-7", "x-unknown", "base64", "idna", "ucs-4")},
    "number.jsonl": b'{"id": 1, "text": "I ran.", "n": ' + b"9" * 5000 + b"}",
    "chain": STORY.format("9" * 5000).encode(),
    "label": b"\xe2\x96\x81I @a_.!? single none none 0 \n<end_of_story>\n",
    "deep.jsonl": b'{"id": 1, "text": "x", "a": ' + b"[" * 100_000,
    "lone.jsonl": b'{"id": "\\ud800", "text": "a"}',
    "broken.jsonl": b"This is no JSON.\nNor is this.\n",
    "broken.json": b'["a",\n"b"]\n',
    "paper.pdf": b"%PDF-1.4\nThis could be read as a line of text.\n",
    "letter.rtf": b"{\\rtf1 This could be read as a line of text.}",
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 50,
    "lines.md": b"- a\n" * 100_001,
    "steps.jsonl": b'{"id": 1, "steps": [' + b'"a",' * 100_000 + b'"a"]}',
    "surrogate.txt": b"a \xed\xa0\x80 b",
    "bad.jsonl.gz": gzip.compress(b"x\n" * BAD_LINES),
}
GOOD: dict[bytes, bytes] = {
    b"good.txt": b"boil the water. drain the pasta.",
    b"caf\xe9.txt": b"stir the soup.",
    "ﬀ é.txt".encode(): "stir the caf\u00e9.".encode(),
    "😀.txt".encode(): b"drain the soup.",
    b"long.txt": b"boil the " + b"x" * 100_000 + b".",
    b"line\nend.txt": b"boil the soup.",
    b"deep.xml": b'<data><instance id="1"><text>'
    + b"<a>" * 50_000
    + b"stir."
    + b"</a>" * 50_000
    + b"</text></instance></data>",
}
CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from kgscripts.pipeline import build_graph
from tests.assembly.tiny_reader import tiny
build_graph([sys.argv[1]], sys.argv[2], extractors=tiny(), memory=500_000_000)
"""


def _build(folder: Path, output: Path, **environment: str) -> None:
    """Build in a process of its own, with 4 GiB of address space."""
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(output)],
        cwd=root,
        env={name: value for name, value in os.environ.items() if not name.startswith(("LC_", "PYTHON"))}
        | {"PYTHONPATH": str(root)}
        | environment,
        check=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("hostile") / "inputs"
    folder.mkdir()
    for odd, content in ODD.items():
        (folder / odd).write_bytes(content)
    for good, content in GOOD.items():
        (folder / os.fsdecode(good)).write_bytes(content)
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    for name, target in {"zero": "/dev/zero", "loop": "loop", "up": "..", "gone": "nowhere"}.items():
        (folder / name).symlink_to(target)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("n" * 8, dir_fd=here)
        inner = os.open("n" * 8, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("deep.txt", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    yield folder
    # pytest removes old folders with `shutil.rmtree`, whose recursion such a folder ends.
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture(scope="module")
def built(hostile: Path) -> Path:
    output = hostile.parent / "graph"
    _build(hostile, output, LC_ALL="C.UTF-8")
    return output


def _discards(graph: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (graph / "discarded.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_odd_file_is_a_discard_and_every_other_is_read(built: Path) -> None:
    discards = _discards(built)
    discarded = {found["where"].rpartition(":")[0].partition("#")[0] or found["where"] for found in discards}
    names = {found["where"].partition(":")[0].partition("#")[0] for found in discards}
    assert set(ODD) <= names | discarded
    assert [name for name in names if name not in ODD] == [name for name in names if name.startswith("nnnnnnnn/")]
    assert len(names) == len(ODD) + 1
    sources = {row["name"].partition("#")[0] for row in ScriptGraph.open(built).rows("Source")}
    assert sources == {name.decode("utf-8", "replace") for name in GOOD}


def test_discards_are_counted_and_not_all_kept(built: Path) -> None:
    listed = [found for found in _discards(built) if found["where"].startswith("bad.jsonl.gz")]
    assert len(listed) == MOST_DISCARDS + 1
    assert f"and {BAD_LINES - MOST_DISCARDS:,} more" in listed[-1]["detail"]
    others = [found for found in _discards(built) if found["reason"] == "malformed record"]
    expected = len(others) - len(listed) + BAD_LINES
    assert ScriptGraph.open(built).manifest.discards["malformed record"] == expected


def test_the_same_bytes_in_an_ascii_locale(hostile: Path, built: Path) -> None:
    output = hostile.parent / "ascii"
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    _build(hostile, output, **environment)
    assert graph_bytes(output) == graph_bytes(built)


def test_the_report_ends_with_what_could_not_be_read(
    hostile: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["good.txt", "paper.pdf", "bad.jsonl.gz"]
    report = build_graph([hostile / name for name in names], built.parent / "few", extractors=tiny())
    again = build_graph([hostile / name for name in names], built.parent / "few", extractors=tiny())
    assert (report.run.inputs_unreadable, report.run.inputs_partly_read) == (2, 0)
    assert (again.run.inputs_unreadable, again.run.inputs_known) == (2, 3)
    print_report(report)
    last = capsys.readouterr().out.replace("\n", " ").rpartition("2 of 3 inputs could not be read")[2]
    assert "discarded.jsonl" in last


def test_nothing_that_can_be_read_is_an_error(hostile: Path, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(InputError, match=r"(?s)nothing could be read.*paper\.pdf:1: undecodable.*and 1 more"):
            build_graph(
                [hostile / name for name in ("paper.pdf", "broken.jsonl", "big5.xml", "label")],
                tmp_path / "graph",
                extractors=tiny(),
            )


@pytest.mark.parametrize("name", [b"\xff", b"a\xe9b"])
def test_a_graph_directory_that_is_not_utf8(hostile: Path, tmp_path: Path, name: bytes) -> None:
    output = tmp_path / os.fsdecode(name)
    with pytest.raises(GraphDirectoryError, match="not UTF-8"):
        build_graph(hostile / "good.txt", output, extractors=tiny())
    with pytest.raises(GraphDirectoryError, match="not UTF-8"):
        ScriptGraph.open(output)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "n" * 300, "loop/x"])
def test_arguments_that_name_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(KGScriptsError):
        build_graph(tmp_path / name, tmp_path / "graph", extractors=tiny())
    place_key(str(tmp_path / name)).encode("utf-8")
