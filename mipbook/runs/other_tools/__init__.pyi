from .collect import RUNS
from .record import ROUNDING, ToolAnswer, tool_answers, tool_versions

__all__ = ["ROUNDING", "RUNS", "ToolAnswer", "tool_answers", "tool_versions"]
