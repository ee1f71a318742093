"""Pages without scripts: a heading and what follows it."""

from __future__ import annotations

from html import escape

from exports.explore.assets import policy, style
from exports.serve.pages import Page
from schemas.drawing.text_layout import legible


def small_page(title: str, body: str, *, has_form: bool = False) -> Page:
    """A page with a title, a text, and a body in HTML; `has_form` lets it send a form to its server."""
    heading = escape(legible(title))
    html = "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{heading}</title><style>{style()}</style></head><body><main>",
            f"<h1>{heading}</h1>\n{body}",
            "</main></body></html>\n",
        )
    )
    allowed = policy((), style())
    if has_form:
        allowed = allowed.replace("form-action 'none'", "form-action 'self'")
    return Page(html=html, policy=f"{allowed}; frame-ancestors 'none'")
