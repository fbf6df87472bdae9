"""A server of figures without kernels."""
