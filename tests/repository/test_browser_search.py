"""The browser for the tests: what is said where there is none."""

import sys

import browser as finder
import pytest

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize(
    ("failures", "line"),
    [
        ({finder.OWN: "Executable doesn't exist"}, finder.NONE),
        ({"chrome": "closed", finder.OWN: ""}, f"{finder.NONE} These do not start: chrome."),
        (
            {finder.OWN: "Host system is missing dependencies to run browsers."},
            f"as root: {sys.executable} -m playwright install-deps chromium",
        ),
        (
            {"chrome": "error while loading shared libraries: libnss3.so", finder.OWN: ""},
            "(chrome) lacks libraries of the system",
        ),
    ],
)
def test_the_advice_is_one_line(failures, line):
    assert line in finder.advice(failures)
    assert "\n" not in finder.advice(failures)
