"""The package as others have it: installed into an empty environment, and in the container's recipe."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import yaml
from shared import ROOT, free_port, pins, tracked

from explorable.serve.options import read

pytestmark = pytest.mark.nightly

UV = [sys.executable, "-m", "uv", "--quiet"]
# Types for the linter of the scripts, which no installed package runs.
NOT_SHIPPED = {"explorable/panels/js/types.d.ts", "explorable/panels/js/worker/here.d.ts"}
USE = """
import json, mipbook
from mipbook import figures, tradeoff
from explorable import checks, panels
panels.Explorable(figures.mip.mip_figure_1, eta=[0.1, 0.2]).save("panel.html")
print(json.dumps([mipbook.__file__, len(checks.results()), tradeoff.gaussian_sigma(1.0, delta=1e-6)]))
"""


def run(*command, cwd=ROOT, code=0):
    """Return what a command says, of what went wrong if it must fail."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stderr if code else done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Wheel and sdist, from a copy: the build leaves its traces in the folder that it builds."""
    source = tmp_path_factory.mktemp("source")
    for path in tracked():
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    out = tmp_path_factory.mktemp("dist")
    run(*UV, "build", "--out-dir", str(out), str(source))
    return out


def test_wheel_and_sdist_hold_every_file_of_the_package_and_no_test(dist):
    files = {path.relative_to(ROOT).as_posix() for path in tracked()} - NOT_SHIPPED
    shipped = {name for name in files if name.startswith(("explorable/", "mipbook/"))}
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert shipped <= inside
    assert {name.split("/")[0].split("-")[0] for name in inside} == {"explorable", "mipbook"}
    with tarfile.open(sdist) as packed:
        assert shipped <= {name.partition("/")[2] for name in packed.getnames()}


def test_it_works_in_an_empty_environment_from_any_folder(dist, tmp_path):
    (wheel,) = dist.glob("*.whl")
    venv, away = tmp_path / "venv", tmp_path / "away"
    away.mkdir()
    programs = venv / ("Scripts" if os.name == "nt" else "bin")
    python, door = str(programs / "python"), str(programs / "mipbook")
    install = [*UV, "pip", "install", "--python", python, "--constraint", str(ROOT / "constraints.txt")]
    run(*UV, "venv", "--python", sys.executable, str(venv))
    run(*install, str(wheel))
    told = run(python, "-c", "import mipbook; print(mipbook.__version__)", cwd=away)
    assert told.strip() in wheel.name
    said = json.loads(run(python, "-m", "mipbook", "translate", "--epsilon", "3", "--json", cwd=away))
    assert said["sharp"] is True
    assert "--score" in run(door, "audit", "--help", cwd=away)
    run(*install, f"{wheel}[figures]")
    where, results, sigma = json.loads(run(python, "-c", USE, cwd=away))
    assert Path(where).is_relative_to(venv)
    assert results > 100
    assert 4 < sigma < 5
    assert "<html" in (away / "panel.html").read_text(encoding="utf-8")
    # What needs the repository says so in a line.
    for *command, told in (
        (door, "runs", "pmp", "mipbook runs: .*studies/"),
        (str(programs / "explorable"), "build", "explorable build: "),
    ):
        assert re.fullmatch(told + r"[^\n]*\n", run(*command, cwd=away, code=1)), told


# The recipe's last stage, a line a step.
LAST = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "").rpartition("\nFROM ")[2]


def steps(word: str) -> list[str]:
    return re.findall(rf"^{word} +(.*)$", LAST, flags=re.M)


def command(word: str, image: Path) -> list[str]:
    program, *rest = json.loads(re.search(r"\[.*\]", steps(word)[0])[0])
    return [str(image / program), *rest]


@pytest.fixture(scope="module")
def image():
    """A fresh folder, as the recipe's last stage leaves it; nothing in it may be written afterwards."""
    place = Path(tempfile.mkdtemp(prefix="image-"))
    place.chmod(0o755)
    work = place / "mipbook"
    book = work / "_build" / "html" / "book"
    book.mkdir(parents=True)
    (book / "index.html").write_text("<title>the book</title>")
    for *names, target in (rest.split() for rest in steps("COPY") if "--from" not in rest):
        for source in (ROOT / name for name in names):
            if source.is_dir():
                shutil.copytree(source, work / target, dirs_exist_ok=True)
            else:
                shutil.copy(source, work / target)
    venv.create(work / ".venv", symlinks=True)
    # It sees what the recipe would install in minutes, and nothing else that is here.
    (packages,) = (work / ".venv").glob("lib/python3*/site-packages")
    for distribution in map(metadata.distribution, pins("deploy/requirements.txt")):
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(str(distribution.locate_file(top)))
    (packages / "mipbook.pth").write_text(f"{work}\n")
    subprocess.run(["chmod", "-R", "a-w,a+rX", str(work)], check=True)
    yield work
    subprocess.run(["chmod", "-R", "u+w", str(work)], check=True)
    shutil.rmtree(place)


def test_the_recipe_starts_a_server_as_nobody_in_particular(image, tmp_path):
    port, number = str(free_port()), int(steps("USER")[0].split(":")[0])
    assert number >= 1000
    other = {"user": number, "group": number, "extra_groups": []} if os.geteuid() == 0 else {}
    start = [*command("ENTRYPOINT", image), "--base-url", "/mip/", "--workers", "1", "--port", port]
    looks = [word.replace("8866", port) for word in command("HEALTHCHECK", image)]
    base, log = f"http://127.0.0.1:{port}/mip/", tmp_path / "log"
    with tempfile.TemporaryDirectory() as temporary, log.open("w") as stream:
        os.chmod(temporary, 0o777)
        environment = {"PATH": os.environ["PATH"], "TMPDIR": temporary}
        server = subprocess.Popen(start, cwd=image, env=environment, stdout=stream, stderr=stream, **other)
        try:
            while subprocess.run(looks, capture_output=True, check=False).returncode:
                assert server.poll() is None, log.read_text()
                time.sleep(0.2)
            asked = Request(f"{base}figure/attack/attack-counts", b"{}", {"Content-Type": "application/json"})
            for address, said in ((f"{base}book/book/index.html", b"the book"), (asked, b'"figure"')):
                assert said in urlopen(address).read()
        finally:
            server.terminate()
            assert server.wait(30) == 0, log.read_text()


def test_the_services_are_limited_and_their_options_are_read():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    apps, https = services["apps"], services["https"]
    assert re.search(r":[\d.]+@sha256:[0-9a-f]{64}$", https["image"])
    limits = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}
    assert (limits | {"mem_limit": "1g", "pids_limit": 100}).items() <= apps.items()
    assert "ports" not in apps, "only the server in front is open"
    asked = [word.replace("${SITE:-localhost}", "apps.example.org") for word in apps["command"]]
    options = read([*command("ENTRYPOINT", ROOT)[4:], *asked])
    assert options.trust_proxy
    assert options.hosts == {"localhost", "127.0.0.1", "[::1]", "apps.example.org"}
    assert (ROOT / https["volumes"][0].split(":")[0]).is_file()
