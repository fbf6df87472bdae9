"""One thread a process, for processes that share a machine."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

# What OpenMP, OpenBLAS, MKL and Apple's Accelerate read, once, when they are loaded.
NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def single() -> None:
    """Let linear algebra use one thread here and in all processes started from here.

    Many processes at once (the kernels of a class, the workers of a build) would otherwise each
    start a thread a core and wait for one another.  A number that the user set is kept.  It acts
    on what is loaded afterwards, so call it before numpy is imported.

    Examples
    --------
    >>> import os
    >>> single()
    >>> all(name in os.environ for name in NAMES)
    True
    """
    for name in NAMES:
        os.environ.setdefault(name, "1")


def one() -> AbstractContextManager[object]:
    """Let linear algebra use one thread inside the block, whatever the machine allows.

    Sums in another order differ in their last digit, and a network that is trained for long
    makes another network of it: what is printed must not depend on the number of cores.

    Examples
    --------
    >>> with one():
    ...     pass
    """
    try:
        controller = _controller(len(sys.modules))
    except ImportError:  # It comes with scikit-learn, and so do the learners that need it.
        return nullcontext()
    limits: AbstractContextManager[object] = controller.limit(limits=1)
    return limits


@lru_cache(maxsize=1)
def _controller(loaded: int) -> Any:
    """Find the libraries with threads: anew when a module was loaded, for that takes long."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
