"""Membership inference security: weights, divergences, the game, finite learners."""
