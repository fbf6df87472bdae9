"""Data of the experiments: subpopulations, outliers, clipping."""

from mipbook.data.populations import clip_norm, gaussian_points, scale_outliers, unit_vectors

__all__ = ["clip_norm", "gaussian_points", "scale_outliers", "unit_vectors"]
