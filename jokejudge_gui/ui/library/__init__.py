"""The model library."""
