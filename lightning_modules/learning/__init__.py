"""Training without Lightning: the spaCy pipeline, the tool ranker and the weights of typicality."""
