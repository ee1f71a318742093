"""The models that merge the steps of a scenario: an encoder of actions, and a classifier of pairs."""
