"""Reading inputs into the records of a graph directory: documents, extractors, progress, and the report of a build."""
