"""The meaning of the words of state changes: attributes that mean the same, and values that agree."""
