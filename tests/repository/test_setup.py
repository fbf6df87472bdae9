"""`make setup` makes a whole environment or none, and says in one line what is missing."""

import ast
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import setup
from shared import ROOT

FILES = ("Makefile", "pyproject.toml", "tools/setup.py", "deploy/uv.txt")
# Python's own, when started with these words in front of the script, says that it is another.
AS_OTHER = """exec {python} -c '
import runpy, sys
sys.version_info = {version}
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")' "$@" """


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Give a copy of what the set-up reads; it asks for no package, so that pip has no work."""
    clone = tmp_path / "clone"
    for folder in ("tools", "deploy"):
        (clone / folder).mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, clone / name)
    for name in ("requirements.txt", "requirements.lock"):
        (clone / name).write_text("# nothing\n", encoding="utf-8")
    return clone


def make(copy: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make as a reader does, not as a part of the make that runs these tests."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    inherited.pop("PYTHON", None)
    # No test asks a package index.
    inherited |= {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    inherited |= {"PIP_RETRIES": "1", "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}
    command = ["make", "setup", *arguments]
    return subprocess.run(
        command, cwd=copy, env=inherited | environment, capture_output=True, text=True, check=False
    )


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Everything that was said, without make's own last word."""
    lines = (done.stdout + done.stderr).splitlines()
    return [line for line in lines if not line.startswith("make: ***")]


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def this_python(copy: Path, version: tuple[int, int, int] = sys.version_info[:3]) -> str:
    return program(copy / "python", AS_OTHER.format(python=sys.executable, version=version))


