"""Readers of gold of research corpora."""
