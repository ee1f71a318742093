"""Which events a text says to happen: no wishes, habits, memories, digressions or asides."""
