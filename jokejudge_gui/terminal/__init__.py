"""The terminal's commands; ``jokejudge_gui.cli`` is their entrance."""
