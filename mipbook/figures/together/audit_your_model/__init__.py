"""From scores of canaries to a statement about a model."""
