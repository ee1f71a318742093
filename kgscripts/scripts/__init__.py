"""Reading a graph as scripts: the steps of a scenario with what belongs to them, what it needs, and the evidence."""
