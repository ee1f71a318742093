"""From characters to syntax: the spaCy pipeline, passages, grammatical relations, content words."""
