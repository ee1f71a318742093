"""Servers that the tests of exports and queries share."""

from __future__ import annotations

from tests.exports.fuseki_server import fuseki_server, fuseki_session
from tests.exports.neo4j_server import arcadedb_server, arcadedb_session, neo4j_server, neo4j_session

__all__ = [
    "arcadedb_server",
    "arcadedb_session",
    "fuseki_server",
    "fuseki_session",
    "neo4j_server",
    "neo4j_session",
]
