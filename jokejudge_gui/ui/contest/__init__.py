"""The Contest tab: ranks a list of jokes."""
