"""The window's frame: start, worker, tabs, notices, crash report."""
