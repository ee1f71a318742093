"""Scripts that people write, as input."""
