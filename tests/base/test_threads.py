"""Numbers that are shown do not depend on how many threads the machine lends."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from explorable import threads
from mipbook import data, learners
from mipbook.learners.digits import DigitNetwork


def trained(kind: str):
    rng = np.random.default_rng(5)
    if kind == "relu":
        x, y = rng.normal(size=(100, 40)), rng.normal(size=100)
        learner = learners.ReluRegression(512, iterations=60)
        return learner.fit(x, y, rng=np.random.default_rng(6)).train_losses
    x = rng.normal(size=(600, 100)).astype(np.float32)
    if kind == "digits":
        network = DigitNetwork(width=128, iterations=40, learning_rate=3e-3, batch=200)
        network.fit(x, rng.integers(0, 5, 600), np.random.default_rng(6), show=False)
        return network.training_losses
    return data.discretise(x, 10, np.random.default_rng(6)).centroids


@pytest.mark.parametrize("kind", ["relu", "digits", "clusters"])
def test_training_is_the_same_on_one_thread_and_on_two(kind):
    found = []
    for count in (1, 2):
        with threadpool_limits(count):
            found.append(trained(kind))
    assert np.array_equal(*found)


def test_one_thread_is_really_one():
    with threadpool_limits(2), threads.one():
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
