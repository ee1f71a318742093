"""Ids of nodes and rounding of numbers, in SQL; the ids are those of `schemas.vocabulary.node_id`.

Everything is counted in integers and rounded once, half up, to four decimals. Positions are integers in billionths.
"""

from __future__ import annotations

ACTION_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")

MACROS = """
-- What is hashed of a key: each part behind its length, so that no two keys run into each other.
CREATE MACRO part(value) AS length(value) || ':' || value;
CREATE MACRO key_hash(content) AS substr(sha256(content), 1, 24);
CREATE MACRO identifier(prefix, readable, content) AS
    prefix || '/' || CASE WHEN readable = '' THEN '' ELSE readable || '-' END || key_hash(content);
-- Ids of passages ascend with the number of the document, start, end and kind.
CREATE MACRO padded(number) AS substr((1000000000 + number)::VARCHAR, 2);
CREATE MACRO passage_id(document_key, first, last, kind) AS
    'passage/' || document_key || '-' || padded(first) || '-' || padded(last) || '-' || kind;
-- Twelve bytes, whose digits are the end of the statement's id: a fifth of what the id itself takes.
CREATE MACRO statement_hash(relation, subject, object, scenario) AS
    unhex(key_hash(part('Statement') || part(relation) || part(subject) || part(object) || part(scenario)));
CREATE MACRO digits(hash) AS lower(hex(hash));
-- part / whole, rounded half up to four decimals.
CREATE MACRO share(part_, whole) AS
    ((part_::HUGEINT * 20000 + whole::HUGEINT) // (2 * whole::HUGEINT))::DOUBLE / 10000;
-- ln p(a, b) / (p(a) p(b)) from counts over `total` mentions, in nats (Church and Hanks 1990).
CREATE MACRO pmi(pair, one, other, total) AS
    round(ln(pair::DOUBLE * total::DOUBLE / (one::DOUBLE * other::DOUBLE)), 4) + 0.0;
-- A place among `length` ones: 0 first, 1 last, in billionths.
CREATE MACRO relative_position(place, length) AS
    (place * 2000000000 + greatest(1, length - 1)) // (2 * greatest(1, length - 1));
-- Whether a row belongs to the current partition.
CREATE MACRO mine(key) AS hash(key) % getvariable('partitions')::UBIGINT = getvariable('partition')::UBIGINT;
CREATE MACRO in_partition(document) AS
    document BETWEEN getvariable('first_document') AND getvariable('last_document');
-- The partition key of a step: its scenario, or itself if there is none.
CREATE MACRO home(scenario, step) AS CASE WHEN scenario > 0 THEN scenario ELSE -step END;
"""


def action_key(row: str) -> str:
    """SQL: the hashed parts of an action's key, whose columns are those of `row`."""
    return " || ".join(f"part({row}.{name})" for name in ACTION_PARTS)


def same_action(left: str, right: str) -> str:
    """SQL: whether two rows hold the same action."""
    return " AND ".join(f"{left}.{name} = {right}.{name}" for name in ACTION_PARTS)
