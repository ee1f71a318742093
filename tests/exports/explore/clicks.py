"""Clicks on the page that correct a graph."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tests.browser import Browser
from tests.exports.explore.conftest import go, texts


def correcting(page: Browser, fragment: str) -> None:
    """Go to a view and have it show its buttons."""
    go(page, fragment)
    if not page.evaluate("document.querySelector('#correct').ariaPressed === 'true'"):
        page.evaluate("document.querySelector('#correct').click()")


def step(words: str) -> str:
    return f"scenario=cooking+pasta&step={words.replace(' ', '+')}"


def click(page: Browser, name: str) -> None:
    """Click the button with this name."""
    page.evaluate(
        "(() => { const button = [...document.querySelectorAll('button')].find((each) => "
        f"(each.ariaLabel ?? each.textContent) === {json.dumps(name)}); button.focus(); button.click(); }})()"
    )


def fill(page: Browser, form: str, *values: str) -> None:
    """Fill in a form and send it. A choice is named by what it shows."""
    page.evaluate(
        f"""(() => {{
        const form = [...document.querySelectorAll('form')].find((each) => each.ariaLabel === {json.dumps(form)});
        const fields = form.querySelectorAll('input, select');
        {json.dumps(values)}.forEach((value, i) => {{
          const option = [...fields[i].options ?? []].find((each) => each.textContent === value);
          if (fields[i].options && !option) throw new Error(`no ${{value}}`);
          fields[i].value = option ? option.value : value;
        }});
        form.querySelector('button').click(); }})()"""
    )


def downloaded(page: Browser, folder: Path) -> list[dict[str, Any]]:
    """Open the panel, and return the lines of the file that the page makes."""
    page.evaluate("if (document.querySelector('aside').hidden) document.querySelector('.opener').click()")
    page.evaluate(
        "(() => { const name = document.querySelector('#author'); name.value = 'Ada';"
        " name.dispatchEvent(new Event('change')); })()"
    )
    file = folder / "corrections.jsonl"
    file.unlink(missing_ok=True)
    click(page, "Download")
    ends = monotonic() + 60
    while not file.exists() and monotonic() < ends:
        sleep(0.02)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def listed(page: Browser) -> list[str]:
    """The corrections on the panel."""
    return texts(page, "aside .plain .name")


def buttons(page: Browser, prefixes: Sequence[str]) -> None:
    """Press the buttons of a view whose names begin in one of these ways."""
    page.evaluate(
        f"[...document.querySelectorAll('.fix')].filter((each) => {json.dumps(prefixes)}"
        ".some((words) => each.ariaLabel.startsWith(words)))"
        ".forEach((each) => { if (each.ariaPressed === 'false') each.click(); })"
    )


def press_all(page: Browser, prefixes: Sequence[str]) -> None:
    """Press these buttons of all scenarios and their steps."""
    go(page, "kind=scenarios")
    links = "[...document.querySelectorAll('.entries a')].map((each) => each.getAttribute('href').slice(1))"
    for scenario in page.evaluate(links):
        correcting(page, scenario)
        buttons(page, prefixes)
        steps = page.evaluate(
            "[...document.querySelectorAll('.lanes a, .entries a')].map((each) => each.getAttribute('href').slice(1))"
            ".filter((each) => each.includes('&step='))"
        )
        for address in sorted(set(steps)):
            go(page, address)
            buttons(page, prefixes)
