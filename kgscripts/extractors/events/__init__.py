"""Events: the actions of sentences with their objects, places and companions."""
