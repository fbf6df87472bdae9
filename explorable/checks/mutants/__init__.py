"""A check must be able to fail: every check of the book under planted errors.

A check cell is run again and again, each time with one public function of the package that
it calls made wrong on purpose. A good check then fails. The rules:

- A value may be too large and may be too small: first by 5%, then by a factor of 2. The
  error counts as caught if a comparison fails at one of the two. A table of probabilities
  becomes sharper or flatter instead and still sums to 1; yes and no change places.
- A proven bound is planted only on its unsafe side, and made vacuous: a larger upper bound
  is still true, but a check must notice a bound that says nothing.
- A term is left out of a sum or a difference in the function's code.
- The worst record becomes the mean record: ``max`` and ``min`` in the function's module.
- Two arguments of one sort change places; ``M``, ``dimension``, ``nu`` and the like are
  ignored in favour of an easy case.

Planted means everywhere in the package, as a real error would be. A run that dies of
anything but a failed comparison proves nothing about the check and does not count, nor does
an error that changes no value in the cell; only a mean that is always the worst does count,
since such a cell never looks at a record that differs. A check may name an error that it
rightly lets through (`Check.harmless`) and plant errors of its own (`Check.plant`). A check
that calls nothing of the package counts as one that lets everything through.
"""

from explorable.checks.mutants.book import added, chapters, judge_chapters, judged, known, known_book
from explorable.checks.mutants.chapter import Chapter
from explorable.checks.mutants.errors import Error
from explorable.checks.mutants.kept import read_kept, write_kept
from explorable.checks.mutants.verdict import Tally, Verdict, judge, tallies

__all__ = [
    "Chapter",
    "Error",
    "Tally",
    "Verdict",
    "added",
    "chapters",
    "judge",
    "judge_chapters",
    "judged",
    "known",
    "known_book",
    "read_kept",
    "tallies",
    "write_kept",
]
