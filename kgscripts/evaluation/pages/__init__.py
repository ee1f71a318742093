"""Saved web pages: whether titles, steps, ingredients and equipment are read as people noted them."""
