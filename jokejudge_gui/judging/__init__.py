"""The two judges."""
