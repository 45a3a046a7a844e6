"""The Trust tab: a model's trust card, its habits, and the user's own measurements."""
