"""Several models as one judge: their verdicts joined by worth, and how they are divided."""
