"""The Contest tab: a list of jokes in, its ranking out."""
