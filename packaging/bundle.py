"""What the PyInstaller bundle starts: the same program as the command ``jokejudge``."""

import sys

from jokejudge_gui.cli.main import main

sys.exit(main())
