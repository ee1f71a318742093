"""One page for a browser, in one file, to look through a graph."""
