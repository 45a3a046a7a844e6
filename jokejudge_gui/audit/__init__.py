"""Audits of models: the pairs they are made on, what ships of them, reports, and what changed between two."""
