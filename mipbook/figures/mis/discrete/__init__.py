"""Figures on discrete data."""
