"""The Sphinx extension of an explorable book, and the commands that build it."""
