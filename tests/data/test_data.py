"""Pools of the experiments: what is drawn, scaled, clipped, downloaded, clustered and counted."""

import gzip
import hashlib
import importlib
import struct
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import product
from threading import Thread

import numpy as np
import pytest
from scipy.stats import binom
from shared import refused

from mipbook import data, mis


def test_points_follow_their_law():
    drawn = data.gaussian_points(200_000, 2, 3.0, np.random.default_rng(1), centre=[1.0, -2.0])
    np.testing.assert_allclose(drawn.mean(axis=0), [1.0, -2.0], atol=0.03)
    np.testing.assert_allclose(drawn.std(axis=0), 3.0, rtol=0.01)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.01


def test_outliers_are_scaled_and_the_input_is_left_alone():
    values = np.ones((10, 3))
    scaled = data.scale_outliers(values, 2, 100.0, np.random.default_rng(2))
    assert sorted(scaled[:, 0].tolist()) == [1.0] * 8 + [100.0] * 2
    assert (values == 1).all()


def test_clipping_keeps_directions_and_short_records():
    values = np.random.default_rng(3).normal(size=(50, 4)) * 3
    clipped = data.clip_norm(values, 2.0)
    lengths = np.linalg.norm(values, axis=1)
    # A record of that length in the same direction is the only one with this product.
    np.testing.assert_allclose(np.linalg.norm(clipped, axis=1), np.minimum(lengths, 2.0))
    np.testing.assert_allclose((clipped * values).sum(axis=1), lengths * np.minimum(lengths, 2.0))
    assert (clipped[lengths <= 2] == values[lengths <= 2]).all()
    assert (data.clip_norm(values, np.inf) == values).all()


def test_directions_are_uniform():
    drawn = data.unit_vectors(50_000, 3, np.random.default_rng(4))
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1.0)
    # For a uniform direction in three dimensions each coordinate is uniform on [-1, 1].
    np.testing.assert_allclose(np.quantile(drawn[:, 0], [0.1, 0.5, 0.9]), [-0.8, 0.0, 0.8], atol=0.02)


# --- The digits, and how they are downloaded ------------------------------------------------------

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
    # The published sums of the four files; a slip in one would refuse the real download.
    sums = [checksum for _, checksum, _ in module.FILES]
    assert [checksum[:8] for checksum in sums] == ["440fcabf", "3552534a", "8d422c7b", "f7ae60f9"]
    assert [len(checksum) for checksum in sums] == [64] * 4


@pytest.fixture
def served(monkeypatch):
    """Serve small files of the four names from this machine, with their own checksums."""
    rng = np.random.default_rng(0)
    contents, files, asked = {}, [], []
    for name, _, header in module.FILES:
        count = 6 if name.startswith("train") else 2
        head, body = struct.pack(">II", 2049, count), rng.integers(0, 10, count, np.uint8)
        if "images" in name:
            head, body = struct.pack(">IIII", 2051, count, 28, 28), rng.bytes(count * 784)
        contents[name] = gzip.compress(head + bytes(body), mtime=0)
        files.append((name, hashlib.sha256(contents[name]).hexdigest(), header))

    class Door(BaseHTTPRequestHandler):
        def do_GET(self):
            content = contents[self.path[1:]]
            asked.append(self.path[1:])
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

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


def test_all_digits_are_downloaded_once_into_the_users_cache(served, monkeypatch, tmp_path):
    contents, asked = served
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    refused(r"download = False: must be True, to fetch", data.digits, "all")
    assert not asked
    found = data.digits("all", download=True)
    assert asked == [*contents]
    assert {path.name for path in (tmp_path / "mipbook").iterdir()} == set(contents)
    again = data.digits("all", cache=tmp_path / "mipbook")
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
    refused(r"download = False: must be True, to fetch", data.digits, "all", cache=tmp_path)
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


# --- Clusters and atoms ---------------------------------------------------------------------------


def test_clusters_are_found_and_applied():
    rng = np.random.default_rng(0)
    which = rng.integers(0, 3, 60)
    points = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])[which] + rng.normal(0, 0.3, (60, 2))
    found = data.discretise(points, 3, np.random.default_rng(1))
    labels = found.cluster(points)
    assert len(set(zip(labels, which, strict=True))) == len(set(labels)) == 3
    far = found.cluster([[9.0, 1.0], [1.0, 9.0], [100.0, 0.0]])
    assert far[0] == far[2] != far[1]
    assert found.apply([[9.0, 1.0]])[0] == pytest.approx([10.0, 0.0], abs=0.5)


