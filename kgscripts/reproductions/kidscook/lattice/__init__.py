"""Latent monotonic alignments between an abstract and a concrete sequence."""
