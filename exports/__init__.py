"""The script graph for programs and people: RDF, property graphs, files, queries, pictures, pages and servers."""
