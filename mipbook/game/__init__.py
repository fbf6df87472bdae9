"""The membership game: exact on finite mechanisms, simulated on any, and what attacks prove.

*In* means that the record in question is among the data.  The neighbour relation, adding
or removing a record or replacing it, is an argument wherever it matters.
"""

from mipbook.game.attackers import Attacker, ExactMatch, InnerProduct, LikelihoodRatio, Threshold
from mipbook.game.certificate import Certificate, certify_epsilon
from mipbook.game.coin_tracing import CoinTracing
from mipbook.game.counts import Confusion, Interval, clopper_pearson
from mipbook.game.finite import finite_rates, optimal_accuracy, optimal_decisions, output_laws, posterior
from mipbook.game.finite_curve import finite_delta, finite_epsilon, finite_roc, finite_tpr
from mipbook.game.lower_bound import epsilon_from_rates, epsilon_lower_bound
from mipbook.game.paired import auc_difference
from mipbook.game.play import NEIGHBOURS, Transcript, distributional_game, neighbouring, worst_case_game
from mipbook.game.reconstruction import reconstruction_probability, rows_recovered, sample_mean_error
from mipbook.game.roc import Roc, roc
from mipbook.game.scores_file import SCORE_ROLES, Scores, read_scores_file, scores_of
from mipbook.game.tracing import TracingAttack

__all__ = [
    "NEIGHBOURS",
    "SCORE_ROLES",
    "Attacker",
    "Certificate",
    "CoinTracing",
    "Confusion",
    "ExactMatch",
    "InnerProduct",
    "Interval",
    "LikelihoodRatio",
    "Roc",
    "Scores",
    "Threshold",
    "TracingAttack",
    "Transcript",
    "auc_difference",
    "certify_epsilon",
    "clopper_pearson",
    "distributional_game",
    "epsilon_from_rates",
    "epsilon_lower_bound",
    "finite_delta",
    "finite_epsilon",
    "finite_rates",
    "finite_roc",
    "finite_tpr",
    "neighbouring",
    "optimal_accuracy",
    "optimal_decisions",
    "output_laws",
    "posterior",
    "read_scores_file",
    "reconstruction_probability",
    "roc",
    "rows_recovered",
    "sample_mean_error",
    "scores_of",
    "worst_case_game",
]
