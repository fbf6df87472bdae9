"""Audit a learner: train it many times, attack it, and certify what the attack proves.

A certificate says that the security is *at most* something.  No data can show that it is high.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.audit.canary_bounds import (
        canaries_needed,
        canary_ceiling,
        canary_epsilon,
        canary_p_value,
        false_alarm,
        right_needed,
    )
    from mipbook.audit.canary_gaussian import canary_mu
    from mipbook.audit.canary_runs import (
        OneRun,
        last_model_epsilon,
        many_runs,
        one_run,
        right_guesses,
        train_with_canaries,
    )
    from mipbook.audit.likelihoods import lira, lira_scores
    from mipbook.audit.scores import ScoresAudit, audit_scores
    from mipbook.audit.security import (
        SecurityAudit,
        audit_security,
        betting_wealth,
        certify_security,
        mean_lower_bound,
    )
    from mipbook.audit.shadows import Shadows, shadow_models

__getattr__, __dir__, __all__ = lazy.attach(__name__)
