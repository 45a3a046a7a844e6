"""Long runs over many rows, for every door: resumable, with progress, stopped between two answers."""
