"""Every verdict, searchable, in one SQLite file."""
