"""Other ways to ask a local model the questions of a verdict."""
