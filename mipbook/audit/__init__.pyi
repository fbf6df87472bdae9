from .bounds import BOUNDS, mean_lower_bound
from .report import SecurityAudit
from .security import audit_security, certify_security
from .shadows import Shadows, shadow_models

__all__ = [
    "BOUNDS",
    "SecurityAudit",
    "Shadows",
    "audit_security",
    "certify_security",
    "mean_lower_bound",
    "shadow_models",
]
