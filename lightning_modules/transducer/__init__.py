"""Training of the models that generate the concrete side from the abstract one."""
