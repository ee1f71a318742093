"""Formats of files other than RDF."""