def test_the_nearest_centroid_is_the_nearest():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(10_050, 3)).astype(np.float32)
    found = data.discretise(points[:500], 20, rng)
    distances = ((points[:, None, :] - found.centroids) ** 2).sum(axis=2)
    chosen = distances[np.arange(len(points)), found.cluster(points)]
    assert chosen == pytest.approx(distances.min(axis=1), abs=1e-4)


def test_as_many_clusters_as_records():
    every, repeated = (data.discretise([[0.0], [1.0], [5.0]], 3, np.random.default_rng(3)) for _ in "ab")
    assert every.centroids.shape == (3, 1)
    assert np.array_equal(every.centroids, repeated.centroids)


def test_atoms_are_pairs():
    clusters, labels = np.array(list(product(range(4), range(3)))).T
    assert data.atoms(clusters, labels, 3).tolist() == list(range(12))


# --- C_K from counts, and what a plug-in C_K is on average ----------------------------------------

LAW = np.array([0.5, 0.25, 0.125, 0.125])


def test_plug_in_is_the_diversity_of_the_frequencies():
    assert mis.plug_in_diversity([5, 3, 0, 2]) == pytest.approx(mis.diversity([0.5, 0.3, 0, 0.2]), abs=1e-14)
    assert mis.plug_in_diversity([7]) == mis.plug_in_diversity([0, 0, 7]) == 0.0


def test_the_jackknife_leaves_out_one_record_at_a_time():
    counts = np.array([5, 3, 0, 1, 1])
    n, one = counts.sum(), np.eye(5, dtype=int)
    without = sum(counts[k] / n * mis.plug_in_diversity(counts - one[k]) for k in np.flatnonzero(counts))
    expected = n * mis.plug_in_diversity(counts) - (n - 1) * without
    assert mis.jackknife_diversity(counts) == pytest.approx(expected, abs=1e-12)
    assert mis.jackknife_diversity([9]) == 0.0


@pytest.mark.parametrize("n", [2, 3, 5])
def test_means_are_those_over_all_data_sets(n):
    for mean, value in (
        (mis.plug_in_diversity_mean, mis.plug_in_diversity),
        (mis.jackknife_diversity_mean, mis.jackknife_diversity),
    ):
        sets = map(list, product(range(4), repeat=n))
        total = sum(np.prod(LAW[some]) * value(np.bincount(some, minlength=4)) for some in sets)
        assert mean(LAW, n) == pytest.approx(total, abs=1e-12)


def test_means_are_sums_over_all_counts_that_matter():
    """Against the sum over every count; thousands of atoms take no time."""
    rng = np.random.default_rng(5)
    for n in (2, 9, 300, 20_000):
        law = rng.dirichlet(np.array([0.01, 0.1, 1.0, 5.0, 20.0]))
        seen = np.arange(n + 1.0)
        full = (binom.pmf(seen, n, law[:, None]) @ np.sqrt(seen * (n - seen)) / n).sum()
        assert mis.plug_in_diversity_mean(law, n) == pytest.approx(full, rel=1e-12)
    start = time.process_time()
    mis.jackknife_diversity_mean(rng.dirichlet(np.ones(20_000)), 100_000)
    assert time.process_time() - start < 3, "once half a minute for a tenth of them"
    assert mis.jackknife_diversity_mean([0.0, 1.0], 10) == mis.plug_in_diversity_mean([1.0], 10) == 0.0


def test_bad_arguments_are_refused():
    rng = np.random.default_rng(4)
    refused("centre", data.gaussian_points, 2, 2, 1.0, rng, centre=[1.0])
    refused("outliers = 2", data.scale_outliers, [[1.0]], 2, 10.0, rng)
    refused("row 0 holds an infinity", data.clip_norm, [[np.inf]], 1.0)
    records = [[0.0], [0.0], [1.0]]
    refused(r"clusters = 3: must be .* \[1, different records = 2\]", data.discretise, records, 3, rng)
    refused("of 1 columns", data.discretise([[0.0], [1.0]], 2, rng).cluster, [[0.0, 1.0]])
    refused("labels", data.atoms, [0, 1], [0, 3], 3)
    refused("at least 2", mis.jackknife_diversity, [1])
    refused("n = 1", mis.jackknife_diversity_mean, LAW, 1)
    refused("p = ", mis.plug_in_diversity_mean, [0.5, 0.4], 3)
    for bad in ([0, 0], [0.5, 1.0]):
        refused("counts", mis.jackknife_diversity, bad)
