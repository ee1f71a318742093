"""Which steps are parts of an action, from alignments."""
