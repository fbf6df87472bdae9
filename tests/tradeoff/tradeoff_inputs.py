"""Extremes, and inputs drawn by Hypothesis."""

import math

from hypothesis import strategies as st

INF = math.inf
SMALLEST, LARGEST = 5e-324, 1.7976931348623157e308
epsilons = st.floats(-12, 5).map(lambda k: 10.0**k) | st.just(0.0)
sigmas = st.floats(-2.3, 6).map(lambda k: 10.0**k)
scales = st.floats(-3, 3).map(lambda k: 10.0**k)
