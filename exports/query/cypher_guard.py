"""The check of Cypher queries: only clauses, procedures and functions that read.

The functions and procedures are those of Neo4j, Ladybug and ArcadeDB, in lower case, that compute from their arguments
and the graph, or describe its schema. Functions that read files, load code, change sequences or settings, or belong to
plugins are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import define, field, frozen

from exports.query.text import Scan, Token, check_escapes, scan
from schemas.errors import QueryError

_FUNCTIONS = """
    all any none single exists count collect sum avg min max stdev stdevp percentilecont percentiledisc histogram
    count_if shortestpath allshortestpaths reduce coalesce nullif ifnull constant_or_null head last size length
    char_length character_length octet_length isempty cardinality
    id elementid rowid label labels type keys properties nodes relationships rels startnode endnode start_node end_node
    is_trail is_acyclic cost offset typeof valuetype
    abs ceil ceiling floor round sign sqrt cbrt exp e pi pow log log2 log10 ln sin cos tan cot asin acos atan atan2 sinh
    cosh tanh coth degrees radians haversin isnan factorial gamma lgamma even negate greatest least rand random
    setseed bitwise_and bitwise_or bitwise_xor bitshift_left bitshift_right
    tostring tostringornull tostringlist tointeger tointegerornull tointegerlist tofloat tofloatornull tofloatlist
    toboolean tobooleanornull tobooleanlist cast string decimal to_string to_bool to_double to_float to_int8 to_int16
    to_int32 to_int64 to_int128 to_uint8 to_uint16 to_uint32 to_uint64 to_uint128 to_serial to_uuid to_date
    to_timestamp to_blob
    tolower toupper lower upper lcase ucase initcap trim ltrim rtrim btrim lpad rpad left right substring substr
    replace reverse split split_part string_split str_split string_to_array repeat concat concat_ws contains
    starts_with ends_with prefix suffix normalize levenshtein regexp_extract regexp_extract_all regexp_full_match
    regexp_matches regexp_replace regexp_split_to_array list_to_string hash md5 sha256 encode decode blob
    gen_random_uuid uuid randomuuid
    range tail list_creation list_element list_extract list_concat list_cat list_append list_prepend list_position
    list_indexof list_contains list_has list_has_all list_has_any list_slice list_sort list_reverse_sort list_reverse
    list_sum list_product list_distinct list_unique list_any_value list_max list_min list_transform list_filter
    list_reduce array_value array_extract array_concat array_cat array_append array_push_back array_prepend
    array_push_front array_position array_indexof array_contains array_has array_slice array_cosine_similarity
    array_cross_product array_distance array_squared_distance array_dot_product array_inner_product
    element_at map map_extract map_keys map_values struct_extract struct_pack union_value union_tag union_extract
    date datetime localdatetime localtime time timestamp duration interval current_date current_timestamp make_date
    datepart date_part datetrunc date_trunc dayname monthname last_day century epoch_ms to_epoch_ms time_bucket
    to_years to_months to_days to_hours to_minutes to_seconds to_milliseconds to_microseconds to_interval
    date.truncate datetime.truncate localdatetime.truncate localtime.truncate time.truncate datetime.fromepoch
    datetime.fromepochmillis duration.between duration.inmonths duration.indays duration.inseconds
    point point.distance point.withinbbox vector.similarity.cosine vector.similarity.euclidean
"""

_PROCEDURES = """
    show_tables table_info show_functions db_version db.labels db.relationshiptypes db.propertykeys
    db.index.fulltext.querynodes db.index.vector.querynodes db.schema.visualization db.schema.nodetypeproperties
    db.schema.reltypeproperties dbms.components
