"""Figures on the digits."""
