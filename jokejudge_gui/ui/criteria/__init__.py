"""What jokes are judged by, and what the user changes in it."""
