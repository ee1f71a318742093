"""Training of the tool predictor."""
