from .finite import (
    exponential_probabilities,
    randomised_response,
    sampling_mechanism,
    tight_mechanism,
)
from .noise import Gaussian, Laplace, records_mean
from .sampling import Sampling

__all__ = [
    "Gaussian",
    "Laplace",
    "Sampling",
    "exponential_probabilities",
    "randomised_response",
    "records_mean",
    "sampling_mechanism",
    "tight_mechanism",
]
