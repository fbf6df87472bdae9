"""Attacks with shadow models on the mean of normal records, where the best attack is known."""
