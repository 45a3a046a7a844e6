"""The criteria of the judge, and the user's changes to them."""
