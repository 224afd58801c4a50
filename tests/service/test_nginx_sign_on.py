"""Signing in to the console by the word of a real nginx, as the example has it: whom it names, and whom nobody else."""

import base64
import http.client
import json
import re
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from equiproof.cli.main import run
from equiproof.service.settings import load_settings
from tests.service.test_behind_proxy import EXAMPLE, proxied
from tests.service.test_serving import free, serving

pytestmark = pytest.mark.slow

PART = EXAMPLE.with_name("nginx-sign-on.conf")
SECRET = "7d" * 32
HOST = "api.lender.example"
WAY = "/console/sign-on/proxy"
PEOPLE = {"grace": "loan-officers", "rex": "canteen"}
SECTION = """
[proxy_sign_on]
header = "X-Remote-User"
roles_header = "X-Remote-Groups"
secret = "proxy.secret"
proxies = ["127.0.0.1"]
[proxy_sign_on.roles]
loan-officers = "officer"
it-console = "admin"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of a service whose settings have the section, while its processes run."""
    folder = tmp_path_factory.mktemp("signed-on")
    settings = folder / "service" / "service.toml"
    assert run(["service", "init", str(settings.parent), "--lender", "North Bank", "--listen", free()]) == 0
    (settings.parent / "proxy.secret").touch(0o600)
    (settings.parent / "proxy.secret").write_text(f"{SECRET}\n")
    address = load_settings(settings).public_url
    settings.write_text(settings.read_text().replace(f'"{address}"', f'"https://{HOST}"') + SECTION)
    with serving(folder, settings):
        yield folder


class Who(BaseHTTPRequestHandler):
    """Stands for oauth2-proxy: name and groups of whoever has a password that is the name."""

    def do_GET(self):
        given = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        name, _, password = given.partition(":")
        known = bool(name) and name == password and name in PEOPLE and self.path == "/oauth2/auth"
        self.send_response(202 if known else 401)
        if known:
            self.send_header("X-Auth-Request-User", name)
            self.send_header("X-Auth-Request-Groups", PEOPLE[name])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def asking():
    """The address of a program that says who somebody is, while it runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Who)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def nginx(place, tmp_path):
    """The address of nginx before the service, with the example's part for signing in."""
    (tmp_path / "equiproof-secret.conf").write_text(f'proxy_set_header X-Proxy-Secret "{SECRET}";\n')
    with asking() as who:
        part = PART.read_text()
        for theirs, ours in (("127.0.0.1:4180", who), ("/etc/nginx", str(tmp_path)), ("10.0.0.0/8", "127.0.0.0/8")):
            assert theirs in part
            part = part.replace(theirs, ours)
        listen = load_settings(place / "service" / "service.toml").listen
        # The example lets the lender's own network alone see the console.
        inside = part + "location /console/ { proxy_pass http://equiproof; }"
        with proxied(tmp_path, listen, inside) as at:
            yield at


def asked(at, path, name="", method="GET", form=None, **headers):
    """Return status, cookie and page of a request to nginx, whose asker knows a name's password."""
    trusted = ssl.create_default_context()
    trusted.check_hostname, trusted.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection(at, timeout=30, context=trusted)
    if name:
        headers["Authorization"] = f"Basic {base64.b64encode(f'{name}:{name}'.encode()).decode()}"
    if form is not None:
        headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://{HOST}"}
    try:
        connection.request(method, path, form and urlencode(form), {"Host": HOST, **headers})
        answer = connection.getresponse()
        cookie = (answer.headers["set-cookie"] or "").partition(";")[0]
        return answer.status, cookie, answer.read().decode()
    finally:
        connection.close()


def test_somebody_signs_in_and_out(place, nginx):
    """With the role of the group that nginx was told, whatever the browser says of itself; the trail has lines."""
    assert asked(nginx, WAY)[0] == 401
    made_up = {"X-Remote-User": "eve", "X-Remote-Groups": "it-console", "X-Proxy-Secret": "0" * 64}
    assert asked(nginx, WAY, **made_up)[0] == 401
    status, cookie, page = asked(nginx, f"{WAY}?next=/console/queue", "grace", **made_up)
    assert (status, "url=/console/queue" in page) == (200, True)
    status, _, page = asked(nginx, "/console/queue", Cookie=cookie)
    assert status == 200
    assert "signed in as grace, officer" in re.sub(r"\s+", " ", re.sub("<[^>]*>", "", page))
    assert "eve" not in page
    (csrf,) = set(re.findall('name="csrf" value="([0-9a-f]{64})"', page))
    assert asked(nginx, "/console/sign-out", method="POST", form={"csrf": csrf}, Cookie=cookie)[0] == 303
    assert asked(nginx, "/console/queue", Cookie=cookie)[0] == 303
    trail = place / "trail.jsonl"
    assert run(["service", "trail", "export", str(trail), "--settings", str(place / "service" / "service.toml")]) == 0
    lines = [json.loads(line) for line in trail.read_text().splitlines()]
    assert [(line["act"], line["detail"]) for line in lines if "sign" in line["act"] or line["act"] == "account"] == [
        ("account", "role=officer,by=proxy"),
        ("sign-in", "by=proxy"),
        ("sign-out", ""),
    ]


def test_nobody_else_gets_in(place, nginx):
    """A group without a role; a program of this machine that says the headers itself, without the secret."""
    status, cookie, page = asked(nginx, WAY, "rex")
    assert (status, cookie, "none of yours has a role" in page) == (403, "", True)
    listen = load_settings(place / "service" / "service.toml").listen
    connection = http.client.HTTPConnection(listen, timeout=30)
    connection.request("GET", WAY, headers={"Host": HOST, "X-Remote-User": "grace", "X-Remote-Groups": "loan-officers"})
    assert connection.getresponse().status == 403
    connection.close()
