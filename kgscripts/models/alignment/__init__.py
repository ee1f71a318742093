"""The aligner of words: its network, and the pairs as it reads them."""
