"""Enrichers: networks that give records about rows of the graph while it is assembled."""
