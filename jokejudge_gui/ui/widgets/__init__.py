"""Shared pieces of the window; none of them knows a judge or a tab."""
