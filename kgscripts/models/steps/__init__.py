"""The models that merge the steps of a scenario: an encoder of actions, and a classifier of pairs."""

LEAST_COSINE = 0.7
"""Two actions whose words have a smaller cosine are never joined, whatever the classifier of pairs says of their places
and companions."""
