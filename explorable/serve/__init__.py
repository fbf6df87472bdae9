"""The apps without a kernel a visitor: figures over HTTP from a few processes; nothing is kept."""
