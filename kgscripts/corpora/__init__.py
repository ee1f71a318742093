"""Corpora: one reader a format, all yielding documents; scenarios; fetching."""
