"""Exact values of eta: any table, Laplace noise, means, mixtures of normal distributions."""
