"""Training of the models of state changes."""
