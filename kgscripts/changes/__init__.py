"""What the words of state changes mean: attributes that mean the same, and values that agree."""
