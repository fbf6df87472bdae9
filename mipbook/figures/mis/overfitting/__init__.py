"""Figures on overfitting."""
