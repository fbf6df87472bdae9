"""Loaded once by the process that workers are copied from, which knows the folder of the apps."""

import contextlib
import os

from tqdm import tqdm

from explorable.serve.service.pool import FOLDER
from explorable.serve.service.worker import warm

if FOLDER in os.environ:
    # Without it no worker could start, so that nobody would be told what is wrong.
    with contextlib.suppress(Exception):
        # A copy of a process with threads may wait for one that it has not got.
        tqdm.monitor_interval = 0
        warm(os.environ[FOLDER])
