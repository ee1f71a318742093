"""The meaning of titles of how-tos: their plain form, and the key that titles of the same activity share."""
