"""The embedded store for Cypher."""
