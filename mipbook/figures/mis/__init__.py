"""The figures of Part IV, membership inference security."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.mis.discrete.diversity import diversity_band
    from mipbook.figures.mis.discrete.scallops import deviation_scallops
    from mipbook.figures.mis.discrete.signs import signs_are_enough
    from mipbook.figures.mis.discrete.slopes import three_slopes
    from mipbook.figures.mis.discrete.window import nu_window
    from mipbook.figures.mis.dp.curves import dp_security
    from mipbook.figures.mis.dp.weights import dp_weights
    from mipbook.figures.mis.means.audit_lab import EXAMPLE_TARGETS, TARGET_ROLES, audit_lab
    from mipbook.figures.mis.means.certificate import certificate
    from mipbook.figures.mis.means.digits import digit_leak
    from mipbook.figures.mis.means.dimension import mean_dimension
    from mipbook.figures.mis.means.slide import mean_slide
    from mipbook.figures.mis.mnist import mnist_table, mnist_trade_off
    from mipbook.figures.mis.mnist_lab import CLASS_ROLES, EXAMPLE_CLASSES, discretise_lab
    from mipbook.figures.mis.overfitting import markov_rectangle, mis_figure_2a, mis_figure_2b, ols_residuals
    from mipbook.figures.mis.overfitting_runs import mis_figure_1, train_and_attack
    from mipbook.figures.mis.security.pinsker import security_pinsker
    from mipbook.figures.mis.security.roc import security_roc
    from mipbook.figures.mis.security.two_laws import security_hockey

__getattr__, __dir__, __all__ = lazy.attach(__name__)
