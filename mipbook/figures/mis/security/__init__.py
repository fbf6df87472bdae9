"""Figures on security itself."""
