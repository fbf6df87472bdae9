"""A new chapter: the skeleton of its files, and what is still missing in them."""
