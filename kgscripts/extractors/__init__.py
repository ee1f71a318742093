"""Parsed text -> records: events, tools, participants. See `protocol` for extractors of other packages."""