"""

FUNCTIONS = frozenset(_FUNCTIONS.split())
PROCEDURES = frozenset(_PROCEDURES.split())


_PATTERN = re.compile(
    r"""(?P<space>[ \t\n\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>'(?>(?:[^'\\]|\\.)*)'(?!['"])|"(?>(?:[^"\\]|\\.)*)"(?!['"]))
    |(?P<quoted>`[^`\\\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+`(?!`))
    |(?P<parameter>\$[A-Za-z0-9_]+(?![\w$`]))
    |(?P<number>(?>0[xX][0-9A-Fa-f]+|0o[0-7]+|(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w$`]))
    |(?P<word>[^\W\d]\w*(?![$`]))
    |(?P<sign>\.\.|<>|<=|>=|=~|/(?![/*])|[-+*%^=<>!|&.,:;()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_CLAUSES = ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL")
_REMEDY = "a query is made of MATCH, UNWIND, CALL, WITH, RETURN and UNION; `kgscripts export` writes"
_INFIX = ("WHERE", "AND", "OR", "XOR", "NOT", "IN", "IS", "CONTAINS", "SKIP", "LIMIT", "WHEN", "THEN", "ELSE", "BY")
"""Words between two values."""
_PREFIX = ("NOT", "DISTINCT", "CASE", "WHEN", "WHERE", "SHORTEST", "ALL", "ANY", "TRAIL", "ACYCLIC", "GROUPS")
"""Words before a value."""
_SUFFIX = ("ASC", "ASCENDING", "DESC", "DESCENDING", "END", "ORDER", "STARTS", "ENDS")
"""Words after a value that no value follows."""
_SUBQUERIES = ("EXISTS", "COUNT", "COLLECT")

_CLAUSE, _VALUE, _NAME, _AFTER = "clause", "value", "name", "after"
"""The tokens that may come next: a clause, a value, a name, or a word after a value."""


@frozen
class JudgedCypher:
    """A query that only reads."""

    text: str
    """The only text to send: comments are spaces, line ends are line feeds; lines and columns are the user's."""
    parameters: dict[str, object]
    """The parameters that it uses: Ladybug takes a missing one as null and refuses an unused one."""


def scan_cypher(text: str) -> Scan:
    """The tokens of a Cypher query; raises QueryError for a character that belongs to none."""
    return scan(text, _PATTERN)


def judge(text: str, parameters: Mapping[str, object]) -> JudgedCypher:
    """Return what to send for the Cypher query `text`.

    Two values never follow each other in Cypher, so that a word after a value is an operator or the beginning of a
    clause; it has to be one of those that read. A word in the place of a value is a name, also if it is a keyword.
    Functions and procedures are those of `exports.cypher.ladybug_store`.

    Raises
    ------
    QueryError
        If it is refused or exceeds a limit; with line and column.
    """
    scanned = scan_cypher(text)
    tokens = scanned.tokens
    # A semicolon at the end is usual. A space takes its place, so that all places in the text stay the same.
    if tokens and tokens[-1].text == ";":
        end = tokens[-1]
        scanned = Scan(f"{scanned.text[: end.start]} {scanned.text[end.end :]}", tokens[:-1])
        tokens = scanned.tokens
    if not tokens:
        raise QueryError("the query is empty", remedy="for example: MATCH (tool:Tool) RETURN tool.label")
    _Structure(scanned).check()
    used = {token.text[1:] for token in tokens if token.kind == "parameter"}
    if missing := used - parameters.keys():
        raise QueryError(f"the query's parameter {min(missing)!r} has no value")
    return JudgedCypher(text=scanned.text, parameters={name: parameters[name] for name in sorted(used)})


@define
class _Structure:
    """Follows the tokens of a query: what may come next, and the open brackets."""

    scanned: Scan
    _next: str = _CLAUSE
    _open: list[str] = field(factory=list)
    """The open brackets; a brace that holds a query is `query`."""
    _path: str = ""
    """The name before, with what it is qualified by, in lower case."""

    def check(self) -> None:
        tokens, index = self.scanned.tokens, 0
        while index < len(tokens):
            token = tokens[index]
            before = tokens[index - 1].word if index else ""
            following = tokens[index + 1].text if index + 1 < len(tokens) else ""
            if token.kind == "sign":
                self._sign(token)
            elif token.kind == "word":
                index = self._word(index, before, following)
            elif self._next in (_CLAUSE, _AFTER):
                raise self._refused(token)
            else:
                if token.kind == "string":
                    check_escapes(self.scanned, token, "tbnrf\\\"'")
                self._value(token.text.strip("`") if token.kind == "quoted" else "")
            index += 1

    def _refused(self, token: Token) -> QueryError:
        if not self._open and self._next is _CLAUSE:
            return self.scanned.error(f"the query begins with {token.text}", token.start, _REMEDY)
        return self.scanned.error(f"{token.text} cannot be used here", token.start, _REMEDY)

    def _value(self, name: str) -> None:
        self._path = (self._path if self._path.endswith(".") else "") + name.lower()
        self._next = _AFTER

    def _is_level_of_clauses(self) -> bool:
        return not self._open or self._open[-1] == "query"

    def _word(self, index: int, before: str, following: str) -> int:
        """Follow the word at `index`; return the index of the last token that belongs to it."""
        token = self.scanned.tokens[index]
        word = token.word
        if self._next is _NAME:
            self._value(token.text)
        elif self._next is _VALUE:
            if word in _SUBQUERIES and following == "{":
                self._path, self._next = word, _VALUE
            elif word in _PREFIX:
                self._path = ""
            else:
                self._value(token.text)
        elif self._next is _AFTER and word == "WITH" and before in ("STARTS", "ENDS"):
            self._next = _VALUE
        elif word in _CLAUSES and self._is_level_of_clauses():
            self._path, self._next = "", _VALUE
            if word == "OPTIONAL":
                self._next = _CLAUSE
            elif word == "CALL":
                return self._call(index + 1)
        elif word in ("ALL", "DISTINCT") and before == "UNION" and self._next is _CLAUSE:
            pass
        elif self._next is _CLAUSE:
            raise self._refused(token)
        elif word == "UNION" and self._is_level_of_clauses():
            self._next = _CLAUSE
        elif word in _INFIX and (before == "ORDER" or word != "BY"):
            self._next = _VALUE
        elif word in _SUFFIX:
            self._path = ""
        elif word in ("AS", "YIELD"):
            self._next = _NAME
        else:
            raise self._refused(token)
        return index

    def _sign(self, token: Token) -> None:
        sign = token.text
        if sign == ";":
            raise self.scanned.error("there is more than one statement", token.start, "run them one by one")
        if self._next is _CLAUSE and not (sign == "}" or (sign == "(" and self._open)):
            raise self._refused(token)
        if sign in "([{":
            self._begin(token)
        elif sign in ")]}":
            self._open.pop()
            self._path, self._next = "", _AFTER
        # In the place of a value a star is one, as in count(*), but not before the length of a path: [*1..3].
        elif sign == "*" and self._next is not _AFTER and not (self._open and self._open[-1] == "["):
            self._next = _AFTER
        elif sign == ".":
            self._path, self._next = f"{self._path}." if self._next is _AFTER else ".", _NAME
        elif sign == ":" and not (self._open and self._open[-1] == "{"):
            self._path, self._next = "", _NAME
        elif sign == "!" and self._next is _AFTER:
            raise self._refused(token)
        else:
            self._path, self._next = "", _VALUE

    def _begin(self, token: Token) -> None:
        if token.text == "(" and self._next is _AFTER and self._path and self._path not in FUNCTIONS:
            raise self.scanned.error(
                f"the function {self._path} is not one that only computes",
                token.start,
                "use another one: docs/guide/queries.md says where they are listed",
            )
        is_query = token.text == "{" and self._next is _VALUE and self._path in _SUBQUERIES
        self._open.append("query" if is_query else token.text)
        self._path, self._next = "", _CLAUSE if is_query else _VALUE

    def _call(self, index: int) -> int:
        """Follow the subquery or procedure of CALL from `index` on; return the index of its last token."""
        tokens = self.scanned.tokens
        start = index
        if index < len(tokens) and tokens[index].text == "(":
            while index < len(tokens) and (tokens[index].kind == "word" or tokens[index].text in "(,*"):
                index += 1
            index += 1
        if index < len(tokens) and tokens[index].text == "{" and (index == start or tokens[index - 1].text == ")"):
            self._open.append("query")
            self._next = _CLAUSE
            return index
        index = start
        while (
            index < len(tokens)
            and tokens[index].kind == "word"
            and tokens[index + 1 : index + 2]
            and (tokens[index + 1].text == ".")
        ):
            index += 2
        name = "".join(token.text for token in tokens[start : index + 1]).lower()
        if name not in PROCEDURES:
            place = tokens[min(start, len(tokens) - 1)]
            raise self.scanned.error(
                f"the procedure {name or 'that is missing'} is not one that only reads",
                place.start,
                f"these may be called: {', '.join(sorted(PROCEDURES))}",
            )
        self._path, self._next = "", _AFTER
        return index
