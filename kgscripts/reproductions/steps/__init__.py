"""The evaluation of steps: which are one, which come first, and which are typical."""
