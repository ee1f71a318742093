"""Parsed text -> records: sub-events, tools, participants. See `protocol` for the door open to third parties."""
