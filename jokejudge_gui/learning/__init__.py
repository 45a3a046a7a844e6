"""Fitting heads from people's votes and an editor's readings."""
