"""Speed and memory beside what they are compared to, as ratios of one run: ``python -m benchmarks``."""
