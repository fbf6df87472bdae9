"""The query 1/x, for which no scale of noise is enough, and what is exact about it."""
