"""The example of a web server before the service, run by nginx: whose address counts, and what stays inside."""

import http.client
import ssl
import subprocess
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from equiproof.cli.main import run
from equiproof.service.settings import load_settings
from tests.service.programs import brought
from tests.service.test_serving import asked as directly
from tests.service.test_serving import free, serving
from tests.support import ROOT

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "examples" / "operations" / "nginx.conf"
ROUTE = "/v1/decisions"
MOST = 1
"""Requests that one address has in a minute."""

HERE = "127.0.0.99"
"""Where nginx listens: connections of this machine's programs begin at 127.0.0.1, and could take a free port of it."""

MAIN = """
pid {folder}/nginx.pid;
error_log {folder}/error.log;
master_process off;
daemon off;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    include {folder}/example.conf;
}}
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The address of a service that trusts its own machine's first address alone, while its process runs."""
    folder = tmp_path_factory.mktemp("behind")
    words = ("--lender", "North Bank", "--listen", free())
    assert run(["service", "init", str(folder / "service"), *words]) == 0
    settings = folder / "service" / "service.toml"
    text = settings.read_text()
    for theirs, ours in (
        ('# hosts = ["api', 'hosts = ["api'),
        ('"127.0.0.0/8", "::1"', '"127.0.0.1"'),
        ("requests_per_address = 60000", f"requests_per_address = {MOST}"),
    ):
        assert theirs in text
        text = text.replace(theirs, ours)
    settings.write_text(text)
    with serving(folder, settings):
        yield load_settings(settings).listen


def certify(folder, host):
    """Write a new key and its own certificate of a host's name."""
    key, name = generate_private_key(SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    today = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = builder.not_valid_before(today).not_valid_after(today + timedelta(days=1)).sign(key, SHA256())
    (folder / "certificate.pem").write_bytes(made.public_bytes(Encoding.PEM))
    (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


@contextmanager
def proxied(folder, service, inside=""):
    """The address at which nginx runs the example before a service, with a certificate of its own, until the end.

    `inside` is more of its server's part.
    """
    nginx, at = brought("nginx"), f"{HERE}:{free().rpartition(':')[2]}"
    certify(folder, "api.lender.example")
    text = EXAMPLE.read_text().replace("127.0.0.1:8080", service).replace("listen 443", f"listen {at}")
    text = text.replace("/etc/ssl/lender", str(folder)).replace("    location / {", f"{inside}\n    location / {{")
    (folder / "example.conf").write_text(text)
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder))
    process = subprocess.Popen([nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        while not (folder / "nginx.pid").exists():
            assert process.poll() is None, (folder / "error.log").read_text()
            time.sleep(0.05)
        # A busy machine's first answer may take longer than nginx waits for one: no test of an address begins with it.
        assert directly(service, "GET", "/v1/models")[0] == 401
        yield at
    finally:
        process.terminate()
        process.wait()


def asked(at, path, source, **headers):
    """Return the status of a request to a proxy from one of this machine's addresses."""
    trusted = ssl.create_default_context()
    trusted.check_hostname, trusted.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection(at, timeout=30, source_address=(source, 0), context=trusted)
    try:
        connection.request("GET", path, headers={"Host": "api.lender.example", **headers})
        return connection.getresponse().status
    finally:
        connection.close()


def test_an_address_is_the_callers_and_cannot_be_made_up(tmp_path, service):
    """One caller's requests are bounded whatever it writes and are nobody else's; what is inside stays there."""
    made_up = ("198.51.100.2", "127.0.0.3", "127.0.0.1", "127.0.0.3, 127.0.0.1")
    with proxied(tmp_path, service) as at:
        # After a minute an address may ask again: each is used for two requests, one after the other.
        for number, address in enumerate(made_up, start=10):
            assert asked(at, ROUTE, f"127.0.0.{number}", **{"X-Forwarded-For": "198.51.100.1"}) == 401
            assert asked(at, ROUTE, f"127.0.0.{number}", **{"X-Forwarded-For": address}) == 429
        assert asked(at, ROUTE, "127.0.0.3") == 401
        # The service's own answers: its page, or that it was not built.
        assert asked(at, "/a", "127.0.0.4") in {200, 503}
        for path in ("/metrics", "/readyz", "/console/sign-in"):
            assert asked(at, path, "127.0.0.5") in {403, 404}