def test_the_setup_can_be_read_by_an_old_python():
    text = (ROOT / "tools" / "setup.py").read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 6))
    imported = {
        (getattr(node, "module", None) or node.names[0].name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported <= sys.stdlib_module_names - {"tomllib"}


def test_a_missing_python_is_named(copy):
    done = make(copy, "PYTHON=no-such-python")
    assert done.returncode != 0
    assert said(done) == [
        "Python is missing. Install Python 3.11 or newer, for instance: apt-get install python3 python3-venv"
    ]


def test_an_old_python_is_named(copy):
    python = this_python(copy, (3, 10, 4))
    done = make(copy, f"PYTHON={python}")
    assert done.returncode != 0
    (line,) = said(done)
    assert line.startswith("Python 3.11 or newer is needed, and ")
    assert "is Python 3.10.4. Name another: make PYTHON=" in line
    assert not (copy / ".venv").exists()


def test_a_newer_python_is_taken_where_none_is_named(copy, tmp_path):
    old, new, tools = tmp_path / "old", tmp_path / "new", tmp_path / "bin"
    for folder in (old, new, tools):
        folder.mkdir()
    for name in ("make", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    this_python(old, (3, 9, 2))
    (old / "python").rename(old / "python3")
    program(old / "python3.13", "exit 127")  # a shim for a Python that is not there
    program(new / "python3.12", f'echo taken; exec {sys.executable} "$@"')
    done = make(copy, PATH=os.pathsep.join(map(str, (old, new, tools))))
    assert done.returncode == 0, said(done)
    assert "taken" in said(done)
    assert setup.is_ready(copy, named=False)


@pytest.mark.parametrize(
    ("fake", "line"),
    [
        ('case "$3" in *.venv) echo "No module named venv"; exit 1;; esac', "python3-venv"),
        (
            'case "$3" in *.venv) mkdir -p "$3"; echo "ensurepip is not available"; exit 1;; esac',
            "Python's venv is missing. Install it, for instance: apt-get install python3-venv",
        ),
    ],
)
def test_a_missing_venv_is_named(copy, fake, line):
    text = f"import sys; sys._base_executable = {str(copy / 'fake')!r}; import setup; setup.main()"
    program(copy / "fake", fake)
    path = {"PYTHONPATH": str(copy / "tools")}
    done = subprocess.run(
        [sys.executable, "-c", text], env=os.environ | path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert line in said(done)[-1]
    assert not (copy / ".venv").exists(), "a half-made environment is left"


def test_without_a_network_one_line_says_so_and_nothing_is_left(copy):
    (copy / "requirements.txt").write_text("no-such-package==1.0\n", encoding="utf-8")
    done = make(copy)
    assert done.returncode != 0
    assert said(done)[1:] == [
        "Set-up failed: the package index cannot be reached. "
        "Connect to the network and try again. The whole log is _build/setup.log."
    ]
    assert not (copy / ".venv").exists(), "a half-made environment is left"
    assert "no-such-package" in (copy / "_build" / "setup.log").read_text(encoding="utf-8")


@pytest.fixture
def quick(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a quick script make the environment; its pip fails where there is a file ``broken``."""
    inside = f'#!/bin/sh\necho "$2 $*" >>{copy / "asked"}; case "$2" in\n'
    inside += "uv) test ! -e no-uv -a ! -e broken; exit;;\npip) test ! -e broken; exit;; esac\n"
    inside += f'exec {sys.executable} "$@"'
    makes = f"mkdir -p $3/bin; cat >$3/bin/python <<'END'\n{inside}\nEND\nchmod +x $3/bin/python"
    monkeypatch.setattr(sys, "_base_executable", program(copy / "fake", makes))
    (copy / "_build").mkdir()
    return copy


def test_a_whole_environment_is_kept(quick):
    assert not setup.is_ready(quick, named=False)
    setup.make(quick)
    assert setup.is_ready(quick, named=False)
    assert setup.is_ready(quick, named=True)


def asked(root: Path) -> list[str]:
    """What the set-up asked of which installer."""
    lines = (root / "asked").read_text(encoding="utf-8").splitlines()
    return [line.partition(" ")[0] for line in lines if " install " in line]


def test_uv_installs_what_is_pinned_and_pip_where_uv_cannot(quick):
    setup.make(quick)
    assert asked(quick) == ["pip", "uv", "uv"], "pip installs uv, uv the rest, then the package"
    (quick / "asked").unlink()
    (quick / "no-uv").touch()
    setup.make(quick)
    assert asked(quick) == ["pip", "uv", "pip", "pip"]
    assert setup.is_ready(quick, named=False)


def test_uv_takes_over_what_is_set_for_pip():
    told = "\n".join(
        [
            "global.index-url='https://one.example/simple'",
            "global.extra-index-url='\\nhttps://two.example/simple\\nhttps://three.example'",
            ":env:.find-links='/a /b'",
            "global.timeout='60'",
        ]
    )
    found = setup.uv_settings(told)
    assert found["UV_DEFAULT_INDEX"] == "https://one.example/simple"
    assert found["UV_INDEX"].split() == ["https://two.example/simple", "https://three.example"]
    assert found["UV_FIND_LINKS"] == "/a,/b"
    assert not {"UV_NO_INDEX", "SSL_CERT_FILE"} & set(found)


def test_a_setup_that_fails_leaves_what_was_there(quick):
    (quick / "broken").touch()
    with pytest.raises(subprocess.CalledProcessError):
        setup.make(quick)
    assert not (quick / ".venv").exists(), "a half-made environment is left"
    (quick / "broken").unlink()
    setup.make(quick)
    (quick / ".venv" / "of old").touch()
    (quick / "broken").touch()
    with pytest.raises(subprocess.CalledProcessError):
        setup.make(quick)
    assert (quick / ".venv" / "of old").exists()
    assert setup.is_ready(quick, named=True)
    (quick / "broken").unlink()
    setup.make(quick)
    assert not (quick / ".venv" / "of old").exists()
    assert not (quick / ".venv.old").exists()


@pytest.mark.parametrize(
    ("name", "text", "counts"),
    [
        ("requirements.txt", "numpy==2.4.6", True),
        ("requirements.lock", "numpy==2.4.6", True),
        ("pyproject.toml", "[tool.ruff]\nline-length = 88", False),
    ],
)
def test_other_pins_ask_for_another_environment(quick, name, text, counts):
    setup.make(quick)
    with (quick / name).open("a", encoding="utf-8") as stream:
        stream.write(f"{text}\n")
    assert setup.is_ready(quick, named=False) != counts


def test_another_python_or_place_asks_for_another_environment(quick, monkeypatch, tmp_path):
    setup.make(quick)
    digest, made_by = (quick / ".venv" / "ready").read_text(encoding="utf-8").splitlines()
    (quick / ".venv" / "ready").write_text(f"{digest}\n{made_by} elsewhere\n", encoding="utf-8")
    assert setup.is_ready(quick, named=False), "no Python was named, so this one may stay"
    assert not setup.is_ready(quick, named=True)
    # The system's Python was replaced, and does not see the packages of the one before.
    (quick / ".venv" / "ready").write_text(f"{digest}\n3.1.0 /usr\n", encoding="utf-8")
    assert not setup.is_ready(quick, named=False)
    setup.make(quick)
    moved = shutil.copytree(quick, tmp_path / "moved")
    assert setup.is_ready(quick, named=True)
    assert not setup.is_ready(moved, named=False), "programs in it name the old place"
    (quick / ".venv" / "bin" / "python").unlink()
    assert not setup.is_ready(quick, named=False)


def test_a_link_to_an_environment_is_replaced_and_its_end_stays(quick, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "of others").touch()
    (quick / ".venv").symlink_to(tmp_path / "shared")
    setup.make(quick)
    assert not (quick / ".venv").is_symlink()
    assert not (quick / ".venv.old").is_symlink()
    assert (tmp_path / "shared" / "of others").exists()


@pytest.fixture
def slow_pip(copy: Path) -> Callable[[], subprocess.Popen[str]]:
    """Start a set-up that hangs after the environment was made, and wait until it does."""

    def start() -> subprocess.Popen[str]:
        text = "import sys; sys._base_executable = sys.argv[1]; import setup; setup.main()"
        hangs = "mkdir -p $3/bin; ln -s /bin/sleep $3/bin/python; touch $3/made; exec sleep 600"
        process = subprocess.Popen(
            [sys.executable, "-c", text, program(copy / "hangs", hangs)],
            env=os.environ | {"PYTHONPATH": str(copy / "tools")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # Who runs the tests in the background may have had interrupts ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        for _ in range(600):
            if (copy / ".venv" / "made").exists():
                return process
            time.sleep(0.05)
        raise AssertionError("the set-up did not start")

    return start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_setup_leaves_nothing(copy, slow_pip, number):
    process = slow_pip()
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    assert "Traceback" not in out
    assert not (copy / ".venv").exists()


def test_a_killed_setup_does_not_pass_for_a_whole_one(quick, slow_pip):
    (quick / ".venv").mkdir()
    (quick / ".venv" / "of old").touch()
    process = slow_pip()
    process.kill()
    process.communicate(timeout=60)
    assert (quick / ".venv" / "made").exists()
    assert not setup.is_ready(quick, named=False)
    (quick / "broken").touch()
    with pytest.raises(subprocess.CalledProcessError):
        setup.make(quick)
    assert (quick / ".venv" / "of old").exists()
    (quick / "broken").unlink()
    setup.make(quick)
    assert setup.is_ready(quick, named=False)
    assert not (quick / ".venv" / "made").exists()
    assert not (quick / ".venv.old").exists()


def test_of_two_setups_at_once_one_waits(quick):
    text = "import sys; sys._base_executable = sys.argv[1]; import setup; setup.main()"
    command = [sys.executable, "-c", text, str(quick / "fake")]
    path = os.environ | {"PYTHONPATH": str(quick / "tools")}
    with (quick / "_build" / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        both = [subprocess.Popen(command, env=path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        time.sleep(1)
        assert not (quick / ".venv").exists()
    lines = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum("Setting up" in out for out in lines) == 1


@pytest.mark.parametrize(
    ("log", "line"),
    [
        (
            "Collecting a\nERROR: Ignored the following versions: 3\n"
            "ERROR: No matching distribution found for a==4\nWARNING: new pip",
            "ERROR: No matching distribution found for a==4",
        ),
        (
            "ERROR: Cannot install a and b because they conflict.\nThe user requested a==1\n"
            "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io",
            "ERROR: Cannot install a and b because they conflict.",
        ),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("SSLError(SSLCertVerificationError: CERTIFICATE_VERIFY_FAILED)", "PIP_CERT"),
        ("Killed", "Killed"),
        ("", "nothing was printed"),
    ],
)
def test_the_reason_is_the_line_that_matters(log, line):
    assert line in setup.reason(log)
    assert "\n" not in setup.reason(log)
