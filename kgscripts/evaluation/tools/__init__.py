"""The evaluation of tools, named and predicted."""
