"""Tests of corrections that people type, and of what the graph suggests to them."""
