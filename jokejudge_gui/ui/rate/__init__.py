"""The Rate tab."""
