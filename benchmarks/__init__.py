"""Speed beside what it is compared to, as ratios of one run: ``python -m benchmarks``."""
