"""Limits of one process: seconds, memory, its place in the queue for the processor, threads."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from shared import ran
from threadpoolctl import threadpool_info, threadpool_limits

from explorable import threads
from explorable.panels.reply import SECONDS, limited
from mipbook import data, learners
from mipbook.learners.classifiers import DigitNetwork


@pytest.fixture(autouse=True)
def no_other_alarm():
    """The test run has an alarm of its own, whose handler and time must be as before."""
    handler, left = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0]
    start = time.monotonic()
    yield
    assert signal.getsignal(signal.SIGALRM) is handler
    now = signal.getitimer(signal.ITIMER_REAL)[0]
    assert (now == 0) == (left == 0)
    assert abs((left - now) - (time.monotonic() - start)) < 1 or left == 0


def test_a_short_block_has_its_own_error_and_no_alarm_follows():
    with pytest.raises(ZeroDivisionError), limited(0.2):
        divmod(1, 0)
    time.sleep(0.4)


def again(pause):
    while True:
        with limited(5):
            time.sleep(pause)


def test_a_long_block_is_stopped_and_an_outer_one_keeps_its_time():
    for outer in (0, 30):
        start = time.monotonic()
        with limited(outer), pytest.raises(TimeoutError, match=r"longer than the 0\.2 seconds"), limited(0.2):
            # In steps of Python: a loop of compiled code would never hear the alarm.
            sum(1 for _ in iter(int, 1))
        assert 0.1 < time.monotonic() - start < 2
    for pause in (0.05, 2):
        start = time.monotonic()
        with pytest.raises(TimeoutError, match=r"0\.5 seconds"), limited(0.5):
            again(pause)
        assert time.monotonic() - start < 1.5


def test_an_alarm_that_raises_nothing_leaves_the_block_its_own():
    rung = []
    handler = signal.signal(signal.SIGALRM, lambda *_: rung.append("rung"))
    before = signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(TimeoutError, match=r"0\.6 seconds"), limited(0.6):
            time.sleep(2)
    finally:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *before)
    assert rung == ["rung"]


def test_seconds_come_from_the_server_and_what_is_no_time_is_refused(monkeypatch):
    monkeypatch.setenv(SECONDS, "0.2")
    with pytest.raises(TimeoutError), limited():
        time.sleep(2)
    for wrong in ("-1", "nan"):
        monkeypatch.setenv(SECONDS, wrong)
        with pytest.raises(ValueError, match="^seconds = .*must be a real number"), limited():
            pass
    for none in ("0", ""):
        monkeypatch.setenv(SECONDS, none)
        with limited():
            time.sleep(0.3)


def test_other_threads_are_not_limited_nor_is_anything_without_alarms(monkeypatch):
    def work():
        with limited(0.1):
            time.sleep(0.3)

    with ThreadPoolExecutor(1) as apart:
        apart.submit(work).result()
    monkeypatch.delattr(signal, "setitimer")  # as on Windows
    work()


def test_memory_is_limited_and_never_given_back():
    code = """from explorable.serve.worker import limit_memory
limit_memory(700)
limit_memory(2**30)
try:
    bytearray(900 * 2**20)
except MemoryError:
    print(len(bytearray(100 * 2**20)))"""
    assert ran("-c", code, env=os.environ | dict.fromkeys(threads.NAMES, "1")).stdout == f"{100 * 2**20}\n"


# --- Numbers that are shown do not depend on how many threads the machine lends -------------------


def trained(kind):
    rng = np.random.default_rng(5)
    if kind == "relu":
        x, y = rng.normal(size=(100, 40)), rng.normal(size=100)
        learner = learners.ReluRegression(512, iterations=60)
        return learner.fit(x, y, rng=np.random.default_rng(6)).train_losses
    x = rng.normal(size=(600, 100)).astype(np.float32)
    if kind == "digits":
        network, y = DigitNetwork(128, iterations=40, learning_rate=3e-3, batch=200), rng.integers(0, 5, 600)
        network.fit(x, y, np.random.default_rng(6), show=False)
        return network.losses(x, y)
    return data.discretise(x, 10, np.random.default_rng(6)).centroids


@pytest.mark.parametrize("kind", ["relu", "digits", "clusters"])
def test_training_is_the_same_on_one_thread_and_on_two(kind):
    found = []
    for count in (1, 2):
        with threadpool_limits(count):
            found.append(trained(kind))
    assert np.array_equal(*found)
    with threadpool_limits(2), threads.one():
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
