"""Plans: a script or a procedure with the preconditions and effects of its steps, as text, JSON and PDDL."""
