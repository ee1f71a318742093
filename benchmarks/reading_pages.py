"""Reading saved pages beside spaCy's parse of their text: ratios, since the speed of machines differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from benchmarks.building import EXAMPLES, parse_alone
from benchmarks.measure import Row, measure, ratio
from benchmarks.servers import SHARED
from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.web.reader import main_blocks, parsed_page, without_markup

_ALL = 10_000


def _pages(inputs: Path) -> list[InputFile]:
    return [file for file in find_files([inputs]) if file.name.endswith(".html")]


def reading(inputs: Path) -> Callable[[], int]:
    """Read every page. Returns the number of pages."""
    files = _pages(inputs)
    list(read_file(files[0]))  # imports
    return lambda: sum(1 for file in files for _ in read_file(file))


def main_texts(inputs: Path) -> Callable[[], int]:
    """Find the main text of every page by trafilatura, as for a page without markup and lists of steps."""
    pages = [file.path.read_bytes() for file in _pages(inputs)]

    def read() -> int:
        trees = [tree for page in pages if (tree := parsed_page(page)) is not None]
        return sum(bool(main_blocks(without_markup(tree))) for tree in trees)

    read()  # imports
    return read


def trees(inputs: Path, of: str) -> Callable[[], int]:
    """Parse every page by lxml, or by Python's own parser, which makes no tree."""
    pages = [file.path.read_bytes() for file in _pages(inputs)]

    def parse() -> int:
        for page in pages:
            if of == "lxml":
                parsed_page(page)
            else:
                HTMLParser().feed(page.decode("utf-8", "replace"))
        return len(pages)

    return parse


def rows() -> Iterator[Row]:
    """The ratios of the times, on the saved recipe pages where they are at hand, else on the shipped examples."""
    inputs = SHARED / "corpora" / "recipe-pages"
    if not inputs.is_dir():
        inputs = EXAMPLES.with_name("pages")
    parse = measure(parse_alone, inputs, _ALL)
    pages, texts = measure(reading, inputs), measure(main_texts, inputs)
    what = f"reading {pages.value} pages against the parse of their text ({parse.value:,} words)"
    yield ratio(what, pages.seconds, parse.seconds, most=1.3)
    yield ratio(f"finding the main text of {texts.value} pages against that parse", texts.seconds, parse.seconds)
    lxml, own = (measure(trees, inputs, of) for of in ("lxml", "html.parser"))
    yield ratio("html.parser against lxml", own.seconds, lxml.seconds)
