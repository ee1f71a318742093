"""The reader: one encoder over a text that finds events, their reality, the things in them and what they refer to."""
