"""The numbers that all rooms speak of, with what is asked of them.

A parameter of a function under `explorable.checked.checked` has one of these types, or one of its
own: ``Annotated[int, Integer(1, 1000)]``.  The plural is an array of any shape, or a number; the
function gets an array.
"""

import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from explorable.checked import Distribution as _Distribution
from explorable.checked import Flags, Generator, Integer, Number, Numbers, Processes
from explorable.checked import Squarable as _Squarable

Array = NDArray[np.float64]
# What a function returns that broadcasts: a float where every argument is one.
Floats = float | Array

Positive = Annotated[float, Number(0.0, math.inf, open_low=True, open_high=True)]
Rate = Annotated[float, Number(0.0, 1.0)]
# A chance that is neither 0 nor 1.
Chance = Annotated[float, Number(0.0, 1.0, open_low=True, open_high=True)]
Count = Annotated[int, Integer(1)]

Epsilon = Annotated[float, Number(0.0)]
FiniteEpsilon = Annotated[float, Number(0.0, math.inf, open_high=True)]
Delta = Rate
Sigma = Positive
Sensitivity = Positive
Eta = Annotated[float, Number(0.0, 0.5, open_low=True, open_high=True)]
Confidence = Chance
# How likely a member is, or how much one counts: nu and lambda.
Weight = Chance

Rates = Annotated[Any, Numbers(0.0, 1.0)]
Chances = Annotated[Any, Numbers(0.0, 1.0, open_low=True, open_high=True)]
Epsilons = Annotated[Any, Numbers(0.0)]
Deltas = Rates
Etas = Annotated[Any, Numbers(0.0, 0.5, open_low=True, open_high=True)]
# No noise and endless noise are limits like all others, and so is a query that never changes.
Sigmas = Annotated[Any, Numbers(0.0)]
Sensitivities = Annotated[Any, Numbers(0.0, math.inf, open_high=True)]
Weights = Chances

Finite = Annotated[Any, Numbers(-math.inf, math.inf, open_low=True, open_high=True)]
FiniteVector = Annotated[Any, Numbers(-math.inf, math.inf, open_low=True, open_high=True, ndim=1)]
# Finite numbers whose squares, and their sums, are finite.
Values = Annotated[Any, _Squarable()]
# One probability vector.
Distribution = Annotated[Any, _Distribution()]
# Which records each data set holds, one a row.
Members = Annotated[Any, Flags(ndim=2)]

Rng = Annotated[np.random.Generator, Generator()]
Jobs = Annotated[int | None, Processes()]
