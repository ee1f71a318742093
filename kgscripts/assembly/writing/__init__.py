"""The tables of the graph as they are written: nodes, relations, passages and discards."""
