"""The plan of a training run: the reader's norms, and what the accountant says of the plan."""

import pytest

from explorable.panels.controls import UploadedFile
from mipbook import dpsgd, figures
from mipbook.stored import accounting as runs


@pytest.mark.parametrize("text", ["norm\n1\n-2\n3", "norm\n0\n0\n0"])
def test_a_file_without_norms_is_refused(text):
    with pytest.raises(ValueError, match="norms"):
        figures.together.clip_lab(UploadedFile("norms.csv", text))


def test_a_stored_plan_is_what_is_computed():
    at = (1000, 500, 10)
    assert runs.plan(*at, 2.0) == pytest.approx(runs._plan(*at, 2.0), rel=1e-9)
    assert runs.plan(*at, 1.1)[1] > runs.plan(*at, 2.0)[1] + 0.1
    noise = dpsgd.certified_sigma(*runs.schedule(*at), 8.0, 1e-5)
    assert runs.needed(*at, 8.0) == pytest.approx(noise, rel=1e-9)
