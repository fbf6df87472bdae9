"""The same questions to other accountants, in environments of their own, against the truth."""

from typing import TYPE_CHECKING

from explorable import lazy

if TYPE_CHECKING:
    from mipbook.runs.other_tools.collect import RUNS
    from mipbook.runs.other_tools.record import ROUNDING, ToolAnswer, tool_answers, tool_versions

__getattr__, __dir__, __all__ = lazy.attach(__name__)
