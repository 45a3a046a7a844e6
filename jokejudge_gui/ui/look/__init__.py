"""Colours, type and words of the window."""
