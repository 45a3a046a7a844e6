"""Code shared by the tabs of verdicts."""
