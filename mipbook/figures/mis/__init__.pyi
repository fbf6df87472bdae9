from .discrete.diversity import diversity_band
from .discrete.scallops import deviation_scallops
from .discrete.signs import signs_are_enough
from .discrete.slopes import three_slopes
from .discrete.window import nu_window
from .dp.curves import dp_security
from .dp.weights import dp_weights
from .means.audit_lab import EXAMPLE_TARGETS, TARGET_ROLES, audit_lab
from .means.certificate import certificate
from .means.digits import digit_leak
from .means.dimension import mean_dimension
from .means.slide import mean_slide
from .mnist.bias import plug_in_bias
from .mnist.lab import CLASS_ROLES, EXAMPLE_CLASSES, discretise_lab
from .mnist.table import mnist_table
from .mnist.trade_off import mnist_trade_off
from .overfitting.dimension import mis_figure_2a, mis_figure_2b
from .overfitting.figure_1 import mis_figure_1
from .overfitting.markov import markov_rectangle
from .overfitting.ols import ols_residuals
from .overfitting.stopping import stopping_law
from .overfitting.training import train_and_attack
from .security.pinsker import security_pinsker
from .security.roc import security_roc
from .security.two_laws import security_hockey

__all__ = [
    "CLASS_ROLES",
    "EXAMPLE_CLASSES",
    "EXAMPLE_TARGETS",
    "TARGET_ROLES",
    "audit_lab",
    "certificate",
    "deviation_scallops",
    "digit_leak",
    "discretise_lab",
    "diversity_band",
    "dp_security",
    "dp_weights",
    "markov_rectangle",
    "mean_dimension",
    "mean_slide",
    "mis_figure_1",
    "mis_figure_2a",
    "mis_figure_2b",
    "mnist_table",
    "mnist_trade_off",
    "nu_window",
    "ols_residuals",
    "plug_in_bias",
    "security_hockey",
    "security_pinsker",
    "security_roc",
    "signs_are_enough",
    "stopping_law",
    "three_slopes",
    "train_and_attack",
]
