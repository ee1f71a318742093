"""The evaluation of alignments."""
