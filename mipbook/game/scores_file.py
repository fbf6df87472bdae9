"""An attack's scores from a file, with a message that names row and column."""

import re
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorable import private, validate
from explorable.checked import Instance, checked
from explorable.tables import Reading, Role, Table, load_table, number
from explorable.tables.cells import arrays_of, counted, listed, quoted, refuse
from explorable.tables.read import load_bytes, table_of
from explorable.tables.roles import Chosen, resolve, titles

_KNOWN_SCORES = ("score", "scores", "mia_scores", "signal_values")
SCORE_ROLES = (
    Role("score", "Score", "is the score", "is the score", known=_KNOWN_SCORES),
    Role(
        "member",
        "Member, 1 or 0",
        "says who is a member",
        "says who is a member (1 or 0)",
        known=("member", "is_member", "membership", "memberships", "true_labels", "keep"),
    ),
)
_YES, _NO = ("true", "yes", "in", "member"), ("false", "no", "out", "non-member", "nonmember")
_MEANING = {**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}
# Arrays of two kinds of records, by letters alone.
_TWO = (("members", "memberscores"), ("nonmembers", "nonmemberscores"))


class Scores(NamedTuple):
    """An attack's scores and the truth, as `mipbook.game.roc` takes them."""

    scores: NDArray[np.float64]
    member: NDArray[np.bool_]


@checked
def scores_of(reading: Annotated[Reading, Instance(Reading, "of read_columns")]) -> Scores:
    r"""Return the scores and memberships in a file whose columns are known.

    Parameters
    ----------
    reading : Reading
        With columns for `SCORE_ROLES`.  A score is a number or ``inf``, a membership one of
        1, 0, true, false, yes, no, in, out.

    Raises
    ------
    ValueError
        With the row, the column, what stands there, and what may.

    Notes
    -----
    The data behind the rates of the lecture notes, section 3.

    Examples
    --------
    >>> from explorable.tables import read_columns
    >>> text = "loss,in\n0.9,1\n0.2,0\n0.8,1\n0.3,0\n"
    >>> scores_of(read_columns(text, SCORE_ROLES, {"score": "loss", "member": "in"})).scores[0]
    np.float64(0.9)
    """
    table = reading.table
    (score,) = reading.columns["score"]
    scores = table.number_column(score, infinite=True)
    member = flags_of(reading, "member")
    inside, outside = int(member.sum()), int((~member).sum())
    if min(inside, outside) < 2:
        holds = f"The file holds {counted(inside, 'member')} (1) and {outside:,} others (0)"
        refuse(f"{holds}; at least 2 of each are needed.")
    return Scores(scores, member)


@checked
def flags_of(
    reading: Annotated[Reading, Instance(Reading, "of read_columns")], role: str
) -> NDArray[np.bool_]:
    r"""Return a column of yes and no.

    Examples
    --------
    >>> from explorable.tables import read_columns
    >>> reading = read_columns("score,member\n0.9,yes\n0.2,0\n", SCORE_ROLES)
    >>> flags_of(reading, "member").tolist()
    [True, False]
    """
    (says,) = reading.columns[validate.choice("role", role, tuple(reading.columns))]
    table = reading.table
    # A file has thousands of cells and few ways to say yes or no.
    column = table.column(says)
    meaning: dict[str, bool | None] = {cell: _member(cell, table.separator == ";") for cell in set(column)}
    if False not in meaning.values():
        # Where nobody is 0, -1 stands for out.
        meaning |= {cell: False for cell in meaning if cell in ("-1", "-1.0")}
    found = [meaning[cell] for cell in column]
    if None in found:
        place = found.index(None)
        told = "must be 1 or 0 (or true, false, yes, no, in, out)"
        table.refuse_cell(says, place, f"{quoted(column[place])} {told}")
    return np.array(found, dtype=bool)


def _member(cell: str, comma: bool) -> bool | None:
    """Return what a cell says about membership, None for anything but yes and no."""
    try:
        return {1.0: True, 0.0: False}.get(number(cell, comma=comma))
    except ValueError:
        return _MEANING.get(cell.lower())


