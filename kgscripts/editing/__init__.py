"""Corrections of a graph by people, and merges of graphs: the records change, and the graph is assembled again."""
