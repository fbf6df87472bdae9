"""Scores as other tools write them, and what must never be read."""

import io
import json
import pickle
import zipfile
from itertools import product

import numpy as np
import pandas as pd
import pytest
from shared import refused
from sklearn.metrics import roc_curve

from explorable.tables import read_columns
from mipbook.game import SCORE_ROLES, read_scores_file, roc, scores_of

RNG = np.random.default_rng(3)
MEMBER = RNG.random(60) < 0.5
SCORES = np.round(RNG.standard_normal(60) + MEMBER, 2)


def privacy_meter(folder):
    """As its audit.py saves a result: numpy.savez with rates, areas, scores and memberships."""
    fpr, tpr, _ = roc_curve(MEMBER, SCORES)
    path = folder / "attack_result_average.npz"
    rates = {"fpr": fpr, "tpr": tpr, "auc": 0.7, "one_tenth_fpr": 0.1, "zero_fpr": 0.0}
    np.savez(path.with_suffix(""), **rates, scores=SCORES, memberships=MEMBER)
    return path


def leakpro(folder):
    """As its MIAResult.save dumps a result: lists of two lengths, numbers, and settings."""
    curve = roc(SCORES, MEMBER)
    told = {
        "result_name": "rmia",
        "tpr": curve.tpr[1:].tolist(),
        "fpr": curve.fpr[1:].tolist(),
        "roc_auc": curve.auc,
        "config": {"num_shadow_models": 8, "attack": "rmia", "layers": [1, 2]},
        "fixed_fpr": {"TPR@1%FPR": 0.1, "TPR@10%FPR": 0.3},
        "signal_values": SCORES.tolist(),
        "true_labels": MEMBER.astype(int).tolist(),
        **{name: curve.tp[1:].tolist() for name in ("tp", "fp", "tn", "fn", "accuracy")},
    }
    path = folder / "9f86d081884c.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


def lira(folder, models):
    """As its train.py and score.py leave them: keep.npy beside scores/0000000100.npy."""
    for model in range(models):
        run = folder / f"experiment-{model}_{models}"
        (run / "scores").mkdir(parents=True)
        np.save(run / "keep.npy", np.roll(MEMBER, model))
        for epoch in (20, 100):
            values = (np.roll(SCORES, model) * epoch / 100)[:, None] + [-1.0, 1.0]
            np.save(run / "scores" / f"{epoch:010d}.npy", values)
    return folder


def table(folder):
    path = folder / "mine.csv"
    rows = "".join(f"{s};{int(m)}\r\n" for s, m in zip(SCORES, MEMBER, strict=True))
    path.write_text("\ufeffscore;member\r\n" + rows.replace(".", ","), encoding="utf-8")
    return path


@pytest.mark.parametrize("write", [table, privacy_meter, leakpro])
def test_every_tool_gives_the_same_scores(write, tmp_path):
    read = read_scores_file(write(tmp_path))
    assert (read.scores == SCORES).all()
    assert (read.member == MEMBER).all()


def test_liras_folders_are_read_at_their_last_epoch_and_a_model_without_memberships_is_named(tmp_path):
    whole, run = lira(tmp_path, models=3), tmp_path / "experiment-0_3"
    one = read_scores_file(run)
    np.testing.assert_allclose(one.scores, SCORES, atol=1e-12)
    assert (one.member == MEMBER).all()
    alone = read_scores_file(run / "scores" / "0000000020.npy", keep=run / "keep.npy")
    np.testing.assert_allclose(alone.scores, SCORES / 5, atol=1e-12)
    every = read_scores_file(whole)
    want = np.concatenate([np.roll(SCORES, model) for model in range(3)])
    np.testing.assert_allclose(every.scores, want, atol=1e-12)
    assert every.member.sum() == 3 * MEMBER.sum()
    np.save(whole / "experiment-1_3" / "keep.npy", MEMBER[:50])
    refused(r"^experiment-1_3: 0000000100.npy is of shape", read_scores_file, whole)
    for folder in (tmp_path.parent, run / "scores"):
        refused("^path = .*folder of models, each with scores/", read_scores_file, folder)


def test_liras_arrays_in_one_file_are_read_alike(tmp_path):
    values, keep = RNG.standard_normal((4, 30, 2)), RNG.random((4, 30)) < 0.5
    np.savez(tmp_path / "both.npz", scores=values, keep=keep)
    read = read_scores_file(tmp_path / "both.npz")
    np.testing.assert_allclose(read.scores, values.mean(axis=2).ravel())
    assert (read.member == keep.ravel()).all()


