"""The membership game: exact on finite mechanisms, simulated on any, and what attacks prove.

*In* means that the record in question is among the data.  The neighbour relation, adding
or removing a record or replacing it, is an argument wherever it matters.
"""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.game.counts import Confusion, clopper_pearson, epsilon_from_rates, epsilon_lower_bound
    from mipbook.game.curve import Certificate, Roc, auc_difference, certify_epsilon, roc
    from mipbook.game.finite import (
        finite_delta,
        finite_epsilon,
        finite_rates,
        finite_roc,
        finite_tpr,
        optimal_accuracy,
        optimal_decisions,
        posterior,
    )
    from mipbook.game.play import (
        NEIGHBOURS,
        Attacker,
        ExactMatch,
        InnerProduct,
        distributional_game,
        neighbouring,
        reconstruction_probability,
        rows_recovered,
        sample_mean_error,
        worst_case_game,
    )
    from mipbook.game.scores_file import SCORE_ROLES, Scores, read_scores_file, scores_of
    from mipbook.game.tracing import CoinTracing, TracingAttack

__getattr__, __dir__, __all__ = lazy.attach(__name__)
