"""The model engine: log-probabilities, text and hidden states from tokens, with the state of known prefixes reused."""
