"""What is said about how far to trust a model."""
