"""Fine-tuning of Hugging Face causal language models on pairs."""
