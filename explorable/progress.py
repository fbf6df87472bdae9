"""Progress of long work: a bar where a person can see it, nothing in a built page."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TextIO, TypeVar

from explorable import settings

T = TypeVar("T")
# Set while the book is built: panels show their static face, and the build tells how far it is.
STATIC_FACE = "STATIC"
# Told what is counted, how far it is, and how far it goes.
Listener = Callable[[str, int, int], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell ``listener`` of every step that `track` sees, as a live panel does for its page."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def static_face() -> bool:
    """Say whether panels show their static face, as they do while the book is built."""
    return bool(settings.told(STATIC_FACE))


@contextmanager
def terminal() -> Iterator[TextIO]:
    """Give the process's own stderr: what a kernel's stderr gets would stand in the page.

    While the book is built, many pages at a time, nothing is shown: the build has its own table.
    """
    if static_face():
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            yield nowhere
        return
    try:
        own = os.dup(sys.stderr.fileno())
    except (AttributeError, OSError, ValueError):
        # A kernel that watches no descriptors leaves the process's own stream in place.
        yield sys.__stderr__ or sys.stderr
        return
    with os.fdopen(own, "w", encoding="utf-8") as stream:
        yield stream


def _is_a_notebooks(stream: TextIO) -> bool:
    return stream is sys.stderr and "ipykernel" in sys.modules


@contextmanager
def reader() -> Iterator[TextIO]:
    """Give the stream that the person who runs this sees: the notebook's, or the terminal."""
    if _is_a_notebooks(sys.stderr) and not static_face():
        yield sys.stderr
    else:
        with terminal() as stream:
            yield stream


def bar(stream: TextIO, *, what: str, unit: str, **more: Any) -> Any:
    """Return a bar on ``stream``, shown once a second has passed; ``more`` is as tqdm takes it."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        # What an interrupt leaves half made is closed too, and another thread looks at what is half made.
        disable, pos, start_t, last_print_t, miniters = True, 0, 0, 0, 0

    return Bar(
        desc=f"{settings.name()} {what}",
        unit=unit,
        file=stream,
        leave=False,
        delay=1,
        # A log file is not a terminal: a line now and then tells enough.
        mininterval=0.1 if stream.isatty() or _is_a_notebooks(stream) else 10,
        **more,
    )


def track(
    items: Iterable[T],
    total: int | None = None,
    *,
    what: str,
    unit: str,
    initial: int = 0,
    place: Callable[[], AbstractContextManager[TextIO]] | None = None,
) -> Iterator[T]:
    """Yield the items with a bar; ``total`` says how many they are, where they have no length.

    It stands where the reader sees it, if no other ``place`` is given.
    """
    total = len(items) if total is None else total  # type: ignore[arg-type]
    listener = _LISTENER.get() or (lambda *_: None)
    with (place or reader)() as stream:
        with suppress(ModuleNotFoundError):  # the bar comes with the figures
            items = bar(stream, what=what, unit=f" {unit}", iterable=items, total=total, initial=initial)
        for count, item in enumerate(items, initial):
            listener(what, count, total)
            yield item
