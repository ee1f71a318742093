"""The evaluation of the parser, of events and of what takes part in them."""
