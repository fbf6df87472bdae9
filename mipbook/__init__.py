"""The helper package of mipbook, the explorable book on membership-inference privacy."""

from mipbook import (
    audit,
    choose,
    data,
    explore,
    game,
    learners,
    ledger,
    mechanisms,
    mip,
    mis,
    noise,
    palette,
    pmp,
    tradeoff,
)
from mipbook.explore import Choice, Count, Explorable, File, LogSlider, Rounds, Slider, Switch

__all__ = [
    "Choice",
    "Count",
    "Explorable",
    "File",
    "LogSlider",
    "Rounds",
    "Slider",
    "Switch",
    "audit",
    "choose",
    "data",
    "explore",
    "game",
    "learners",
    "ledger",
    "mechanisms",
    "mip",
    "mis",
    "noise",
    "palette",
    "pmp",
    "tradeoff",
]
