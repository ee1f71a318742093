"""Reading saved pages beside spaCy's parse of their text: ratios, since the speed of machines differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from benchmarks.building import SHARED, parse_alone
from benchmarks.measure import Row, at_most, measure
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.web.reader import main_blocks, parsed_page, without_markup

_PAGES = SHARED / "corpora" / "recipe-pages"
_EXAMPLES = Path(__file__).resolve().parents[1] / "kgscripts" / "examples" / "pages"
_ALL = 10_000


def _inputs() -> Path:
    """The saved recipe pages where they are at hand, else the shipped examples."""
    return _PAGES if _PAGES.is_dir() else _EXAMPLES


def reading(inputs: Path) -> Callable[[], int]:
    """Read every page. Returns the number of pages."""
    files = [file for file in find_files([inputs]) if file.name.endswith(".html")]
    list(read_file(files[0]))  # imports

    def read() -> int:
        return sum(1 for file in files for _ in read_file(file))

    return read


def main_texts(inputs: Path) -> Callable[[], int]:
    """Find the main text of every page by trafilatura, as for a page without markup and lists of steps."""
    pages = [file.path.read_bytes() for file in find_files([inputs]) if file.name.endswith(".html")]

    def read() -> int:
        trees = [tree for page in pages if (tree := parsed_page(page)) is not None]
        return sum(bool(main_blocks(without_markup(tree))) for tree in trees)

    read()  # imports
    return read


def trees(inputs: Path, of: str) -> Callable[[], int]:
    """Parse every page by lxml, or by Python's own parser, which makes no tree."""
    pages = [file.path.read_bytes() for file in find_files([inputs]) if file.name.endswith(".html")]

    def parse() -> int:
        for page in pages:
            if of == "lxml":
                parsed_page(page)
            else:
                HTMLParser().feed(page.decode("utf-8", "replace"))
        return len(pages)

    return parse


def rows() -> Iterator[Row]:
    """The ratios of the times."""
    inputs = _inputs()
    parse = measure(parse_alone, inputs, _ALL)
    pages = measure(reading, inputs)
    what = f"reading {pages.value} pages against the parse of their text ({parse.value:,} words)"
    seconds = f"{pages.seconds:.1f} s against {parse.seconds:.1f} s"
    yield at_most(what, pages.seconds / parse.seconds, 1.3, "x", seconds)
    texts = measure(main_texts, inputs)
    lxml, own = (measure(trees, inputs, of) for of in ("lxml", "html.parser"))
    yield Row("html.parser against lxml", f"{own.seconds / lxml.seconds:.1f} x the time", "-", None)
    yield Row(f"finding the main text of {texts.value} pages", f"{texts.seconds / parse.seconds:.2f} x", "-", None)
