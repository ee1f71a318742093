"""How typical an action is of a scenario's script: features, and the weights that were learnt from InScript."""
