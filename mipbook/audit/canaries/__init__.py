"""Audits by canaries: records put into one training run by tosses of a coin."""
