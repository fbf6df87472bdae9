"""The figures of Part IV, membership inference security."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.mis.audit import EXAMPLE_TARGETS, TARGET_ROLES, audit_bets, audit_lab, audit_peek
    from mipbook.figures.mis.dimension import mis_figure_2a, mis_figure_2a_adam, mis_figure_2b
    from mipbook.figures.mis.discrete import diversity_band, ever_more_cities, ten_cities, three_slopes
    from mipbook.figures.mis.dp import dp_security, one_bit, whose_coin
    from mipbook.figures.mis.means import mean_plank, mean_slide
    from mipbook.figures.mis.mnist import mnist_table, mnist_trade_off, mnist_training, mnist_weights
    from mipbook.figures.mis.mnist_lab import CLASS_ROLES, EXAMPLE_CLASSES, discretise_lab
    from mipbook.figures.mis.overfitting import a_model_remembers, least_squares_leaks, two_mistakes
    from mipbook.figures.mis.overfitting_runs import mis_figure_1, mis_figure_1_vary, train_and_attack
    from mipbook.figures.mis.security import security_robot, security_roc

__getattr__, __dir__, __all__ = lazy.attach(__name__)
