from .bounds import dp_accuracy, dp_tpr, hockey_stick
from .calibrate import gaussian_epsilon, gaussian_sigma
from .gaussian import gaussian_advantage, gaussian_delta, gaussian_tpr

__all__ = [
    "dp_accuracy",
    "dp_tpr",
    "gaussian_advantage",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sigma",
    "gaussian_tpr",
    "hockey_stick",
]
