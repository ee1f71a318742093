"""What networks of torch share: the pretrained encoder, its adapters, and predictions that no batch changes."""
