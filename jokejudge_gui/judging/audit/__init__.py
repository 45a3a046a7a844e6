"""The judge judged: what moves its verdicts though it should not."""
