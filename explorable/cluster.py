"""Long sweeps on a Dask cluster."""

from __future__ import annotations

from explorable import validate


def use_dask(address: str) -> None:
    """Send what goes through ``joblib`` in this process to a Dask cluster from now on.

    Its workers need the same packages, and what a sweep calls must be importable there.

    Parameters
    ----------
    address : str
        The scheduler's, such as ``tcp://scheduler:8786``; nothing stays here.

    Raises
    ------
    ValueError
        For what is no address.

    Examples
    --------
    >>> use_dask("")
    """
    if not address:
        return
    if "://" not in address:
        validate.refuse("dask", address, "an address such as tcp://scheduler:8786")
    import joblib
    from distributed import Client

    Client(address)
    joblib.parallel_config(backend="dask")
