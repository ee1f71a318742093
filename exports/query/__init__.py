"""Queries that only read: guards, confined processes and limits."""
