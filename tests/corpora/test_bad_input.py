"""Invalid input becomes a discard with its location; the valid input around it is read."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.source import MAX_RECORD_BYTES
from schemas.errors import ConfigurationError, InputError
from schemas.records import Discard
from schemas.records import DiscardReason as R
from tests.conftest import without_privileges
from tests.corpora.documents import read

GOOD = '{"id": "good", "text": "I ran."}\n'
INSTANCE = '<instance id="{}"><text>{}</text></instance>\n'
BOMB = '<!DOCTYPE data [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<data>' + INSTANCE.format(1, "&b;") + "</data>"
EXTERNAL = '<!DOCTYPE data [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<data>' + INSTANCE.format(1, "&x;") + "</data>"
EXTERNAL_DTD = '<!DOCTYPE data SYSTEM "http://127.0.0.1:9/x.dtd">\n<data>' + INSTANCE.format(1, "&x;") + "</data>"
PARAMETER = '<!DOCTYPE data [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>\n<data></data>'
TOKEN = "▁I @ScrPart_bather_bath single none none 0 \n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\x06\0\0\0\\r\xa8f" * 20
LONG = "word " * (MAX_RECORD_BYTES // 5 + 10)
DEEP = "[" * 100_000

# case: file name, content, explicit format, documents, discards as (reason, line)
CASES: dict[str, tuple[str, bytes | str, str | None, int, list[tuple[R, int]]]] = {
    "empty file": ("a.txt", b"", None, 0, [(R.EMPTY, 1)]),
    "byte order mark only": ("a.txt", b"\xef\xbb\xbf", None, 0, [(R.EMPTY, 1)]),
    "white space only": ("a.txt", " \r\n\t\n ", None, 0, [(R.EMPTY, 1)]),
    "empty gzip": ("a.txt.gz", gzip.compress(b""), None, 0, [(R.EMPTY, 1)]),
    "empty jsonl": ("a.jsonl", "\n\n", "jsonl", 0, [(R.EMPTY, 1)]),
    "empty markdown": ("a.md", "---\ntitle: x\n---\n\n# Title\n", None, 0, [(R.EMPTY, 1)]),
    "title and nothing else": ("a.txt", "Baking a cake\n\n", None, 1, []),
    "no sentence": ("a.txt", "12 -- !!\n\n???", None, 1, []),
    "invalid UTF-8 in text": ("a.txt", b"One.\nTwo \x81.\n", None, 0, [(R.UNDECODABLE, 2)]),
    "UTF-8 cut in a character": ("a.md", "- caf\u00e9".encode()[:-1], None, 0, [(R.UNDECODABLE, 1)]),
    "mixed encodings in jsonl": (
        "a.jsonl",
        '{"id": 1, "text": "caf\u00e9"}\n'.encode()
        + '{"id": 2, "text": "caf\u00e9"}\n'.encode("latin-1")
        + b'{"id": 3, "text": "I sat."}',
        None,
        2,
        [(R.UNDECODABLE, 2)],
    ),
    "mixed encodings in pairs": ("a.tsv", b"\xc3\xa9\tb\nc\xe9\td\ne\tf\n", None, 2, [(R.UNDECODABLE, 2)]),
    "UTF-16 without mark": ("a.txt", "I washed the dishes.".encode("utf-16-le"), None, 0, [(R.UNDECODABLE, 1)]),
    "UTF-16 cut in the middle": ("a.txt", "I washed.".encode("utf-16")[:-1], None, 0, [(R.UNDECODABLE, 1)]),
    "UTF-16 with half a pair": ("a.txt", b"\xff\xfeI\0\x00\xd8 \0", None, 0, [(R.UNDECODABLE, 1)]),
    "picture": ("a.png", PNG, None, 0, [(R.UNDECODABLE, 1)]),
    "zeros": ("a.txt", bytes(5000), None, 0, [(R.UNDECODABLE, 1)]),
    "gzip cut off": ("a.txt.gz", gzip.compress(b"I ran. " * 999)[:-20], None, 0, [(R.UNDECODABLE, 1)]),
    "gzip damaged": ("a.gz", b"\x1f\x8b\x08\0" + b"no gzip at all" * 9, None, 0, [(R.UNDECODABLE, 1)]),
    "text over the limit": ("a.txt", LONG, None, 0, [(R.TOO_LONG, 1)]),
    "Markdown over the limit": ("a.md", "# T\n\n- " + LONG, None, 0, [(R.TOO_LONG, 1)]),
    "JSON line over the limit": ("a.jsonl", GOOD + json.dumps({"id": 2, "text": LONG}) + "\n" + GOOD, None, 1, []),
    "XML record over the limit": ("a.xml", "<data>" + INSTANCE.format(1, LONG * 2), "mcscript", 0, [(R.TOO_LONG, 1)]),
    "JSON cut in the middle": ("a.jsonl", GOOD + '{"id": "b", "te', None, 1, [(R.MALFORMED, 2)]),
    "JSON too deep": ("a.jsonl", f'{{"id": 1, "text": {DEEP}\n{GOOD}', None, 1, [(R.MALFORMED, 1)]),
    "JSON number too long": ("a.jsonl", f'{{"id": {"9" * 5000}, "text": "x"}}\n{GOOD}', None, 1, [(R.MALFORMED, 1)]),
    "JSON but no object": ("a.jsonl", '["x"]\n3\nnull\n' + GOOD, "jsonl", 1, [(R.MALFORMED, n) for n in (1, 2, 3)]),
    "no id": (
        "a.jsonl",
        '{"text": "x"}\n{"id": "", "text": "x"}\n' + GOOD,
        None,
        1,
        [(R.MALFORMED, 1), (R.MALFORMED, 2)],
    ),
    "id of a wrong type": ("a.jsonl", '{"id": true, "text": "x"}\n' + GOOD, None, 1, [(R.MALFORMED, 1)]),
    "neither text nor steps": ("a.jsonl", '{"id": 1}\n' + GOOD, None, 1, [(R.MALFORMED, 1)]),
    "text and steps": ("a.jsonl", '{"id": 1, "text": "x", "steps": ["x"]}', None, 0, [(R.MALFORMED, 1)]),
    "text of a wrong type": ("a.jsonl", '{"id": 1, "text": null}', None, 0, [(R.MALFORMED, 1)]),
    "steps of a wrong type": ("a.jsonl", '{"id": 1, "steps": ["x", 2]}', None, 0, [(R.MALFORMED, 1)]),
    "title of a wrong type": ("a.jsonl", '{"id": 1, "title": {}, "text": "x"}', None, 0, [(R.MALFORMED, 1)]),
    "blank text": ("a.jsonl", '{"id": 1, "text": " \\n"}\n' + GOOD, None, 1, [(R.EMPTY, 1)]),
    "no steps": ("a.jsonl", '{"id": 1, "steps": []}\n' + GOOD, None, 1, [(R.EMPTY, 1)]),
    "half a surrogate pair": ("a.jsonl", '{"id": 1, "text": "x \\ud83c"}\n' + GOOD, None, 1, [(R.MALFORMED, 1)]),
    "half a pair in the title": ("a.jsonl", '{"id": 1, "title": "\\ud83c", "text": "x"}', None, 0, [(R.MALFORMED, 1)]),
    "half a pair in the id": ("a.jsonl", '{"id": "\\ud83c", "text": "x"}', None, 0, [(R.MALFORMED, 1)]),
    "duplicate id": ("a.jsonl", GOOD + "\n" + GOOD, None, 1, [(R.DUPLICATE_ID, 3)]),
    "one column": ("a.tsv", "a\tb\nno tab\nc\td\n", None, 2, [(R.MALFORMED, 2)]),
    "four columns": ("a.tsv", "a\tb\tc\td\na\tb\n", None, 1, [(R.MALFORMED, 1)]),
    "empty column": ("a.tsv", "a\tb\n \tb\na\t\n", None, 1, [(R.MALFORMED, 2), (R.MALFORMED, 3)]),
    "invalid cloze marks": ("a.tsv", "a\tb\t2\n", "pairs", 0, [(R.MALFORMED, 1)]),
    "too few cloze marks": ("a.tsv", "a\tb c\t1\n", "pairs", 0, [(R.MALFORMED, 1)]),
    "entity bomb": ("a.xml", BOMB, None, 0, [(R.MALFORMED, 1)]),
    "external entity": ("a.xml", EXTERNAL, None, 0, [(R.MALFORMED, 1)]),
    "external DTD": ("a.xml", EXTERNAL_DTD, None, 0, [(R.MALFORMED, 2)]),
    "parameter entity": ("a.xml", PARAMETER, None, 0, [(R.MALFORMED, 1)]),
    "XML cut off": (
        "a.xml",
        "<data>\n" + INSTANCE.format(1, "x") + "<instance id='2'><te",
        None,
        1,
        [(R.MALFORMED, 3)],
    ),
    "XML not well-formed": ("a.xml", "<data>" + INSTANCE.format(1, "x") + "<p></q>", None, 1, [(R.MALFORMED, 2)]),
    "XML in a wrong encoding": ("a.xml", b"<data>\n<instance id='1'>\xff", None, 0, [(R.MALFORMED, 2)]),
    "XML of an unknown format": ("a.xml", "<letter><p>Hello</p></letter>", None, 0, [(R.MARKUP, 1)]),
    "XML without a record": ("a.xml", "<data><x/></data>", None, 0, [(R.MALFORMED, 1)]),
    "story without id or text": (
        "a.xml",
        "<data>\n<instance><text>x</text></instance>\n<instance id='1'/></data>",
        None,
        0,
        [(R.MALFORMED, 2), (R.MALFORMED, 3)],
    ),
    "story with a blank text": ("a.xml", "<data>" + INSTANCE.format(1, " "), None, 0, [(R.EMPTY, 1), (R.MALFORMED, 2)]),
    "duplicate story": ("a.xml", f"<data>{INSTANCE.format(1, 'x') * 2}</data>", None, 1, [(R.DUPLICATE_ID, 2)]),
    "script without items": ("a.xml", "<scripts>\n<script id='1'/></scripts>", None, 0, [(R.EMPTY, 2)]),
    "script without id": (
        "a.xml",
        "<scripts><script><item original='x'/></script></scripts>",
        None,
        0,
        [(R.MALFORMED, 1)],
    ),
    "item without original": (
        "a.xml",
        "<scripts><script id='1'><item/></script></scripts>",
        None,
        0,
        [(R.MALFORMED, 1)],
    ),
    "duplicate script": (
        "a.xml",
        "<scripts>" + "<script id='1'><item original='x'/></script>\n" * 2 + "</scripts>",
        None,
        1,
        [(R.DUPLICATE_ID, 2)],
    ),
    "token line with five columns": (
        "bath",
        TOKEN + "▁ran none none\n<end_of_story>\n" + TOKEN + "<end_of_story>\n",
        None,
        1,
        [(R.MALFORMED, 2)],
    ),
    "coreference that is no number": (
        "bath",
        TOKEN.replace("0", "x") + "<end_of_story>\n",
        None,
        0,
        [(R.MALFORMED, 1)],
    ),
    "token file cut off": ("bath", TOKEN + "<end_of_story>\n" + TOKEN, None, 1, [(R.MALFORMED, 3)]),
    "story without words": ("bath", "<end_of_story>\n" + TOKEN + "<end_of_story>", None, 1, [(R.EMPTY, 1)]),
    "token line in a wrong encoding": (
        "bath",
        TOKEN.encode() + b"\xff none none none none none \n<end_of_story>\n" + TOKEN.encode() + b"<end_of_story>",
        None,
        1,
        [(R.UNDECODABLE, 2)],
    ),
    "a format that it has not": ("a.txt", "I ran.\nI sat.\n", "jsonl", 0, [(R.MALFORMED, 1), (R.MALFORMED, 2)]),
    "text as XML": ("a.txt", "I ran.", "mcscript", 0, [(R.MALFORMED, 1)]),
}
CASES["JSON line over the limit"][4].extend([(R.TOO_LONG, 2), (R.DUPLICATE_ID, 3)])


@pytest.mark.parametrize("case", CASES)
def test_bad_input(tmp_path: Path, case: str) -> None:
    name, content, format, documents, expected = CASES[case]
    found, discards = read(tmp_path, name, content, format)
    assert [(discard.reason, int(discard.where.rpartition(":")[2])) for discard in discards] == expected
    assert len(found) == documents
    assert not any("root:" in document.text or "ha" in document.text for document in found)


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.tsv", "a.md", "bath.xml", "a.gz"])
def test_100_mb_in_one_line_needs_little_memory(tmp_path: Path, name: str) -> None:
    start = {"a.jsonl": b'{"id": 1, "text": "', "a.tsv": b"a\tb", "bath.xml": b"<data><instance id='1'><text>"}
    path = tmp_path / name
    with gzip.open(path, "wb", compresslevel=1) if name == "a.gz" else path.open("wb") as file:
        file.write(start.get(name, b"# a\n\n"))
        for _ in range(100):
            file.write(b"endless " * (1 << 17))
    tracemalloc.start()
    items = list(read_file(InputFile(path, name)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [item.reason for item in items if isinstance(item, Discard)] == [R.TOO_LONG]
    assert len(items) == 1
    assert peak < 6 * MAX_RECORD_BYTES


def test_a_large_file_streams(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("w") as file:
        for number in range(4_000):
            file.write(json.dumps({"id": number, "text": "I washed the dishes. " * 40}) + "\n")
    tracemalloc.start()
    kinds = Counter(type(item).__name__ for item in read_file(InputFile(path, "large.jsonl")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kinds == {"Document": 4_000}
    assert peak < path.stat().st_size / 3


def test_a_large_xml_file_streams(tmp_path: Path) -> None:
    path = tmp_path / "large.xml"
    with path.open("w") as file:
        file.write("<data>\n")
        for number in range(10_000):
            file.write(INSTANCE.format(number, "I washed the dishes. " * 40))
        file.write("</data>")
    tracemalloc.start()
    kinds = Counter(type(item).__name__ for item in read_file(InputFile(path, "large.xml")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kinds == {"Document": 10_000}
    assert peak < path.stat().st_size / 3


class TestInputs:
    def test_a_folder_is_walked_in_order(self, tmp_path: Path) -> None:
        for name in ["b.txt", "a/z.txt", "a/b/c.txt", ".hidden", ".git/x.txt", "a.txt"]:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("x")
        (tmp_path / "a" / "loop").symlink_to(tmp_path)
        os.mkfifo(tmp_path / "pipe")
        files = find_files([tmp_path, tmp_path / "b.txt"])
        assert [file.name for file in files] == ["a/b/c.txt", "a/z.txt", "a.txt", "b.txt"]
        assert [file.name for file in find_files([str(tmp_path / "b.txt")])] == ["b.txt"]

    def test_a_name_that_is_not_utf8(self, tmp_path: Path) -> None:
        (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("I ran.")
        (file,) = find_files([tmp_path])
        assert file.name == "caf\ufffd.txt"
        assert len(list(read_file(file))) == 1

    def test_invalid_inputs(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        os.mkfifo(tmp_path / "pipe")
        for path in [tmp_path / "missing", tmp_path / "empty", tmp_path / "pipe"]:
            with pytest.raises(InputError) as caught:
                find_files([path])
            assert str(path) in str(caught.value)
            assert caught.value.remedy

    def test_unreadable(self, open_folder: Path) -> None:
        (open_folder / "a.txt").touch(mode=0)
        (open_folder / "b.txt").touch()
        (open_folder / "c").mkdir(mode=0)
        with without_privileges():
            assert [file.fault for file in find_files([open_folder])] == [
                "not readable",
                "",
                "cannot be read: Permission denied",
            ]
            with pytest.raises(InputError, match="not readable"):
                find_files([open_folder / "a.txt"])
            with pytest.raises(InputError, match="Permission denied"):
                find_files([open_folder / "c"])
        (open_folder / "c").chmod(0o700)

    def test_a_file_that_vanishes(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"a\.txt"):
            list(read_file(InputFile(tmp_path / "a.txt", "a.txt")))

    def test_unknown_format(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="inscript"):
            read_file(InputFile(tmp_path / "a.txt", "a.txt"), format="word")
