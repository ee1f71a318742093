"""The extractor that asks a language model, over any endpoint that speaks OpenAI's chat completions."""
