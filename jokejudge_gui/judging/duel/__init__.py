"""The duel judge: both orders, each joke alone, and the audience."""
