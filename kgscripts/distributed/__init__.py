"""Reading in pieces: any scheduler reads them, anywhere, and one machine takes them in and assembles the graph."""
