"""The generator of state changes: heads over the states of the reader."""
