"""Training with clipped gradients and noise: what each step tells, and what clipping costs."""
