"""What a scenario needs, as a line of its script and as a tree of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text
from rich.tree import Tree

from exports.views.tree_lines import add_evidence, count, numbers_of, styled
from kgscripts.scripts.things import Needs
from kgscripts.scripts.types import Need

_STYLES = {True: "green", False: "cyan"}
"""The styles of tools and of supplies."""


def needs_line(needs: Iterable[Need], left_out: int = 0) -> Text:
    """ "You need: bowl, oven; flour (200 g), egg (3)": tools, then supplies with their amounts."""
    line = styled(("You need: ", "bold"))
    before: Need | None = None
    for need in needs:
        between = "" if before is None else ", " if before.is_tool == need.is_tool else "; "
        amount = f" ({need.amount})" if need.amount else ""
        line.append_text(styled((between, ""), (need.label, _STYLES[need.is_tool]), (amount, "dim")))
        before = need
    if left_out:
        line.append_text(styled((f"; {left_out:,} more in few sources", "dim")))
    return line


def needs_text(needs: Iterable[Need], left_out: int = 0) -> str:
    """`needs_line` as plain text."""
    return needs_line(needs, left_out).plain


def needs_tree(found: Needs) -> Tree:
    """The tools and supplies of a scenario, each with its numbers and passages."""
    tree = Tree(styled((found.label, "bold"), (f"  read in {count(found.support, 'source')}", "dim")))
    for kind, is_tool in (("tools", True), ("supplies", False)):
        needs = [need for need in found.needs if need.is_tool is is_tool]
        branch = tree.add(Text(kind, style="dim")) if needs else tree
        for need in needs:
            details = ", ".join(_details(need))
            leaf = branch.add(styled((need.label, _STYLES[is_tool]), (f"  {details}", "dim")))
            add_evidence(leaf, need.evidence)
    if not found.needs:
        tree.add(Text("no list names a need, and no usual step uses anything", style="dim"))
    if found.left_out:
        tree.add(styled((f"{found.left_out:,} more: --all --min-support 1 shows all", "dim")))
    return tree


def _details(need: Need) -> Iterator[str]:
    if need.role:
        yield need.role
    if need.amount:
        yield need.amount
    yield numbers_of(need)
    if need.declared:
        yield f"declared by {need.declared:,}"
    if need.used:
        yield f"used by {need.used:,}"
    if not need.usual:
        yield "unusual"
