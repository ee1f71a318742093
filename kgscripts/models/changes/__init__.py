"""Models of state changes: retrieval, a causal language model, and the composer that ships."""
