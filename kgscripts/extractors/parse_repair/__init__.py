"""Errors of the parser on instructions, mended."""
