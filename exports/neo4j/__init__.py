"""Neo4j: exports over Bolt and as CSV, constraints, and indexes for searches."""
