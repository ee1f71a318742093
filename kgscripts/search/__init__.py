"""Search of a finished graph: scenarios, steps and tools by words and by meaning."""
