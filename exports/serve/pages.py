"""The page to look through the graph, made once for each build."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

from attrs import frozen

from exports.explore.assets import policy, scripts, style
from exports.explore.page import explore_page
from schemas.script_graph import ScriptGraph


@frozen(kw_only=True)
class Page:
    """A page and the policy under which a browser shows it."""

    html: str
    policy: str


_making = threading.Lock()


def page(graph: ScriptGraph) -> Page:
    """The page of a graph; the one of the latest build is kept."""
    with _making:
        return _page(graph.directory, graph.build_id)


@lru_cache(maxsize=2)
def _page(directory: Path, _: str) -> Page:
    html = explore_page(ScriptGraph.open(directory))
    return Page(html=html, policy=f"{policy(scripts(), style())}; frame-ancestors 'none'")
