"""Figures of one release in every reading."""
