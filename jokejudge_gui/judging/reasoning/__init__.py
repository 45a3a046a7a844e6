"""Deep mode's tree: what is in doubt is read again, independently, until it is settled or the budget is spent."""
