"""An identity has one spelling and one fingerprint, which other programs compute from the same key."""

import base64
import json

import pytest
from joserfc.jwk import OKPKey

from equiproof.verifier import CertificateFormatError
from equiproof.verifier.identity import Identity, base64url, from_base64url, is_fingerprint
from equiproof.verifier.notes import Signer

# The example of RFC 8037, appendix A.3.
X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
THUMBPRINT = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
PUBLISHED = Identity(from_base64url(X, "x"))


def did(jwk):
    """Write a JWK as a `did:jwk`."""
    return "did:jwk:" + base64url(json.dumps(jwk, separators=(",", ":")).encode())


def test_the_fingerprint_is_the_published_thumbprint():
    """RFC 8037 states the thumbprint of a key; the fingerprint is that, in hexadecimal."""
    assert PUBLISHED.fingerprint == from_base64url(THUMBPRINT, "x").hex()
    assert is_fingerprint(PUBLISHED.fingerprint)


def test_another_program_finds_the_same_fingerprint():
    """joserfc computes the thumbprint of a fresh key from the identifier alone."""
    identity = Identity(Signer.new("bank").verifier.public)
    jwk = json.loads(from_base64url(identity.did.removeprefix("did:jwk:"), "x"))
    assert OKPKey.import_key(jwk).thumbprint() == base64url(bytes.fromhex(identity.fingerprint))


def test_an_identifier_is_read_as_it_is_written():
    """The key of an identifier is the key that it was made of."""
    assert Identity.parse(PUBLISHED.did, "x") == PUBLISHED
    assert PUBLISHED.did == did({"crv": "Ed25519", "kty": "OKP", "x": X})


@pytest.mark.parametrize(
    "text",
    [
        "", "did:jwk:", "did:key:z6Mk", X, PUBLISHED.did + "=", PUBLISHED.did + "A", PUBLISHED.did + "#0",
        did({"kty": "OKP", "crv": "Ed25519", "x": X}),
        did({"crv": "Ed25519", "kty": "OKP", "x": X, "d": X}),
        did({"crv": "Ed448", "kty": "OKP", "x": X}),
        did({"crv": "Ed25519", "kty": "OKP", "x": X[:-1]}),
        did({"crv": "Ed25519", "kty": "OKP", "x": X[:-1] + "p"}),
        did({"crv": "Ed25519", "kty": "OKP", "x": X + "AA"}),
        "did:jwk:" + base64.b64encode(b'{"crv": "Ed25519"}').decode(),
    ],
)  # fmt: skip
def test_no_other_spelling_is_an_identifier(text):
    """Another order, more members, a secret, another curve, another length or spelling of the key is refused."""
    with pytest.raises(CertificateFormatError, match=r"^here: not"):
        Identity.parse(text, "here")


@pytest.mark.parametrize("text", ["", "A", "AB", "AA=", "AA==", "A+", "A/", "AAB", "AA\n", " AA", "ÄÄ"])
def test_base64url_has_one_spelling(text):
    """Padding, the other alphabet, blanks, loose bits and nothing at all are refused."""
    with pytest.raises(CertificateFormatError, match="not base64url"):
        from_base64url(text, "x")


@pytest.mark.parametrize("text", ["", "a" * 63, "a" * 65, "A" * 64, "g" * 64, "a" * 64 + "\n"])
def test_what_is_no_fingerprint(text):
    """A fingerprint is 64 lower-case hexadecimal digits."""
    assert not is_fingerprint(text)


@pytest.mark.parametrize("last", range(64))
def test_only_padding_is_left_out(last):
    """Whatever the last letter is, it stays: RFC 7515 takes off the signs of equality alone."""
    for data in (bytes([0, 0, last]), bytes([0, last << 2 & 0xFF]), bytes([last << 2])):
        written = base64url(data)
        assert written == base64.urlsafe_b64encode(data).decode().replace("=", "")
        assert from_base64url(written, "x") == data
