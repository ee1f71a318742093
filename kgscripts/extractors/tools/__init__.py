"""The tools of events, named or carried along."""
