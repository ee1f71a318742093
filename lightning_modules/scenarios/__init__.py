"""Training of the models of scenarios."""
