"""Saved web pages: what schema.org markup says of a recipe or how-to, else the main text."""
