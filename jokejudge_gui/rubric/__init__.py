"""Criteria from XML, prompts as ordered segments."""
