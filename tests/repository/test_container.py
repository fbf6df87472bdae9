"""The container's recipe, carried out here command by command where no container can run."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from shared import ROOT, free_port, pins

from explorable.serve.options import read

pytestmark = pytest.mark.nightly

Step = tuple[str, str]


def stages(text: str) -> list[list[Step]]:
    """The recipe's steps, one list a stage."""
    joined = re.sub(r"\\\n\s*", "", text)
    steps = [tuple(line.split(" ", 1)) for line in joined.splitlines() if line[:1] not in {"", "#"}]
    found: list[list[Step]] = []
    for word, rest in steps:
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest))
    return found


STAGES = stages((ROOT / "Dockerfile").read_text(encoding="utf-8"))
LAST = STAGES[-1]


def steps(word: str) -> list[str]:
    return [rest for each, rest in LAST if each == word]


def copy(rest: str, work: Path) -> None:
    """Carry out a COPY: files into the folder, or a folder's content into a folder."""
    *names, target = rest.split()
    for name in names:
        source, place = ROOT / name, work / target
        if source.is_dir():
            skip = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(source, place, dirs_exist_ok=True, ignore=skip)
        else:
            shutil.copy(source, place)


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """A fresh folder, made by the recipe's last stage; nothing in it may be written afterwards."""
    place = Path(tempfile.mkdtemp(prefix="image-"))
    place.chmod(0o755)
    work, tools = place / "mipbook", place / "bin"
    work.mkdir()
    tools.mkdir()
    (tools / "python").symlink_to(Path(sys.base_prefix, "bin", f"python3.{sys.version_info[1]}"))
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    environment["PATH"] = f"{tools}{os.pathsep}{environment['PATH']}"
    for word, rest in LAST:
        if word == "COPY" and rest.startswith("--from=book"):
            built = work / rest.split()[-1]
            (built / "book").mkdir(parents=True)
            (built / "book" / "index.html").write_text("<title>the book</title>")
        elif word == "COPY":
            copy(rest, work)
        elif word == "RUN" and "pip install" in rest:
            link_installed(work / ".venv", work)
        elif word == "RUN":
            subprocess.run(rest, shell=True, cwd=work, env=environment, check=True)
    subprocess.run(["chmod", "-R", "a-w,a+rX", str(work)], check=True)
    yield work
    subprocess.run(["chmod", "-R", "u+w", str(work)], check=True)
    shutil.rmtree(place)


def link_installed(venv: Path, work: Path) -> None:
    """Let an environment see what the recipe would install in minutes, and nothing else that is here."""
    (packages,) = venv.glob("lib/python3*/site-packages")
    for name in pins("deploy/requirements.txt"):
        distribution = metadata.distribution(name)
        for file in distribution.files or []:
            top = file.parts[0]
            if top != ".." and top != "__pycache__" and not (packages / top).exists():
                (packages / top).symlink_to(str(distribution.locate_file(top)))
    (packages / "mipbook.pth").write_text(f"{work}\n")


@contextlib.contextmanager
def running(image: Path, *options: str) -> Iterator[int]:
    """Start what the container starts, as the user that it names, where we may become that."""
    port, (user,) = free_port(), steps("USER")
    start = [*json.loads(steps("ENTRYPOINT")[0]), *options, "--port", str(port)]
    start[0] = str(image / start[0])
    number = int(user.split(":")[0])
    other = {"user": number, "group": number, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o777)
        environment = {"PATH": os.environ["PATH"], "TMPDIR": temporary}
        log = Path(temporary, "log")
        with log.open("w") as stream:
            server = subprocess.Popen(
                start, cwd=image, env=environment, stdout=stream, stderr=stream, **other
            )
        try:
            while not health(image, port):
                assert server.poll() is None, log.read_text()
                time.sleep(0.2)
            yield port
        finally:
            server.terminate()
            assert server.wait(30) == 0, log.read_text()


def health(image: Path, port: int) -> bool:
    """What the recipe's own check of health says."""
    (rest,) = steps("HEALTHCHECK")
    command = json.loads(rest[rest.index("[") :].replace("8866", str(port)))
    command[0] = str(image / command[0])
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_recipe_starts_a_server_as_nobody_in_particular(image):
    with running(image, "--base-url", "/mip/", "--workers", "1") as port:
        base = f"http://127.0.0.1:{port}/mip/"
        pages = {
            path: urllib.request.urlopen(base + path).read().decode()
            for path in ("", "app/attack", "book/book/index.html")
        }
        assert 'href="app/attack"' in pages[""]
        assert "the book" in pages["book/book/index.html"]
        body = {"Content-Type": "application/json"}
        asked = urllib.request.Request(f"{base}figure/attack/attack-counts", b"{}", body)
        assert '"figure"' in urllib.request.urlopen(asked).read().decode()


def test_the_services_are_limited_and_their_options_are_read():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    apps = services["apps"]
    assert re.search(r":[\d.]+@sha256:[0-9a-f]{64}$", services["https"]["image"])
    limits = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}
    assert limits.items() <= apps.items()
    assert (apps["mem_limit"], apps["pids_limit"]) == ("1g", 100)
    assert "ports" not in apps, "only the server in front is open"
    command = [word.replace("${SITE:-localhost}", "apps.example.org") for word in apps["command"]]
    options = read([*json.loads(steps("ENTRYPOINT")[0])[4:], *command])
    assert options.trust_proxy
    assert options.hosts == {"localhost", "127.0.0.1", "[::1]", "apps.example.org"}
    mounted = services["https"]["volumes"][0].split(":")[0]
    assert (ROOT / mounted).is_file()
