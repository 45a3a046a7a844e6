"""The models on this computer: catalogue, download, search, and checks of their files."""
