"""The page as a file: what it holds, that its data stays data, how large it may be, and where things are drawn."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.views.explore import page as pages
from exports.views.explore import scenario_map
from exports.views.explore.document import PACKED, data_block
from exports.views.explore.index import read_index
from exports.views.explore.lanes import boxes, levels
from exports.views.explore.page import make_page
from exports.views.explore.scenario_map import read_map
from kgscripts import ScriptGraph
from kgscripts.scripts.reading import list_scenarios
from schemas.errors import ConfigurationError, QueryError
from tests.exports.explore.test_layout import tangled_script
from tests.graphs import ODD_TEXTS, generated_graph, odd_graph, write_graph


class Scripts(HTMLParser):
    """The contents of the scripts and styles of a page, by type or id, and its policy."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.data: dict[str, Any] = {}
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.tags: list[str] = []
        self.policy = ""
        self._attributes: dict[str, str | None] = {}
        self._tag = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag, self._attributes = tag, dict(attrs)
        self.tags.append(tag)
        if self._attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = self._attributes["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._tag == "script" and self._attributes.get("type") == "application/json":
            self.data[self._attributes["id"] or ""] = json.loads(data)
        elif self._tag == "script" and self._attributes.get("type") == PACKED:
            text = zlib.decompress(base64.b64decode(data), wbits=-zlib.MAX_WBITS)
            self.data[self._attributes["id"] or ""] = json.loads(text)
        elif self._tag in ("script", "style"):
            (self.scripts if self._tag == "script" else self.styles).append(data)


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_it_has_the_index_of_all_and_the_scripts(kitchen: ScriptGraph) -> None:
    found = Scripts(make_page(kitchen).html)
    assert list(found.data) == ["graph", "index", "map", "script-0", "script-1"]
    index = found.data["index"]
    assert index["scenarios"]["label"] == ["cooking pasta", "making coffee"]
    assert len(index["steps"]["label"]) == 16
    assert set(index["tools"]["label"]) == set(kitchen.labels("Tool").values())
    assert set(index["entities"]["label"]) == set(kitchen.labels("Entity").values())
    pasta = found.data["script-0"]
    drain = next(step for step in pasta["steps"] if step["label"] == "drain pasta")
    assert {tool["label"] for tool in drain["tools"]} == {"colander", "strainer"}
    words = {}
    for number, start, end in drain["passages"]:
        text, source, *_ = pasta["passages"][number]
        words[pasta["sources"][source]] = text[start:end]
    assert words["story.txt"] == "I drained the pasta in a colander"
    assert len(words) == 3
    assert drain["readers"] == [[0, 1.0]]
    assert [need["label"] for need in pasta["needs"]][:2] == ["colander", "plate"]


def test_the_policy_allows_its_own_scripts_and_nothing_else(kitchen: ScriptGraph) -> None:
    found = Scripts(make_page(kitchen).html)
    rules = dict(rule.split(" ", 1) for rule in found.policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == list(map(digest, found.scripts))
    assert rules["style-src"].split() == list(map(digest, found.styles))
    assert len(found.scripts) == 3
    assert found.tags.count("script") == len(found.scripts) + len(found.data)
    assert not {"img", "iframe", "form"} & set(found.tags)


def test_odd_texts_stay_data(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "odd")
    found = Scripts(make_page(graph).html)
    assert len(found.data) == 3 + 10
    assert found.tags.count("script") == 3 + len(found.data)
    assert set(found.data["index"]["scenarios"]["label"]) == set(ODD_TEXTS)


@given(st.text() | st.sampled_from(["</script>", "<!--", "<script>", "]]>", "\u2028"]))
def test_any_text_stays_in_its_block(text: str) -> None:
    block = data_block("one", [text])
    assert block.count("<") == 2
    assert Scripts(block).data == {"one": [text]}


def test_the_same_graph_gives_the_same_page(kitchen: ScriptGraph) -> None:
    assert make_page(kitchen).html == make_page(kitchen).html


def test_only_what_is_asked_for(kitchen: ScriptGraph) -> None:
    page = make_page(kitchen, ["make coffee", "Making Coffee"])
    assert (page.scripts, page.scenarios) == (1, 2)
    assert "script-1" in Scripts(page.html).data
    assert "script-0" not in Scripts(page.html).data


def test_the_best_supported_that_fit(kitchen: ScriptGraph) -> None:
    whole = len(make_page(kitchen).html.encode())
    page = make_page(kitchen, max_bytes=whole - 1)
    assert page.scripts == 1
    assert "script-0" in Scripts(page.html).data
    assert len(page.html.encode()) < whole
    assert make_page(kitchen, max_bytes=whole).scripts == 2


def test_what_does_not_fit_is_an_error(kitchen: ScriptGraph) -> None:
    whole = len(make_page(kitchen).html.encode())
    with pytest.raises(ConfigurationError, match="2 scenarios do not fit") as error:
        make_page(kitchen, ["cooking pasta", "making coffee"], whole - 1)
    assert "fewer scenarios" in str(error.value.remedy)
    with pytest.raises(ConfigurationError, match="does not fit") as error:
        make_page(kitchen, max_bytes=1000)
    least = re.search(r"allow ([\d.]+) MB", str(error.value.remedy))
    assert least is not None
    assert make_page(kitchen, max_bytes=int(float(least[1]) * 1e6)).scenarios == 2


def test_what_few_sources_have_gives_way(tmp_path: Path) -> None:
    graph = generated_graph(tmp_path / "generated", 20_000)
    assert Scripts(make_page(graph).html).data["graph"]["least"] == 0
    room = 100_000 + len(pages._document(graph, []).encode())
    found = Scripts(make_page(graph, max_bytes=room).html).data
    assert found["graph"]["least"] > 2
    assert len(found["index"]["scenarios"]["label"]) == 50
    assert found["index"]["steps"]["label"] == []


@pytest.mark.parametrize("name", ["", "no such thing", "drain pasta", "<script>alert(1)</script>", "\x00"])
def test_a_name_of_no_scenario_is_an_error(kitchen: ScriptGraph, name: str) -> None:
    with pytest.raises(QueryError, match="there is no scenario named"):
        make_page(kitchen, [name])


def test_an_empty_graph_has_a_page_too(tmp_path: Path) -> None:
    page = make_page(write_graph(tmp_path / "empty", {}))
    assert (page.scripts, page.scenarios) == (0, 0)


@pytest.mark.parametrize("steps", [1, 3, 12, 40, 70])
def test_no_boxes_overlap_and_arrows_point_down(steps: int) -> None:
    script = tangled_script(steps, seed=steps)
    drawn = boxes(script)
    for box in drawn:
        for _, _, x, y, width in box["chips"]:
            assert x >= 0
            assert x + width <= 232
            assert y + 20 <= box["height"]
    found = levels(script, {step.iri: number for number, step in enumerate(script.steps)}, [b["height"] for b in drawn])
    counts = [len(level["steps"]) for level in found]
    assert counts == sorted(set(counts))
    assert counts[-1] == min(steps, 60)
    for level in found:
        places = {number: (x, y) for number, x, y in level["steps"]}
        for (a, (ax, ay)), (b, (bx, by)) in combinations(places.items(), 2):
            beside = abs(ax - bx) >= 232
            assert beside or ay + drawn[a]["height"] <= by + 0.2 or by + drawn[b]["height"] <= ay + 0.2
        for arrow in level["arrows"]:
            start, end = arrow["ends"]
            assert arrow["way"][1] == pytest.approx(places[start][1] + drawn[start]["height"], abs=0.2)
            assert arrow["way"][-1] == pytest.approx(places[end][1], abs=0.2)
            assert arrow["way"][1] < arrow["way"][-1]


def test_a_script_without_steps_has_a_level() -> None:
    assert [level["steps"] for level in levels(tangled_script(0, seed=0), {}, [])] == [[]]


def test_the_map_has_what_scenarios_share(kitchen: ScriptGraph) -> None:
    found = read_map(kitchen, read_index(kitchen))
    names = dict(zip(found["label"], found["kind"], strict=True))
    assert names == {"cooking pasta": 0, "making coffee": 0, "spoon": 1, "boil water": 2}
    assert sorted(zip(found["starts"], found["ends"], strict=True)) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_a_large_map_is_cut_and_spread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = generated_graph(tmp_path / "generated", 20_000)
    index = read_index(graph)
    monkeypatch.setattr(scenario_map, "_MOST_BY_FORCES", 10)
    found = read_map(graph, index)
    assert found == read_map(graph, index)
    assert found["left_out"] == 0
    scenarios = [(x, y) for x, y, kind in zip(found["x"], found["y"], found["kind"], strict=True) if kind == 0]
    assert len(set(scenarios)) == len(list_scenarios(graph))
    assert np.ptp(np.array(scenarios), axis=0).min() > 150
    monkeypatch.setattr(scenario_map, "MOST_NODES", 60)
    monkeypatch.setattr(scenario_map, "MOST_EDGES", 70)
    cut = read_map(graph, index)
    assert len(cut["kind"]) <= 60
    assert len(cut["starts"]) <= 70
    assert cut["left_out"] > 0
