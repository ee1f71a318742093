"""Readers, scenarios, fetching."""
