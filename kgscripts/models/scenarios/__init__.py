"""Models of scenarios: the detector that ships, and topic tiling."""
