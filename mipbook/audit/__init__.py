"""Audit a learner: train it many times, attack it, and certify what the attack proves.

A certificate says that the security is *at most* something.  No data can show that it is high.
"""

from mipbook.audit.bounds import BOUNDS, mean_lower_bound
from mipbook.audit.report import SecurityAudit
from mipbook.audit.security import audit_security, certify_security
from mipbook.audit.shadows import Shadows, shadow_models

__all__ = [
    "BOUNDS",
    "SecurityAudit",
    "Shadows",
    "audit_security",
    "certify_security",
    "mean_lower_bound",
    "shadow_models",
]
