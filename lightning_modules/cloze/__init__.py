"""Training of the masked cloze model."""
