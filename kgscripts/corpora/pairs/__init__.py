"""Pairs of an abstract and a concrete instruction: their formats, gold alignments, clozes and statistics."""
