"""The 200 scenarios, and documents with the scenarios of their sentences."""
