"""Questions to the model: asked in batches, answered by logits."""
