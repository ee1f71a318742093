"""The scripts that the page of a server reads from it."""

from __future__ import annotations

from pathlib import Path

from tests.browser import Browser
from tests.exports.explore.between import Between, between_servers
from tests.exports.explore.conftest import go, texts, title
from tests.exports.kitchen import kitchen_rows
from tests.graphs import write_graph


def test_a_script_is_read_from_the_server(asking: Browser, between: Between) -> None:
    assert not texts(asking, ".notice")
    assert texts(asking, ".entries .numbers")[0] == "12 steps · 3 sources"
    between.held = "explore/script"
    go(asking, "scenario=cooking+pasta&step=drain+pasta")
    assert texts(asking, ".notice") == ["Reading the script from the server…"]
    assert "colander" in texts(asking, ".entries .name")
    go(asking, "scenario=cooking+pasta&step=serve+pasta")
    between.held = ""
    asking.wait_for("document.querySelector('.passages')")
    assert title(asking) == "serve pasta"
    assert texts(asking, "[role=status]")[0] == "The script is shown."
    assert "We served the pasta in deep plates" in texts(asking, "mark")
    assert any("Then I poured the sauce over the pasta." in each for each in texts(asking, ".context"))
    go(asking, "scenario=cooking+pasta")
    assert len(texts(asking, ".lanes .box")) == 12
    assert len(between.queries) == 1
    assert asking.problems == []


def test_a_step_that_the_index_leaves_out_is_looked_for_in_the_script(asking: Browser, between: Between) -> None:
    go(asking, "scenario=cooking+pasta&step=3")
    asking.wait_for("document.querySelector('.passages')")
    assert title(asking) == "add salt"
    asking.open(between.address)
    go(asking, "scenario=cooking+pasta&step=nothing")
    asking.wait_for("document.querySelector('h1').textContent === 'Not found'")


def test_a_graph_that_was_built_again(browser: Browser, tmp_path: Path) -> None:
    """The numbers in the script of another build mean other steps."""
    graph = write_graph(tmp_path / "kitchen", kitchen_rows())
    with between_servers([graph.directory], ["making coffee"]) as server:
        browser.open(server.address)
        rows = kitchen_rows()
        rows["Tool"] = [row | {"support": 9} for row in rows["Tool"]]
        write_graph(graph.directory, rows)
        go(browser, "scenario=cooking+pasta")
        browser.wait_for("document.querySelector('.notice button')")
    assert texts(browser, ".notice p") == ["The graph was built again. Reload the page to see it."]
