"""A clock that a busy machine does not push on: the processor's seconds, ended children's too."""

import resource
import time


def processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
