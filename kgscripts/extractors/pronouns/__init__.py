"""What pronouns refer to."""
