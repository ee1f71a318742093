"""Training of the generator of state changes."""