def refused_as(told, path, content):
    """Check that a file of this content is refused, in few words."""
    path.write_bytes(content)
    with pytest.raises(ValueError, match=told) as caught:
        read_scores_file(path)
    assert len(str(caught.value)) <= 300


class Runs:
    """What a pickle can do to whoever reads it."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def written(save, *given, **more):
    stream = io.BytesIO()
    save(stream, *given, **more)
    return stream.getvalue()


def npz(**arrays):
    return written(np.savez, **arrays)


def torch(stream):
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Runs()))


def test_pickles_are_refused_by_whatever_name(tmp_path):
    hidden = npz(scores=np.array([1.0, None], dtype=object), memberships=np.array([True, False]))
    contents = [pickle.dumps(Runs(), protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    contents += [written(torch), written(np.save, np.array([Runs()], dtype=object)), hidden]
    for content, name in product(contents, ("a.pkl", "a.csv", "a.npz")):
        refused_as(r"pickle.* runs? .*program", tmp_path / name, content)


BOTH = npz(scores=SCORES, memberships=MEMBER)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (BOTH[:-40], "zip archive, or a damaged one"),
        (BOTH.replace(b"scores", b"scared"), "damaged|the column 'score' is missing"),
        (npz(scores=[0.5, np.nan, 1.0], memberships=[1, 0, 1]), "^entry 2, column 'scores': 'nan'"),
        (npz(scores=[0.5, 1.0, 2.0], memberships=[1, 0, 2]), "^entry 3, column 'memberships': '2'"),
        (npz(scores=SCORES), "^The file has 1 column; 2 are needed"),
        (npz(scores=SCORES, memberships=MEMBER[:20]), "^The file has 1 column; 2 are needed"),
        (npz(scores=SCORES + 1j, memberships=MEMBER), "^array 'scores' holds neither numbers"),
        (b'{"signal_values": null, "tp": 3}', "^This is JSON without a list"),
        (b'{"score": [1, null], "member": [1, 0]}', "^entry 2, column 'score': the cell is empty"),
        (b"[[1, 0], [2, 1]]", "^This is JSON without names"),
        (b"{" * 100_000, "^This is JSON|^The file"),
        (b'{"a": [' + b"[" * 100_000, "^This is JSON"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(content, told, tmp_path):
    refused_as(told, tmp_path / "mine", content)


def test_an_array_is_as_long_as_its_head_says(tmp_path):
    """A head may ask for more memory than there is; it is compared with the file first."""
    path, whole = tmp_path / "scores.npy", written(np.save, SCORES)
    more = whole.replace(b"(60,), }     ", b"(10**17,), }    ")
    much = whole.replace(b"(60,), }          ", b"(99999999999,), } ")
    for content in (whole[:-1], whole[:20], more, much):
        path.write_bytes(content)
        refused(r"scores.npy: the file is damaged or breaks off", read_scores_file, path, keep=path)


def test_a_large_file_is_refused_unread_and_a_small_archive_of_much_is_not_unpacked(tmp_path):
    path = tmp_path / "long.csv"
    with path.open("wb") as stream:
        stream.truncate(200_000_001)
    refused("^path = .*at most 200,000,000 bytes", read_scores_file, path)
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.npy", b"\0" * 201_000_000)
    assert path.stat().st_size < 300_000
    refused("unpacks to more than 200,000,000 bytes", read_scores_file, path)


def test_a_data_frame_gives_its_columns():
    for kind in ("float64", "float32", "Float64"):
        frame = pd.DataFrame({"score": SCORES, "member": MEMBER}).astype({"score": kind, "member": "boolean"})
        numbers = frame["score"].to_numpy(dtype=float)
        assert roc(frame["score"], frame["member"]).tp.tolist() == roc(numbers, MEMBER).tp.tolist()


def test_what_is_no_membership_is_refused_with_its_row():
    def read_scores(text):
        return scores_of(read_columns(text, SCORE_ROLES))

    for message, rows in (
        ("^row 4, column 'member': 'maybe' must be 1 or 0", "0.9,1\n\n0.2,maybe\n"),
        ("^row 2, column 'member': '2'", "0.9,2\n"),
        (r"^The file holds 2 members \(1\) and 0 others \(0\); at least", "0.9,1\n0.8,1\n"),
        (r"^The file holds 1 member \(1\) and 2 others", "0.9,0\n0.8,0\n0.2,1\n"),
    ):
        refused(message, read_scores, f"score,member\n{rows}")
