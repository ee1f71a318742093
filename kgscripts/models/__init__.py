"""Trained models: networks, their checkpoints and their predictions. They run without torch."""
