"""What all packages share: records, node and relation types, the script graph."""
