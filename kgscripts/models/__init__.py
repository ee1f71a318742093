"""Trained models: networks, their checkpoints, and what they predict. Inference needs torch alone."""
