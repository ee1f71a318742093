"""Models of state changes: retrieval, and the composer that ships."""
