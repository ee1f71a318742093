"""Writing the tables of the graph: nodes, relations, passages and discards."""
