"""The check of SPARQL queries: only keywords and functions of the language that read, no other server, no file."""

from __future__ import annotations

import re

from attrs import define, field, frozen

from exports.query.text import ONLY_READS, Scan, Token, check_escapes, scan
from exports.rdf.terms import PREFIXES
from schemas.errors import QueryError

_FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")

# Characters of names (SPARQL 1.1, productions 164 to 167).
_LETTER = (
    "A-Za-zÀ-ÖØ-öø-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_LATER = _LETTER + r"_0-9\u00b7\u0300-\u036f\u203f\u2040"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&()*+,;=/?@%]"
_PATTERN = re.compile(
    rf"""(?P<space>[ \t\n\u00a0]+)
    |(?P<comment>\#[^\n]*)
    |(?P<string>"{{3}}(?>(?:"{{0,2}}[^"\\]|"{{0,2}}\\.)*)"{{3}}(?!")|'{{3}}(?>(?:'{{0,2}}[^'\\]|'{{0,2}}\\.)*)'{{3}}(?!')
               |"(?!"")(?>(?:[^"\\\n]|\\[^\n])*)"(?!["'])|'(?!'')(?>(?:[^'\\\n]|\\[^\n])*)'(?!["']))
    |(?P<iri><[^<>"{{}}|^`\\\x00-\x20\x7f-\x9f]*>)
    |(?P<variable>[?$][{_LETTER}_0-9][{_LATER}]*)
    |(?P<blank>_:[{_LETTER}_0-9](?>(?:[{_LATER}-]|\.+(?=[{_LATER}-]))*))
    |(?P<name>(?>(?:[{_LETTER}](?:[{_LATER}-]|\.+(?=[{_LATER}-])){{0,200}})?):
             (?:(?>[{_LETTER}_0-9:]|{_ESCAPED})
                (?>(?:[{_LATER}:-]|{_ESCAPED}|\.+(?=[{_LATER}:\-%\\]))*))?)
    |(?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<number>(?>(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+|[0-9]*\.[0-9]+|[0-9]+)(?![{_LETTER}_0-9:%\\]))
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>\^\^|&&|\|\||!=|<=|>=|[-=<>!|/*+?.,;()\[\]{{}}^])""",
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = """
    BASE PREFIX SELECT DISTINCT REDUCED CONSTRUCT DESCRIBE ASK FROM NAMED WHERE GROUP BY HAVING ORDER ASC DESC LIMIT
    OFFSET VALUES UNDEF OPTIONAL GRAPH UNION FILTER BIND AS MINUS EXISTS NOT IN A TRUE FALSE SEPARATOR
    STR LANG LANGMATCHES DATATYPE BOUND IRI URI BNODE RAND ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE
    ENCODE_FOR_URI CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ NOW
    UUID STRUUID MD5 SHA1 SHA256 SHA384 SHA512 COALESCE IF STRLANG STRDT SAMETERM ISIRI ISURI ISBLANK ISLITERAL
    ISNUMERIC REGEX SUBSTR REPLACE COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT
"""
_WORDS = frozenset(_KEYWORDS.split())
_HIDDEN_SERVICE = re.compile(r"^service[^:]*:|service:|[^A-Za-z0-9_:?$@/-]service", re.IGNORECASE)
_UPDATES = frozenset(["INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH", "USING"])
_SPELLING = "check the spelling: write texts in quotes, names as kgs:Tool, and variables as ?tool"
_CLAUSES = ("SELECT", "GROUP", "HAVING", "ORDER", "WHERE", "FROM", "LIMIT", "OFFSET", "VALUES")
_OPERANDS = ("iri", "string", "variable", "blank", "name", "language", "number")
_PLAIN_IRI = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*:[^()?$#'&|=!*,;]*>")
_DATASET_IRI = re.compile(r"<(?:https?|urn):", re.IGNORECASE)
_XSD = PREFIXES["xsd"]


@frozen
class JudgedSparql:
    """A query that only reads."""

    text: str
    """The only text to send: comments are spaces, line ends are line feeds; lines and columns are the user's."""
    has_dataset: bool
    """Whether it chooses its dataset (FROM)."""


def scan_sparql(text: str) -> Scan:
    """The tokens of a SPARQL query; raises QueryError for a character that belongs to none."""
    return scan(text, _PATTERN)


def judge(text: str) -> JudgedSparql:
    """Return what to send for the SPARQL query `text`.

    Updates, SERVICE, functions other than those of SPARQL and the casts of XML Schema, ``java:`` IRIs and graphs in
    FROM that are not named by ``http``, ``https`` or ``urn`` are refused. So is what engines read differently.

    Raises
    ------
    QueryError
        If it is refused or exceeds a limit; with line and column.
    """
    scanned = scan_sparql(text)
    prefixes, first = _prologue(scanned)
    if first == len(scanned.tokens):
        raise QueryError("the query is empty", remedy="for example: SELECT ?tool { ?step kgs:uses ?tool }")
    form = scanned.tokens[first]
    if form.word not in _FORMS:
        raise scanned.error(
            f"the query begins with {form.text}", form.start, _advice(form, f"begin with {', '.join(_FORMS)}")
        )
    for token in scanned.tokens:
        _check_token(scanned, token)
    _Structure(scanned, prefixes).check(first)
    has_dataset = any(token.word == "FROM" for token in scanned.tokens)
    return JudgedSparql(text=scanned.text, has_dataset=has_dataset)


def _advice(token: Token, otherwise: str) -> str:
    return ONLY_READS if token.word in _UPDATES else otherwise


def _prologue(scanned: Scan) -> tuple[dict[str, set[str]], int]:
    """The IRIs that each prefix is declared for, and the index of the first token after the declarations."""
    prefixes: dict[str, set[str]] = {}
    tokens, index = scanned.tokens, 0
    while index < len(tokens) and tokens[index].word in ("PREFIX", "BASE"):
        expected = ("name", "iri") if tokens[index].word == "PREFIX" else ("iri",)
        operands = tokens[index + 1 : index + 1 + len(expected)]
        if tuple(token.kind for token in operands) != expected or (len(operands) == 2 and operands[0].text[-1] != ":"):
            raise scanned.error("the declaration is not complete", tokens[index].start, "write PREFIX name: <iri>")
        if len(operands) == 2:
            prefixes.setdefault(operands[0].text[:-1], set()).add(operands[1].text[1:-1])
        index += 1 + len(expected)
    return prefixes, index


def _check_token(scanned: Scan, token: Token) -> None:
    if token.kind == "word":
        word = token.text.upper()
        if "SERVICE" in word:
            raise _service(scanned, token)
        if word not in _WORDS:
            raise scanned.error(f"{token.text} has no place in a query", token.start, _advice(token, _SPELLING))
    elif token.kind == "string":
        check_escapes(scanned, token, "tbnrf\\\"'")
    elif token.kind == "iri":
        if token.text[1:6].lower() == "java:":
            raise scanned.error("an IRI of java: would load code", token.start)
    elif token.kind != "sign" and _HIDDEN_SERVICE.search(token.text):
        # Oxigraph reads keywords without looking for the end of a word.
        raise _service(scanned, token)


def _service(scanned: Scan, token: Token) -> QueryError:
    return scanned.error("SERVICE would query another server", token.start, "query each server separately")


@define
class _Structure:
    """Finds calls of functions, the graphs of FROM, and IRIs that may be comparisons, by the open brackets."""

    scanned: Scan
    prefixes: dict[str, set[str]]
    _open: list[str] = field(factory=list)
    """The open brackets; ``(`` is `expression` where it holds one."""
    _clauses: list[str] = field(factory=lambda: [""])
    """For each open brace and the query itself: the last word of SELECT, GROUP, HAVING, ORDER, or another one."""

    def check(self, first: int) -> None:
        tokens = self.scanned.tokens
        for index in range(first, len(tokens)):
            token, before = tokens[index], tokens[index - 1] if index else None
            is_inside = "(" in self._open or "expression" in self._open
            if token.kind == "iri" and is_inside and _is_operand(before) and not _PLAIN_IRI.fullmatch(token.text):
                raise self.scanned.error(
                    "this may be an IRI or a comparison", token.start, "write spaces around < and >"
                )
            if token.text == "(" and before is not None and before.kind in ("iri", "name"):
                self._check_function(before, tokens[index - 2])
            if before is not None and (before.word == "FROM" or (before.word == "NAMED" and token.kind != "word")):
                self._check_graph(token)
            if token.text == ";" and not self._open:
                raise self.scanned.error("there is more than one statement", token.start, "run them one by one")
            self._follow(token, before)

    def _follow(self, token: Token, before: Token | None) -> None:
        if token.text == "(":
            self._open.append("expression" if self._begins_expression(before) else "(")
        elif token.text in ("{", "["):
            self._open.append(token.text)
            if token.text == "{":
                self._clauses[-1] = ""
                self._clauses.append("")
        elif token.text in (")", "]", "}"):
            self._open.pop()
            if token.text == "}":
                self._clauses.pop()
        elif token.word in _CLAUSES and not self._in_expression():
            self._clauses[-1] = token.word

    def _in_expression(self) -> bool:
        return bool(self._open) and self._open[-1] == "expression"

    def _in_clause_of_expressions(self) -> bool:
        inside = bool(self._open) and self._open[-1] != "{"
        return not inside and self._clauses[-1] in ("SELECT", "GROUP", "HAVING", "ORDER")

    def _begins_expression(self, before: Token | None) -> bool:
        if self._in_expression() or self._in_clause_of_expressions():
            return True
        return before is not None and before.kind == "word" and before.word not in ("VALUES", "A", "TRUE", "FALSE")

    def _check_function(self, name: Token, before: Token) -> None:
        called = self._in_expression() or self._in_clause_of_expressions() or before.word == "FILTER"
        if called and not self._is_cast(name):
            raise self.scanned.error(
                f"the function {name.text} may do anything",
                name.start,
                "use the functions of SPARQL 1.1 and the casts of xsd:",
            )

    def _is_cast(self, name: Token) -> bool:
        if name.kind == "iri":
            return name.text[1:-1].startswith(_XSD)
        prefix = name.text.partition(":")[0]
        return self.prefixes.get(prefix, {PREFIXES.get(prefix, "")}) == {_XSD}

    def _check_graph(self, token: Token) -> None:
        """Refuse graphs that a server might read from a file."""
        if token.word == "NAMED":
            return
        if token.kind == "iri":
            allowed = _DATASET_IRI.match(token.text) is not None
        else:
            declared = self.prefixes.get(token.text.partition(":")[0], set())
            allowed = token.kind == "name" and all(_DATASET_IRI.match(f"<{iri}") for iri in declared)
        if not allowed:
            raise self.scanned.error(
                "FROM needs a graph of the store", token.start, "name it by an http:, https: or urn: IRI"
            )


def _is_operand(token: Token | None) -> bool:
    return token is not None and (token.kind in _OPERANDS or token.text == ")" or token.word in ("TRUE", "FALSE"))
