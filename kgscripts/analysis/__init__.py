"""Looking things up in a graph directory."""
