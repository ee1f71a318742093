"""Take pictures of the page for the documentation: ``python -m benchmarks.screenshots DIR FOLDER``.

It writes the page of the graph in DIR and takes a picture of its best supported scenario, with Chromium (`CHROME_BIN`
or Debian's).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.browser import Browser, find_chromium
from exports.explore.page import explore_page
from schemas.errors import ConfigurationError, KGScriptsError
from schemas.script_graph import ScriptGraph
from schemas.terminal import complain, echo, printable

_WIDTH, _HEIGHT = 1280, 900


def take(directory: Path, folder: Path) -> Path:
    """Write the picture into `folder` and return its path.

    Raises
    ------
    ConfigurationError
        If there is no Chromium, or the graph has no scenario.
    """
    chromium = find_chromium()
    if chromium is None:
        raise ConfigurationError("there is no Chromium", remedy="set CHROME_BIN or install Debian's package chromium")
    graph = ScriptGraph.open(directory)
    if not graph.manifest.rows("Scenario"):
        raise ConfigurationError("the graph has no scenario", where=str(directory), remedy="name another graph")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "explore.png"
    with tempfile.TemporaryDirectory() as name, Browser(chromium) as browser:
        page = Path(name, "page.html")
        page.write_text(explore_page(graph), encoding="utf-8")
        browser.resize(_WIDTH, _HEIGHT)
        browser.open(page.as_uri())
        browser.evaluate("document.querySelector('.entries a').click()")
        browser.wait_for("document.querySelector('.lanes')")
        browser.picture(file)
    return file


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    if len(arguments) != 2:
        complain("usage: python -m benchmarks.screenshots DIR FOLDER")
        return 2
    try:
        echo(f"wrote {printable(str(take(*map(Path, arguments))))}")
    except KGScriptsError as error:
        complain(f"error: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
