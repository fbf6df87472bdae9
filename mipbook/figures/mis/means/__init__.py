"""Figures on means."""