def read_scores_file(
    path: str | Path,
    columns: Chosen = (),
    *,
    keep: str | Path | None = None,
    others: str | Path | None = None,
) -> Scores:
    """Read an attack's scores and the truth from the file that a tool wrote.

    Parameters
    ----------
    path : str or pathlib.Path
        A table of text (CSV, with commas, semicolons, tabs or blanks); JSON with lists, as
        LeakPro writes its results; arrays of NumPy (npz), as Privacy Meter writes its, or
        *members* and *nonmembers*; scores (npy) with ``keep``; or LiRA's folder, of one model
        or of all.  At most 200 MB.
    columns : mapping, or pairs, from *score* and *member* to the name of a column
        Needed where the file calls them otherwise than the tools do.
    keep : str or pathlib.Path, optional
        The npy file that says which records were in, as LiRA stores it beside the scores.
    others : str or pathlib.Path, optional
        A file of the others' scores, where ``path`` holds the members' alone.

    Returns
    -------
    Scores
        What `roc` and `certify_epsilon` take.  Larger scores mean *in*, as in the three tools.

    Raises
    ------
    ValueError
        With row and column, what stands there, and what may.  A pickle is refused, whatever
        the file is called: to read one is to run it.

    Notes
    -----
    LiRA stores a score for each augmentation of a record: they are averaged.  From a folder of
    several models each record comes once a model, and the curve is that of one threshold for
    all; the attack that fits each record's own two distributions is `mipbook.audit.lira`.

    Examples
    --------
    >>> from tempfile import gettempdir
    >>> file = Path(gettempdir(), "attack_result_0.npz")
    >>> np.savez(file, scores=[0.9, 0.2, 0.8, 0.3], memberships=[True, False, True, False])
    >>> read_scores_file(file).scores.tolist()
    [0.9, 0.2, 0.8, 0.3]
    """
    table = scores_table(path, keep, others)
    return scores_of(Reading(table, SCORE_ROLES, resolve(table, SCORE_ROLES, columns)))


def scores_table(path: str | Path, keep: Any = None, others: Any = None) -> Table:
    """Return the table in a file of scores; `read_scores_file` says which."""
    place = validate.path("path", path)
    for name, file in (("others", others), ("keep", keep)):
        if file is None:
            continue
        beside = validate.path(name, file)
        if not beside.is_file():
            validate.refuse(name, str(beside), "a file that exists")
        if name == "keep":
            return _table([place], [beside])
        return _apart([_only(place), _only(beside)], "two files")
    if not place.is_dir():
        return _two_arrays(place) or load_table(place, titles(SCORE_ROLES))
    runs = [folder for folder in (place, *sorted(place.iterdir())) if _is_run(folder)]
    if not runs:
        allowed = "a file, or a folder of models, each with scores/*.npy and keep.npy"
        raise private.told(f"path = {str(place)!r}: must be {allowed}")
    # Of several files of scores the last is of the last epoch.
    return _table([sorted((r / "scores").glob("*.npy"))[-1] for r in runs], [r / "keep.npy" for r in runs])


def _two_arrays(place: Path) -> Table | None:
    """Return the table of a file that holds members' and others' scores as two arrays; else None."""
    if place.suffix.lower() != ".npz":
        return None
    arrays = {re.sub(r"[^a-z]", "", n.lower()): a for n, a in arrays_of(load_bytes(place)).items()}
    found = [arrays.get(names[0], arrays.get(names[1])) for names in _TWO]
    if any(a is None or a.ndim != 1 for a in found):
        return None
    return _apart([a for a in found if a is not None], "arrays of NumPy: members and others")


def _only(path: Path) -> NDArray[np.float64]:
    """Return the scores in a file that holds nothing else."""
    table = load_table(path, titles(SCORE_ROLES))
    names = [name for name in table.names if name.lower() in _KNOWN_SCORES] or list(table.names)
    if len(names) > 1:
        told = f"{path.name} has {len(names)} columns ({listed(names)})"
        refuse(f"{told}; of members and others apart one is read.")
    return table.number_column(names[0], infinite=True)


def _apart(scores: list[NDArray[Any]], source: str) -> Table:
    """Return the table of members' scores and others'."""
    member = np.repeat([1, 0], [len(each) for each in scores])
    return table_of({"score": np.concatenate(scores), "member": member}, source)


def _is_run(folder: Path) -> bool:
    return (folder / "keep.npy").is_file() and any((folder / "scores").glob("*.npy"))


def _table(paths: list[Path], beside: list[Path]) -> Table:
    """Return the table of LiRA's models: a file of scores and one of memberships each."""
    scores: list[NDArray[Any]] = []
    keep: list[NDArray[Any]] = []
    for path, other in zip(paths, beside, strict=True):
        score, kept = _lone(path), _lone(other)
        # A model may have been asked about the first records only.
        kept = kept[: len(score)]
        if kept.shape != score.shape[: kept.ndim] or score.shape != (scores or [score])[0].shape:
            what = f"{path.name} is of shape {score.shape}, {other.name} of {kept.shape}"
            refuse(f"{path.parent.parent.name}: {what}; each record needs both.")
        scores.append(score)
        keep.append(kept)
    if len(paths) == 1:
        return table_of({"scores": scores[0], "keep": keep[0]}, "arrays of NumPy", titles(SCORE_ROLES))
    source = f"arrays of NumPy of {counted(len(paths), 'model')}"
    return table_of({"scores": np.stack(scores), "keep": np.stack(keep)}, source, titles(SCORE_ROLES))


def _lone(path: Path) -> NDArray[Any]:
    """Return the one array of a file."""
    try:
        arrays = list(arrays_of(load_bytes(path)).values())
    except ValueError as error:
        refuse(f"{path.name}: {error}")
    if len(arrays) != 1 or arrays[0].ndim == 0:
        refuse(f"{path.name} must hold one array with an entry for each record.")
    return arrays[0]
