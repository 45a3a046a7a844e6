"""What is read off a model's hidden states by heads, without asking."""
