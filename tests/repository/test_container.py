"""The container's recipe, carried out here where no container can run: what it copies, what it starts."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import venv
from importlib import metadata
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import yaml
from shared import ROOT, free_port, pins

from explorable.serve.options import read

pytestmark = pytest.mark.nightly

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
