"""The numbered results, the checks that the book runs, and the errors planted under them."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from explorable.checks.book import added, chapters, judge_chapters, judged, known, known_book, read_kept
    from explorable.checks.errors import Error
    from explorable.checks.ledger import (
        Check,
        Comparison,
        Excuse,
        FormulaRead,
        Record,
        Result,
        apart,
        read_records,
        records,
        result,
        results,
    )
    from explorable.checks.plant import Chapter, read_chapter
    from explorable.checks.verdict import Tally, Verdict, judge, tallies

__getattr__, __dir__, __all__ = lazy.attach(__name__)
