"""The evaluation of scenario detection."""
