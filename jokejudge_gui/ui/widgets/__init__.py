"""Shared widgets of the window, independent of judge and tabs."""
