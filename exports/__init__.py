"""The script graph in the forms that others work with: RDF, property graphs, tables; and queries over it."""
