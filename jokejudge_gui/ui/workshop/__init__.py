"""The Versions tab: one joke, worked on."""
