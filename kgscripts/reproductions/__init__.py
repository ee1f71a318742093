"""What only the three papers need: their networks, gold data, official metrics and published tables."""
