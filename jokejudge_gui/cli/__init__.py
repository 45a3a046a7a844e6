"""The command ``jokejudge``."""

import gc

gc.set_threshold(50_000, 20, 20)  # imports create many objects and no garbage
