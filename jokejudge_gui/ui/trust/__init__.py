"""How far to trust a model: its card, its habits, and what the user measured."""
