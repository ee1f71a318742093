"""A page as one file, which loads nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from schemas.drawing.svg import legible
from schemas.terminal import finite


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
    text = json.dumps(finite(content), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'
