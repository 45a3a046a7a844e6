"""What the tabs of a verdict share."""
