"""What is known of a model's answers, and so what is worth asking it."""
