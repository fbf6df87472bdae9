"""The figures of Part I, the game."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.figures.game.from_rates import attack_backwards, attack_counts
    from mipbook.figures.game.from_reconstruction import half_sample, raised_by_a_factor
    from mipbook.figures.game.guessing import four_shares, four_spies, guess_round
    from mipbook.figures.game.lower_bounds import questions_paid, tracing, tracing_law, tracing_print
    from mipbook.figures.game.membership_game import many_rounds, own_line, same_advantage
    from mipbook.figures.game.plane import for_one, roc_plane
    from mipbook.figures.game.scores_lab import attack_scores, score_audit

__getattr__, __dir__, __all__ = lazy.attach(__name__)
