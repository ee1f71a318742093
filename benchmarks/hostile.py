"""Inputs that are made to be slow or large: seconds and memory for one size and for four times as much.

Time is to grow with the size and not with its square, and memory is to stay below a limit.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import frozen

from benchmarks.measure import Row, measure

_MOST_MIB = 1024
_MOST_GROWTH = 8
_SOON = 1.0
"""Seconds; what takes less says nothing about growth."""


@frozen
class Attack:
    """`unit` repeated up to `size` bytes, as a file of this name, read or also parsed."""

    name: str
    start: str
    unit: str
    size: int
    parsed: bool = False
    zipped: bool = False

    def content(self, times: int) -> bytes:
        """The bytes of the file, `times` times the size."""
        data = self.start.encode() + self.unit.encode() * (times * self.size // len(self.unit.encode()))
        return gzip.compress(data) if self.zipped else data


ATTACKS = (
    Attack("xml.xml", "<?xml?>", "<?", 250_000),
    Attack("comment.xml", "<?xml?>", "<!--", 250_000),
    Attack("deep.xml", "<data><instance id='1'><text>", "<a>", 250_000),
    Attack("items.md", "", "- a\n", 100_000),
    Attack("lists.md", "", "- a\n* a\n", 100_000),
    Attack("lines.md", "", "a\n", 1_000_000),
    Attack("references.md", "[a]: b '", "x\n", 50_000),
    Attack("paragraphs.txt", "", "a\n\n", 50_000),
    Attack("bad.jsonl.gz", "", "x\n", 1_000_000, zipped=True),
    Attack("same.tsv.gz", "", "a\tb\n", 400_000, zipped=True),
    Attack("brackets.txt", "", "(", 100_000, parsed=True),
    Attack("quotes.txt", "", '".', 100_000, parsed=True),
    Attack("faces.txt", "", ":)", 100_000, parsed=True),
    Attack("commas.txt", "", "w,", 100_000, parsed=True),
    Attack("words.txt", "", "wash and ", 100_000, parsed=True),
    Attack("short.txt", "", "a\n\n", 25_000, parsed=True),
    Attack("compounds.txt", "", "drain ", 10_000, parsed=True),
    Attack("measures.txt", "I ate the lid of ", "most of ", 10_000, parsed=True),
    Attack("sentences.txt", "", "I ran. ", 3_000, parsed=True),
    Attack("too_many_sentences.txt", "", "I ran. ", 1_060_000, parsed=True),
)


def rows() -> Iterator[Row]:
    """Measure every attack in both sizes."""
    for attack in ATTACKS:
        with tempfile.TemporaryDirectory() as folder:
            small, large = (measure(_reading, attack, times, Path(folder, attack.name)) for times in (1, 4))
        size = len(attack.content(1))
        growth = large.seconds / small.seconds
        met = large.peak_mib <= _MOST_MIB and (large.seconds < _SOON or growth <= _MOST_GROWTH)
        yield Row(
            what=f"{attack.name}, {size:,} bytes and four times as many",
            figure=f"{small.seconds:.1f} s and {large.seconds:.1f} s, {large.peak_mib:,.0f} MiB",
            goal=f"{_MOST_GROWTH} times as long, {_MOST_MIB:,} MiB",
            met=met,
        )


def _reading(attack: Attack, times: int, path: Path) -> Callable[[], int]:
    """Read the file, and parse and extract what it holds."""
    from kgscripts.building.reading import Batch, DocumentReader
    from kgscripts.corpora.files import InputFile
    from kgscripts.corpora.formats import read_file
    from kgscripts.extractors.registry import choose
    from kgscripts.records.inputs import Input
    from kgscripts.text.pipeline import describe_pipeline, load_pipeline
    from schemas.records import Discard

    path.write_bytes(attack.content(times))
    chosen = choose(None, (), describe_pipeline) if attack.parsed else []
    if attack.parsed:
        load_pipeline()
    reader = DocumentReader(chosen, strict=True)

    def read() -> int:
        given = Input(attack.name, "")
        found = 0
        for item in read_file(InputFile(path, path.name)):
            if isinstance(item, Discard):
                given.add_discard(item)
            elif attack.parsed:
                found += len(reader.read(Batch([item], frozenset(one.version for one in chosen))).readings)
        return found

    return read
