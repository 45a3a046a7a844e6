"""The Duel tab."""
