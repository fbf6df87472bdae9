"""The figures of the chapter on training with clipped gradients and noise."""
