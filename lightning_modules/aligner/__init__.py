"""Training of the aligner that ships."""
