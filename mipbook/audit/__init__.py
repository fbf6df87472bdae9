"""Audit a learner: train it many times, attack it, and certify what the attack proves.

A certificate says that the security is *at most* something.  No data can show that it is high.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.audit.bounds import BOUNDS, mean_lower_bound
    from mipbook.audit.canaries.alarms import false_alarm, proof_quantile
    from mipbook.audit.canaries.chances import CANARY_BOUNDS, canary_p_value
    from mipbook.audit.canaries.epsilon import canaries_needed, canary_ceiling, canary_epsilon, right_needed
    from mipbook.audit.canaries.gaussian import canary_mu
    from mipbook.audit.canaries.report import OneRun
    from mipbook.audit.canaries.run import CANARY_METHODS, many_runs, one_run, right_guesses
    from mipbook.audit.canaries.training import CanaryTraining, last_model_epsilon, train_with_canaries
    from mipbook.audit.likelihoods import LIRA_METHODS, LIRA_VARIANCES, lira, lira_in_turn, lira_scores
    from mipbook.audit.report import SecurityAudit
    from mipbook.audit.scores import ScoresAudit, audit_scores
    from mipbook.audit.security import audit_security, certify_security
    from mipbook.audit.shadows import Shadows, shadow_models

__getattr__, __dir__, __all__ = lazy.attach(__name__)
