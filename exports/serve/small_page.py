"""Pages of a server, and those without scripts: a heading and what follows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from attrs import frozen

from exports.views.explore import assets
from exports.views.explore.document import html_document
from schemas.drawing.svg import legible

UNFRAMED = "; frame-ancestors 'none'"
"""What the policy of a page has only in a header: no other page may show it."""


@frozen(kw_only=True)
class Page:
    """A page and the policy under which a browser shows it."""

    html: str
    policy: str


def served_page(
    title: str,
    body: Iterable[str],
    *,
    style: str,
    scripts: Sequence[str] = (),
    asks_server: bool = False,
    sends_form: bool = False,
) -> Page:
    """A page with a title, a body in HTML, a style sheet and inline scripts, which may ask its server or send it a
    form."""
    policy = assets.policy(scripts, style, asks_server=asks_server, sends_form=sends_form)
    html = html_document(title, body, style=style, policy=policy, scripts=scripts)
    return Page(html=html, policy=policy + UNFRAMED)


def small_page(title: str, body: str, *, has_form: bool = False) -> Page:
    """A page with a title, a text, and a body in HTML; `has_form` lets it send a form to its server."""
    lines = ("<main>", f"<h1>{escape(legible(title))}</h1>", body, "</main>")
    return served_page(title, lines, style=assets.style(), sends_form=has_form)
