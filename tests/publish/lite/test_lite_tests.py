"""Tests in the Python of browsers: they run there, and one that fails makes the run red."""

import lite_tests

from explorable.outputs.lite_python import Sources

TEXT = """import sys

def test_here():
    assert sys.platform == "emscripten" and sys.maxsize == 2**31 - 1

def test_elsewhere():
    assert sys.platform == "linux"
"""


def test_pytest_runs_in_the_python_of_browsers(tmp_path, capfd):
    (tmp_path / "test_there.py").write_text(TEXT, "utf-8")
    # NumPy for browsers cannot be had everywhere, and this test needs none.
    code = lite_tests.run(["/repo/test_there.py"], Sources(bare=True), tmp_path)
    said = capfd.readouterr()
    assert code == 1, said.err
    assert "test_there.py::test_elsewhere" in said.out
    assert "1 failed, 1 passed" in said.out
