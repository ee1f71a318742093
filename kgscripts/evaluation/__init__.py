"""Metrics, gold data and published scores: extraction, parsing, alignments and the cloze task."""
