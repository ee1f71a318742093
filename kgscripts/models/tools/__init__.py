"""The model that ranks the tools of an event."""
