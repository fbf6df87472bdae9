"""The labs, which take a reader's own file, and files for them."""

import numpy as np
import pytest

from explorable.panels import UploadedFile
from mipbook import figures, game

RNG = np.random.default_rng(7)

FOREIGN_WORDS = ("Error", "array(", "dtype", "[", "float32", "sklearn", "Traceback")

NUMBERS = RNG.normal(size=(40, 3)).round(6)


def csv(head, rows):
    return head + "\n" + "".join(",".join(f"{v:.12g}" for v in row) + "\n" for row in rows)


def own(text, **columns):
    return UploadedFile("mine.csv", text, columns)


def read(figure):
    return figure.layout.meta["read"]


SCORED = csv("id,score,member", [(i * 7 % 41, x, i % 2) for i, (x, *_) in enumerate(NUMBERS)])

CLASSED = csv("a,b,class", [(x, y, i % 2) for i, (x, y, _) in enumerate(np.tile(NUMBERS, (4, 1)))])

LABS = {
    "attack": (figures.game.attack_scores, game.SCORE_ROLES, SCORED, {}),
    "scores": (figures.game.score_audit, figures.game.AUDIT_ROLES, SCORED, {}),
    "release": (figures.mip.release_lab, figures.mip.TABLE_ROLES, csv("x", NUMBERS[:, :1]), {}),
    "audit": (figures.mis.audit_lab, figures.mis.TARGET_ROLES, csv("a,b,y", NUMBERS), {"models": 20}),
    "choose": (figures.pmp.choose_lab, figures.pmp.POOL_ROLES, csv("a,b,c", NUMBERS), {"clip": 3.0}),
    "discretise": (figures.mis.discretise_lab, figures.mis.CLASS_ROLES, CLASSED, {"clusters": 3, "n": 200}),
    "noise": (figures.mip.noise_lab, figures.mip.NUMBER_ROLES, csv("x", NUMBERS[:8, :1]), {}),
}


def lab(name, text, columns=()):
    """Draw a lab's figure of a file, which its own control takes as on its panel."""
    function, _, _, settings = LABS[name]
    return function(UploadedFile("mine.csv", text, columns), **settings)


def refusal(name, text, columns=()):
    with pytest.raises(ValueError, match=".") as caught:
        lab(name, text, columns)
    told = str(caught.value)
    assert type(caught.value) is ValueError
    assert len(told) <= 300
    assert not [word for word in FOREIGN_WORDS if word in told], told
    return told
