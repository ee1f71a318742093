"""The evaluation of state changes."""
