"""A graph served over HTTP, read only: the SPARQL 1.1 Protocol and JSON."""
