"""Time stamp authorities: certificates by cryptography, and answers by the program `openssl`."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID as Use
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)
TST_INFO = "1.2.840.113549.1.9.16.1.4"

CONFIGURATION = """
[tsa]
default_tsa = one
[one]
serial = {0}/serial
signer_cert = {0}/signer.pem
signer_key = {0}/signer.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256, sha384, md5
accuracy = {1}
"""


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _certificate(name, key, issuer, issuer_key, ends=10 * DAY, use=None):
    """Return a certificate of a key: a root's, or with a use a signer's."""
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(_named(name)).issuer_name(_named(issuer)).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(now - 20 * DAY).not_valid_after(now + ends)
    made = made.add_extension(x509.BasicConstraints(ca=use is None, path_length=None), critical=True)
    made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    by = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    made = made.add_extension(by, critical=False)
    if use is not None:
        made = made.add_extension(x509.ExtendedKeyUsage(use), critical=True)
    return made.sign(issuer_key, hashes.SHA256())


class Authority:
    """An authority of a name with a root of its own; `ends` is when its signer's certificate does, from now on.

    `accuracy` is that of its times, in the words of openssl.
    """

    def __init__(self, name="Hour", ends=10 * DAY, use=(Use.TIME_STAMPING,), accuracy="secs:2"):
        root_key, self.key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self.root = _certificate(f"{name} Root", root_key, f"{name} Root", root_key)
        self.signer = _certificate(name, self.key, f"{name} Root", root_key, ends, list(use))
        self.trusted = [self.root]
        self.accuracy = accuracy
        self.pem = self.root.public_bytes(Encoding.PEM)

    def answer(self, question: bytes) -> bytes:
        """Return the answer to a question, both in DER."""
        with TemporaryDirectory() as folder:
            at = Path(folder)
            self._write(at)
            (at / "serial").write_text("01\n")
            (at / "tsa.cnf").write_text(CONFIGURATION.format(folder, self.accuracy))
            (at / "question").write_bytes(question)
            words = ["-config", at / "tsa.cnf", "-queryfile", at / "question", "-out", at / "answer"]
            subprocess.run(["openssl", "ts", "-reply", *words], check=True, capture_output=True)
            return (at / "answer").read_bytes()

    def stamp(self, content: bytes, digest="sha256", words=("-cert",)) -> bytes:
        """Return a stamp of some bytes, asked for as other programs do."""
        with TemporaryDirectory() as folder:
            file, question = Path(folder) / "file", Path(folder) / "question"
            file.write_bytes(content)
            command = ["openssl", "ts", "-query", "-data", file, f"-{digest}", *words, "-out", question]
            subprocess.run(command, check=True, capture_output=True)
            return self.answer(question.read_bytes())

    def stamp_by_hand(self, content: bytes) -> bytes:
        """Return a stamp under a certificate of any use, which `openssl ts` would not sign with."""
        with TemporaryDirectory() as folder:
            at = Path(folder)
            token = ["ts", "-reply", "-in", at / "stamp", "-token_out", "-out", at / "token"]
            said = ["cms", "-verify", "-noverify", "-inform", "DER", "-in", at / "token", "-out", at / "said"]
            signer = ["-signer", at / "signer.pem", "-inkey", at / "signer.key", "-econtent_type", TST_INFO]
            form = ["-binary", "-nodetach", "-nosmimecap", "-md", "sha256", "-outform", "DER"]
            sign = ["cms", "-sign", "-in", at / "said", "-out", at / "signed", *signer, *form]
            (at / "stamp").write_bytes(authority().stamp(content))
            self._write(at)
            for words in (token, said, sign):
                subprocess.run(["openssl", *words], check=True, capture_output=True)
            parts = bytes.fromhex("3003020100") + (at / "signed").read_bytes()
            return b"\x30\x82" + len(parts).to_bytes(2) + parts

    def _write(self, folder: Path) -> None:
        """Write the signer's certificate and key."""
        (folder / "signer.pem").write_bytes(self.signer.public_bytes(Encoding.PEM))
        secret = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / "signer.key").write_bytes(secret)


@cache
def authority() -> Authority:
    """Return the authority that most tests trust."""
    return Authority()


def answering(answer):
    """Return a handler of requests that answers each with `answer` of its body: bytes, or a status."""

    class Handler(BaseHTTPRequestHandler):
        seen: list = []  # noqa: RUF012  # one for each handler, which a test reads

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.seen.append((self.path, self.headers["Content-Type"], body))
            found = answer(body)
            self.send_response(found if isinstance(found, int) else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(b"" if isinstance(found, int) else found)

        def log_message(self, *_):
            """Say nothing."""

    return Handler
