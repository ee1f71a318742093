"""Models that fill the blanks of concrete instructions: word-level networks and a masked language model."""
