"""The scripts and styles of the page, and the content security policy that allows these and nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_VENDORED = ("graphology-0.26.0.umd.min.js", "sigma-3.0.3.min.js")
_SCRIPTS = (
    "dom.js",
    "data.js",
    "search.js",
    "lanes.js",
    "scenario.js",
    "step.js",
    "commands.js",
    "things.js",
    "map.js",
    "main.js",
)
"""The files of js/ in the order in which they are joined."""


@cache
def scripts() -> tuple[str, ...]:
    """The inline scripts in their order: two libraries, then ours."""
    vendored = [_text("vendor", name).partition("//# sourceMappingURL")[0] for name in _VENDORED]
    own = "\n".join(_text("js", name) for name in _SCRIPTS)
    return (*vendored, f'(() => {{\n"use strict";\n{own}\nstart();\n}})();')


@cache
def style() -> str:
    """The style sheet."""
    return _text("css", "explore.css")


def policy(scripts: Iterable[str], style: str) -> str:
    """The content security policy of a page with these inline scripts and this style sheet: nothing is loaded."""
    allowed = " ".join(map(_source, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_source(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _text(folder: str, name: str) -> str:
    return (_FOLDER / folder / name).read_text(encoding="utf-8")
