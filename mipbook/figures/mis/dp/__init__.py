"""Figures on differential privacy and security."""
