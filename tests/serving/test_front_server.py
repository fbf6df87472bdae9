"""The server behind a real nginx, as `deploy/nginx.conf` says, below a path."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from server import Served
from shared import ROOT, free_port
from wire import Reply, ask, post, specs_of, wait_for

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
CONF = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")


def without_https(conf: str, port: int, behind: int) -> str:
    """The file as it stands, but for the certificate, the name and the ports of this machine."""
    conf = re.sub(r"    ssl_certificate\w* [^;]+;\n", "", conf)
    changes = {
        "listen 443 ssl;": f"listen 127.0.0.1:{port};",
        "server_name www.example.org;": "server_name localhost;",
        "127.0.0.1:8866": f"127.0.0.1:{behind}",
    }
    for old, new in changes.items():
        assert conf.count(old) == 1, old
        conf = conf.replace(old, new)
    return conf


def test_the_file_says_what_the_readme_of_it_promises():
    options = re.search(r"python -m mipbook serve (.+)", CONF)[1].split()
    assert options == ["--base-url", "/mip/", "--trust-proxy", "--host", "www.example.org"]
    assert CONF.count("location /mip/ {") == 1
    # The last address is the one that the server behind believes.
    assert "X-Forwarded-For $remote_addr;" in CONF
    assert "client_max_body_size 9m;" in CONF


# Where there is no nginx the file is read, not tried; the workflows' machines have one.
if NGINX:

    @pytest.fixture(scope="module")
    def front(serve, tmp_path_factory) -> Iterator[SimpleNamespace]:
        """The address of the server in front, which a visitor sees."""
        behind: Served = serve("--trust-proxy", "--workers", "2", base="/mip")
        folder, port = tmp_path_factory.mktemp("nginx"), free_port()
        conf = folder / "nginx.conf"
        conf.write_text(
            f"daemon off; {AS_US} pid {folder}/pid; error_log {folder}/error.log;\n"
            f"events {{}}\nhttp {{ access_log off;\n"
            + "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in TEMPORARY)
            + without_https(CONF, port, behind.port)
            + "}\n"
        )
        process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(conf)])
        found = SimpleNamespace(url=f"http://localhost:{port}/mip")
        wait_for(lambda: answers(found), 20, "nginx does not answer")
        yield found
        process.terminate()
        process.wait(20)

    # As root its workers become somebody else, who may not write into a test's folder.
    AS_US = "user root;" if os.geteuid() == 0 else ""
    TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")

    def answers(front: SimpleNamespace) -> bool:
        try:
            return ask(front, "/").status == 200
        except OSError:
            return False

    def test_a_visit_through_nginx(front):
        page = ask(front, "/app/dial")
        assert page.status == 200
        for path in specs_of(page.body).files:
            assert ask(front, path, Accept_Encoding="gzip").status == 200
        reply: Reply = post(front, "/figure/dial/dial", {"n": 3}, Accept_Encoding="gzip")
        assert "figure" in reply.json
        assert reply.headers["Content-Encoding"] == "gzip"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert ask(front, "/book/book/game/chapter.html").status == 200
        assert ask(front, "").headers["Location"].endswith("/mip/")

    def test_nginx_keeps_the_numbers_in_and_large_bodies_out(front):
        assert ask(front, "/healthz").status == 200
        assert ask(front, "/metrics").status == 404
        big = b'{"n": ' + b" " * 9_500_000 + b"1}"
        assert post(front, "/figure/dial/dial", big).status == 413

    def test_a_file_of_four_megabytes_passes(front):
        file = {"name": "a", "text": "1\n" * 400_000, "columns": {}}
        assert "figure" in post(front, "/figure/dial/dial", {"file": file}).json
