"""A Doc as displaCy shows spans: lanes for each kind, in a file, in a notebook, and from hostile text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc

import kgscripts
from kgscripts.component import display as module
from kgscripts.component.annotations import EVENTS, TOOLS, annotate, plain
from kgscripts.text.pipeline import COMPONENT, describe_pipeline
from schemas.errors import ConfigurationError, InputError, StoreError
from schemas.records import Action, EventMention, StateChange, Tool
from tests.component.pipelines import STORY, quick

HOSTILE = "<script>alert(1)</script> & {cup} \"'."
LANE = re.compile(r"background: (#\w+); top: (\d+)px")


def shown(doc: Doc) -> str:
    html = kgscripts.display(doc)
    assert html is not None
    return html


def with_changes(doc: Doc, events: Sequence[EventMention]) -> Doc:
    """The Doc with these events and a state change that the first of them brings about, whose words are hostile."""
    values: dict[str, Any] = {"before": "", "after": "<b>full</b>", "attribute": "fullness", "entity": "bowl"}
    values |= {"start": events[0].start, "end": events[0].end}
    change = StateChange(**values, action=events[0].action, mentioned=None, probability=0.9, level="certain")
    found = {EventMention: [plain(event, 0) for event in events], StateChange: [plain(change, 0)]}
    annotate(doc, found, describe_pipeline(), [EVENTS, TOOLS])
    return doc


def test_each_kind_has_lanes_of_its_own() -> None:
    doc = quick()(STORY)
    html = shown(with_changes(doc, doc._.script_events))
    lanes: dict[str, set[int]] = {}
    for colour, top in LANE.findall(html):
        lanes.setdefault(colour, set()).add(int(top))
    assert len(lanes) == 3
    event, tool, change = sorted(lanes.values(), key=min)
    assert max(event) < min(tool) <= max(tool) < min(change)
    assert "put flour in bowl" in html
    assert "tool: spoon" in html


def test_text_and_records_cannot_become_markup() -> None:
    tool = Tool(lemma="<i>cup</i>", start=29, end=32)
    event = EventMention(action=Action(predicate="<script>", object="{cup}"), start=0, end=32, tools=[tool])
    html = shown(with_changes(quick()(HOSTILE, disable=[COMPONENT]), [event]))
    assert not set(re.findall(r"<(\w+)", html)) - {"div", "span"}
    for text in ("&lt;script&gt;", "{cup}", "tool: &lt;i&gt;cup&lt;/i&gt;", "&lt;b&gt;full&lt;/b&gt;"):
        assert text in html


def test_a_file_is_a_whole_page(tmp_path: Path) -> None:
    assert kgscripts.display(quick()(STORY), tmp_path / "page.html") is None
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "mix flour" in page
    assert "http" not in page
    with pytest.raises(StoreError):
        kgscripts.display(quick()(STORY), tmp_path / "page.html" / "page.html")


def test_a_notebook_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(module, "is_in_jupyter", lambda: True)
    monkeypatch.setattr("IPython.display.display", given.append)
    assert kgscripts.display(quick()(STORY)) is None
    assert "mix flour" in given[0].data


def test_what_cannot_be_shown_is_an_error() -> None:
    with pytest.raises(InputError, match="was not read by the component"):
        kgscripts.display(quick()(STORY, disable=[COMPONENT]))
    with pytest.raises(ConfigurationError, match="doc is 'text'"):
        kgscripts.display("text")  # type: ignore[arg-type]
