"""The judge held against labelled texts: figures and reports."""
