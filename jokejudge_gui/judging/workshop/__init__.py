"""Versions of one joke: what each change did, and which is the best so far."""
