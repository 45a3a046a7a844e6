"""The window and its tabs."""
