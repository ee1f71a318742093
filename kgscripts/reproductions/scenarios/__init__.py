"""Scenarios of passages: MCScript, and the texts of Wanzare et al. (2019)."""
