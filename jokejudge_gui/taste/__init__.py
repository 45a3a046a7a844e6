"""The user's own votes, and the taste they show."""
