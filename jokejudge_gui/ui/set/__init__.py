"""A set for the stage."""
