"""State changes of events: predicted, told by verbs, rated and worded."""
