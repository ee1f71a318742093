"""The script graph as RDF: what each row says, in four syntaxes, on disk and on SPARQL servers."""
