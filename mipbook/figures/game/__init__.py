"""The figures of Part I, the game."""

from mipbook.figures.game.four_notions import four_notions
from mipbook.figures.game.from_rates import attack_backwards, attack_counts
from mipbook.figures.game.from_scores import EXAMPLE_SCORES, attack_scores, example_scores
from mipbook.figures.game.guess_round import guess_round
from mipbook.figures.game.half_sample import half_sample
from mipbook.figures.game.roc_plane import roc_plane
from mipbook.figures.game.same_advantage import same_advantage
from mipbook.figures.game.scores_lab import AUDIT_ROLES, EXAMPLE_AUDITS, score_audit
from mipbook.figures.game.tracing import tracing, tracing_print
from mipbook.figures.game.tracing_law import tracing_law
from mipbook.figures.game.two_games import two_games

__all__ = [
    "AUDIT_ROLES",
    "EXAMPLE_AUDITS",
    "EXAMPLE_SCORES",
    "attack_backwards",
    "attack_counts",
    "attack_scores",
    "example_scores",
    "four_notions",
    "guess_round",
    "half_sample",
    "roc_plane",
    "same_advantage",
    "score_audit",
    "tracing",
    "tracing_law",
    "tracing_print",
    "two_games",
]
