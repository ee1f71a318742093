"""OpenPI: steps of procedures with their state changes, in all layouts, and the sentences that express them."""

from kgscripts.reproductions.openpi.reading import read_openpi

__all__ = ["read_openpi"]
