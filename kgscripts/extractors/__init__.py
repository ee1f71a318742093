"""Parsed text -> records: sub-events, tools, participants. See `protocol` for extractors of other packages."""
