"""The script graph for programs and people: RDF, property graphs, files, queries, pages and servers."""
