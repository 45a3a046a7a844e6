"""Which models exist here, which are recommended, is this file sound."""
