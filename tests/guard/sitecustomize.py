"""Python imports this at start in every process that a test starts (conftest.py puts this folder on PYTHONPATH)."""

import no_network

no_network.install()
