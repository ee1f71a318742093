"""The language of a graph's labels."""

from __future__ import annotations

import re

from schemas.script_graph import StoredGraph

_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z")


def text_language(graph: StoredGraph) -> str:
    """The language that the graph's parsers read (BCP 47); "" without a parser, or with parsers of several."""
    languages = {language for language in graph.select("Model", ["language"])["language"].to_pylist() if language}
    return languages.pop() if len(languages) == 1 and all(map(_TAG.match, languages)) else ""
