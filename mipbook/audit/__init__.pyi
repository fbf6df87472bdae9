from .bounds import BOUNDS, mean_lower_bound
from .canaries.alarms import false_alarm, proof_quantile
from .canaries.chances import CANARY_BOUNDS, canary_p_value
from .canaries.epsilon import canaries_needed, canary_ceiling, canary_epsilon, right_needed
from .canaries.gaussian import canary_mu
from .canaries.report import OneRun
from .canaries.run import CANARY_METHODS, many_runs, one_run, right_guesses
from .canaries.training import CanaryTraining, last_model_epsilon, train_with_canaries
from .likelihoods import LIRA_METHODS, LIRA_VARIANCES, lira, lira_in_turn, lira_scores
from .report import SecurityAudit
from .scores import ScoresAudit, audit_scores
from .security import audit_security, certify_security
from .shadows import Shadows, shadow_models

__all__ = [
    "BOUNDS",
    "CANARY_BOUNDS",
    "CANARY_METHODS",
    "LIRA_METHODS",
    "LIRA_VARIANCES",
    "CanaryTraining",
    "OneRun",
    "ScoresAudit",
    "SecurityAudit",
    "Shadows",
    "audit_scores",
    "audit_security",
    "canaries_needed",
    "canary_ceiling",
    "canary_epsilon",
    "canary_mu",
    "canary_p_value",
    "certify_security",
    "false_alarm",
    "last_model_epsilon",
    "lira",
    "lira_in_turn",
    "lira_scores",
    "many_runs",
    "mean_lower_bound",
    "one_run",
    "proof_quantile",
    "right_guesses",
    "right_needed",
    "shadow_models",
    "train_with_canaries",
]
