"""The vocabulary that every room speaks: records, node and relation types, the script graph."""
