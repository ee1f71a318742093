"""Models that fill the blanks of concrete instructions: word-level networks, masked and causal language models."""
