"""Tokens in, log-probabilities and text out, paying only for new tokens."""
