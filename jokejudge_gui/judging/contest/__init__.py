"""Contests: a list of jokes, ranked."""
