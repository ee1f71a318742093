"""A list under a title, as the commands about a word or an event print it."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.terminal import console, printable


def print_list(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int, nothing: str, left_out: int = 0
) -> None:
    """Print rows below their headings, of which the first `numbers` are over numbers, or `nothing` without a row.

    `left_out` counts the rows that the option --top leaves out.
    """
    from rich.table import Table
    from rich.text import Text

    screen = console()
    screen.print(Text(printable(title), style="bold"))
    if not rows:
        screen.print(f"  {nothing}\n")
        return
    table = Table(box=None, padding=(0, 0, 0, 2))
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column < numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen.print(table)
    screen.print(f"  {left_out:,} more: --top 0 shows all\n" if left_out else "")
