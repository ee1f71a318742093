"""Checkpoints for kgscripts, one a folder; it finds them by the entry points `kgscripts.models`."""
