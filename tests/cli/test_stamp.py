"""`equiproof stamp`: an authority on this machine stamps, and the stamp is checked here and by openssl."""

import shutil
import subprocess
import threading
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

import pytest

from tests.cli.test_package import written
from tests.verifier.authorities import Authority, answering, authority
from tests.verifier.exported import LOANS

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the program openssl")


@contextmanager
def serving(answer):
    """Serve an authority; yields its address and what it was asked."""
    handler = answering(answer)
    handler.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def pem(tmp_path):
    """The trusted authority's root."""
    path = tmp_path / "authority.pem"
    path.write_bytes(authority().pem)
    return path


def test_a_package_is_stamped(cli, tmp_path, pem):
    """Asked once, without the file; the stamp is beside it, and both programs take it."""
    path = written(tmp_path)
    with serving(authority().answer) as (url, asked):
        made = cli("stamp", "new", path, "--url", f"{url}/tsr?x=1", "--authority", pem, "--json").document
    ((target, kind, body),) = asked
    assert (target, kind) == ("/tsr?x=1", "application/timestamp-query")
    assert len(body) < 100
    stamp = tmp_path / "evidence.package.tsr"
    assert (made["stamp"], made["authority"]) == (str(stamp), "CN=Hour")
    words = ["openssl", "ts", "-verify", "-data", path, "-in", stamp, "-CAfile", pem]
    assert subprocess.run(words, check=True, capture_output=True).returncode == 0
    options = ("--stamp", stamp, "--authority", pem)
    line = f"Stamped by CN=Hour, an authority that you named: the file was there by {made['time']}."
    assert cli("stamp", "check", path, *options).out == f"{line}\n"
    assert line in " ".join(cli("package", "verify", path, *options).out.split())
    found = {"time": made["time"], "authority": "CN=Hour"}
    assert cli("package", "verify", path, *options, "--json").document["stamp"] == found
    assert "stamp" not in cli("package", "verify", path, "--json").document
    cli("package", "verify", path, "--stamp", stamp).complaint(2, "give both")
    pem.write_bytes(Authority("Other").pem)
    cli("package", "verify", path, *options).complaint(1, "no chain leads from it")


def test_an_export_is_checked_with_its_stamp(cli, tmp_path, pem):
    """The stamp is of the exported file, and of no other."""
    pin = cli("identity", "new", "bank", "--out", tmp_path / "key", "--json").document["fingerprint"]
    out, stamp = tmp_path / "x.jwt", tmp_path / "stamp"
    keys = ("--keys", LOANS / "keys")
    cli("export", "vc", LOANS / "certificate.json", "--identity", tmp_path / "key", "--out", out, *keys)
    words = ("export", "check", out, "--identity-key", pin, "--commitment", LOANS / "commitment.json", *keys)
    words += ("--stamp", stamp, "--authority", pem)
    stamp.write_bytes(authority().stamp(out.read_bytes()))
    said = cli(*words)
    assert f"Signed by {pin}, the key that you pinned.\n" in said.out
    assert "\n  + Stamped by CN=Hour" in said.out
    assert "\n  + Gestempelt von CN=Hour" in cli(*words, "--language", "de").out
    stamp.write_bytes(authority().stamp(b"another"))
    cli(*words).complaint(1, f"{stamp}: the stamp is of another file")


def test_a_certificate_is_verified_with_its_stamp(cli, tmp_path, pem):
    """The stamp stands among what was checked, in the answer's language; a refused certificate stays refused."""
    stamp, file = tmp_path / "stamp", LOANS / "certificate.json"
    stamp.write_bytes(authority().stamp(file.read_bytes()))
    pins = ("--keys", LOANS / "keys", "--commitment", LOANS / "commitment.json")
    words = ("verify", file, *pins, "--stamp", stamp, "--authority", pem)
    checked = cli(*words).out.partition("\nNot checked")[0]
    assert "  + Stamped by CN=Hour" in checked
    document = cli(*words, "--json", "--language", "de").document
    assert document["stamp"]["authority"] == "CN=Hour"
    assert document["answer"]["checked"][-1].startswith("Gestempelt von CN=Hour")
    assert document["stamp"]["time"] in document["answer"]["checked"][-1]
    plain = cli("verify", file, *pins, "--json").document
    assert ("stamp" in plain, "Hour" in str(plain)) == (False, False)
    cli("verify", file, *pins, "--stamp", stamp).complaint(2, "give both")
    cli("verify", LOANS, *words[2:]).complaint(2, "name the file that was stamped")
    cli(*words, "--min-radius", "900").complaint(1, "requires 900")
    stamp.write_bytes(authority().stamp(b"another"))
    cli(*words).complaint(1, f"{stamp}: the stamp is of another file")


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (lambda _: 302, 2, "the server answers 302"),
        (lambda _: 500, 2, "the server answers 500"),
        (lambda _: b"<html>", 2, "TimeStampResp in DER"),
        (lambda _: bytes(1 << 20), 2, "want at most"),
        (lambda _: authority().stamp(b"another"), 1, "the stamp is of another file"),
        (lambda _: authority().stamp(b"file"), 1, "another question"),
        (Authority("Other").answer, 1, "no chain leads from it"),
    ],
)
def test_nothing_is_written_of_a_wrong_answer(cli, tmp_path, pem, answer, code, said):
    """Redirections are not followed, and what relying parties would refuse is no stamp."""
    file = tmp_path / "file"
    file.write_bytes(b"file")
    with serving(answer) as (url, _):
        cli("stamp", "new", file, "--url", url, "--authority", pem).complaint(code, said)
    assert {path.name for path in tmp_path.iterdir()} == {"file", "authority.pem"}


def test_an_authority_that_is_away_is_named(cli, tmp_path, pem):
    """No server, and no address."""
    file = tmp_path / "file"
    file.write_bytes(b"file")
    for url, said in (("http://127.0.0.1:9/tsr", "http://127.0.0.1:9: the authority is away"), ("tsa", "want http://")):
        cli("stamp", "new", file, "--url", url, "--authority", pem).complaint(2, said)
    cli("stamp", "new", file, "--url", "http://127.0.0.1:9", "--authority", file).complaint(2, "certificates in PEM")
