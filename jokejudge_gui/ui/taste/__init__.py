"""The user's own taste: votes, and what they say."""
