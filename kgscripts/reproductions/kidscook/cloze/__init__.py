"""The evaluation of the cloze task."""
