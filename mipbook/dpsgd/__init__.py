"""Training by clipped, noisy gradients (DP-SGD): what it promises, and what clipping costs."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.dpsgd.accountant import (
        certified_advantage,
        certified_delta,
        certified_epsilon,
        certified_sigma,
        limit_epsilon,
        limit_mu,
        renyi_epsilon,
    )
    from mipbook.dpsgd.clipping import (
        best_pareto_clip,
        best_sample_clip,
        divisor_advantage,
        pareto_clip_error,
        pareto_clip_guess,
        sample_clip_error,
    )
    from mipbook.dpsgd.contour import last_model_advantage, training_delta, training_epsilon
    from mipbook.dpsgd.profile import PrivacyProfile, RunReport, account

__getattr__, __dir__, __all__ = lazy.attach(__name__)
