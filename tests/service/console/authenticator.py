"""A security key in software: P-256, a count of signatures, and the answers that a browser makes of its own."""

import hashlib
import json
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, ATTESTED = 0x01, 0x40


def written(data):
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def read(text):
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Key:
    """One key; `origin` and `site` are what the browser and the key take for those of the page."""

    origin: str = "http://localhost:8080"
    site: str = "localhost"
    count: int = 0
    step: int = 1
    credential: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    secret: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def created(self, options, *, packed=False, **more):
        """Return the answer to the options of a new credential, with the key's own word for it where `packed`."""
        client = self._client("webauthn.create", options)
        numbers = self.secret.public_key().public_numbers()
        place = {-2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        public = cbor2.dumps({1: 2, 3: -7, -1: 1} | place)
        attested = bytes(16) + struct.pack(">H", len(self.credential)) + self.credential + public
        data = self._data(PRESENT | ATTESTED) + attested
        statement = {"alg": -7, "sig": self._signature(data, client)} if packed else {}
        document = {"fmt": "packed" if packed else "none", "attStmt": statement, "authData": data} | more
        return self._answer(client, attestationObject=written(cbor2.dumps(document)))

    def signed(self, options):
        """Return the answer to the options of a signature."""
        self.count += self.step
        client, data = self._client("webauthn.get", options), self._data(PRESENT)
        return self._answer(client, authenticatorData=written(data), signature=written(self._signature(data, client)))

    def _client(self, kind, options):
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _data(self, flags):
        return hashlib.sha256(self.site.encode()).digest() + bytes([flags]) + struct.pack(">I", self.count)

    def _signature(self, data, client):
        return self.secret.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))

    def _answer(self, client, **parts):
        name = written(self.credential)
        response = {"clientDataJSON": written(client), **parts}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})
