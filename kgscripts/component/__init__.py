"""kgscripts as a component of any English spaCy pipeline: `nlp.add_pipe("kgscripts")`."""
