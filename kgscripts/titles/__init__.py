"""What titles of how-tos mean: their plain form, and the key that titles of the same activity share."""
