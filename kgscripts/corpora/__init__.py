"""Corpora: one reader per format, all of which yield documents; the scenarios; downloading."""
