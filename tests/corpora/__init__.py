"""Tests of readers, scenarios and downloads."""
