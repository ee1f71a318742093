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
    "served.js",
    "search.js",
    "lanes.js",
    "scenario.js",
    "step.js",
    "commands.js",
    "things.js",
    "map.js",
    "correction_list.js",
    "correction_panel.js",
    "corrections.js",
    "main.js",
)
"""The files of js/ in the order in which they are joined."""
_STYLES = ("explore.css", "corrections.css")


@cache
def scripts() -> tuple[str, ...]:
    """The inline scripts in their order: two libraries, then ours."""
    vendored = [_text("vendor", name).partition("//# sourceMappingURL")[0] for name in _VENDORED]
    own = "\n".join(_text("js", name) for name in _SCRIPTS)
    return (*vendored, f'(() => {{\n"use strict";\n{own}\nstart();\n}})();')


@cache
def style() -> str:
    """The style sheet."""
    return "".join(_text("css", name) for name in _STYLES)


def policy(scripts: Iterable[str], style: str, *, asks_server: bool = False, sends_form: bool = False) -> str:
    """The content security policy of a page with these inline scripts and this style sheet: nothing is loaded.

    A page that asks its server may send requests to it, and to no other; so may one that sends a form.
    """
    allowed = " ".join(map(_source, scripts)) or "'none'"
    sent = "'self'" if sends_form else "'none'"
    asked = "'self'" if asks_server else "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_source(style)}; img-src data:; "
        f"connect-src {asked}; base-uri 'none'; form-action {sent}"
    )


def _source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _text(folder: str, name: str) -> str:
    return (_FOLDER / folder / name).read_text(encoding="utf-8")
