"""SPARQL queries that find nothing since they compare labels, which have a language, with plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exports.query.sparql_guard import scan_sparql
from exports.query.text import Token
from exports.rdf.dataset import text_language
from schemas.errors import KGScriptsError
from schemas.results import Table
from schemas.script_graph import StoredGraph

_MOST = 10
"""The most texts of a query that are looked up."""


def finds_nothing(table: Table) -> bool:
    """Whether a result has no rows, or one row that says no: ASK is false, or everything counted is 0."""
    return not table.rows or (len(table.rows) == 1 and not any(table.rows[0]))


def hint_of(source: StoredGraph | str, text: str, run: Callable[[str], Table]) -> str:
    """What to say of a query that finds nothing: the query that works, or "". `run` runs a query on the source."""
    language = (text_language(source) if isinstance(source, StoredGraph) else "") or "en"
    found = query_with_language(text, language, run)
    if found is None:
        return ""
    query, table = found
    rows = f"finds {len(table.rows):,} rows" if len(table.rows) > 1 else "finds something"
    shown = "\n  ".join(query.strip().split("\n"))
    return (
        f"Nothing was found: labels have the language {language}, and this query names none.\n"
        f"This one {rows}:\n  {shown}"
    )


def query_with_language(text: str, language: str, run: Callable[[str], Table]) -> tuple[str, Table] | None:
    """The query `text` with a language tag at the texts that are labels only with one, and its result.

    `run` runs a query. None if that query finds nothing either, fails, or `text` compares nothing with plain text.
    """
    plain = _plain_texts(scan_sparql(text).tokens)[:_MOST]
    try:
        labels = [token for token in plain if _exists(f"{token.text}@{language}", run)]
        # A text that is also a value without a language ("container" as a role and as a tool) may be meant as such.
        for chosen in (labels, [token for token in labels if not _exists(token.text, run)]):
            if chosen:
                tagged = _tagged(scan_sparql(text).text, chosen, language)
                table = run(tagged)
                if not finds_nothing(table):
                    return tagged, table
    except KGScriptsError:
        # The query itself has run: whatever is wrong with this one is no matter of the user's.
        return None
    return None


def _plain_texts(tokens: Sequence[Token]) -> list[Token]:
    """The texts that have neither a language nor a datatype."""
    return [
        token
        for token, behind in zip(tokens, [*tokens[1:], None], strict=True)
        if token.kind == "string" and not (behind and (behind.kind == "language" or behind.text == "^^"))
    ]


def _exists(literal: str, run: Callable[[str], Table]) -> bool:
    return not finds_nothing(run(f"ASK {{ ?node ?property {literal} }}"))


def _tagged(text: str, tokens: Sequence[Token], language: str) -> str:
    for token in reversed(tokens):
        text = f"{text[: token.end]}@{language}{text[token.end :]}"
    return text
