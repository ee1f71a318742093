"""Training of the model that merges the steps of a scenario by meaning."""
