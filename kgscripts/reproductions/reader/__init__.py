"""What the reader learns from."""
