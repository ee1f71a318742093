"""A page as one file, which loads nothing: its scripts and styles, and the content security policy that allows these
and nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path

from exports.views.text_size import legible
from schemas.terminal import finite

PACKED = "application/deflate"
"""The type of blocks whose text is JSON, compressed (RFC 1951) and in Base64."""
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
    return (*vendored, f'(() => {{\n"use strict";\n{own}\nunpack().then(start);\n}})();')


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


def html_document(title: str, body: Iterable[str], *, style: str, policy: str, scripts: Iterable[str] = ()) -> str:
    """The document with a title, a body in HTML, a style sheet, inline scripts behind the body, and its content
    security policy, which a file has too."""
    inline = [f"<script>{text}</script>" for text in scripts]
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{escape(legible(title))}</title><style>{style}</style></head><body>",
            *(['<noscript><p class="notice">This page needs JavaScript.</p></noscript>'] if inline else []),
            *body,
            *inline,
            "</body></html>\n",
        )
    )


def data_block(name: str, content: object) -> str:
    """Data that a browser does not run. Without "<" nothing in it can end the block or begin a comment."""
    text = _json(content).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def packed_block(name: str, content: object) -> str:
    """The same, packed to a third of the size; `unpack` in data.js makes it one of JSON."""
    packed = zlib.compress(_json(content).encode(), wbits=-zlib.MAX_WBITS)
    return f'<script type="{PACKED}" id="{name}">{base64.b64encode(packed).decode()}</script>'


def _json(content: object) -> str:
    return json.dumps(finite(content), ensure_ascii=False, separators=(",", ":"))
