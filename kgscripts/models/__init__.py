"""Trained models: networks, their checkpoints and their predictions. Inference needs torch alone."""
