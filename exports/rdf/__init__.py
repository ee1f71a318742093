"""The script graph as RDF: in four syntaxes, in an Oxigraph store and on SPARQL servers."""
