"""Parsing text: the spaCy pipeline, passages, lemmas and grammatical relations."""
