"""Training of the weights of typicality."""
