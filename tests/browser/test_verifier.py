"""The TypeScript verifier in a real browser: the verdicts of the vectors, and nothing is asked of anybody."""

import base64
import json

import pytest

from tests.vectors.vector import CertificateVector, Policy, ProofVector, paths, read
from tests.web.web import built, refuse_or_skip

LOAD = """
  const text = document.getElementById("bundle").textContent;
  const bundle = new Blob([text], { type: "text/javascript" });
  window.loading = import(URL.createObjectURL(bundle));
  window.bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
"""
PROOF = """loading.then((all) => %s.map(([key, digest, proof]) => {
  try { all.verifyProof(bytes(key), bytes(digest), bytes(proof)); return null; } catch (error) { return error.reason; }
}))"""
CERTIFICATE = """loading.then((all) => %s.map(([certificate, commitment, document, verifying]) => {
  const files = { certificate: bytes(certificate), commitment: bytes(commitment) };
  const keys = [{ document: bytes(document), verifying: bytes(verifying) }];
  try { all.verify({ ...files, keys }, new all.MinRadius("0")); return null; } catch (error) { return error.reason; }
}))"""
FILES = ("certificate.json", "commitment.json", "keys/key/key.json", "keys/key/verifying.key")


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """A page that holds the verifier and may load nothing."""
    refuse_or_skip()
    folder = tmp_path_factory.mktemp("page")
    policy = "default-src 'none'; script-src 'unsafe-inline' blob:"
    (folder / "page.html").write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<script type="text/plain" id="bundle">{built(folder).read_text()}</script><script>{LOAD}</script>'
    )
    browser.show(folder / "page.html")
    return browser


def spelled(parts):
    """Return bytes as text that the page reads."""
    return [base64.b64encode(part).decode() for part in parts]


def one_of_each(kind):
    """Return a vector for each reason, and one that is accepted; of proofs, those that this verifier checks."""
    found = {}
    for path in paths():
        vector = read(path)
        if isinstance(vector, kind) and getattr(vector, "proof_system", "groth16-bn254") == "groth16-bn254":
            found.setdefault(vector.reason, vector)
    return found


def test_proofs_of_each_reason(page):
    """A proof that holds, and one for each reason of a refusal, have the verdict of the file."""
    vectors = one_of_each(ProofVector)
    assert len(vectors) > 8
    assert page.js(PROOF % json.dumps([spelled(vector.parts()) for vector in vectors.values()])) == list(vectors)


def test_certificates_of_each_reason(page):
    """A certificate that is verified, and one for each reason that no policy brings, have the verdict of the file."""
    vectors = {
        reason: vector.files()
        for reason, vector in one_of_each(CertificateVector).items()
        if vector.policy == Policy() and set(FILES) <= set(vector.files())
    }
    assert len(vectors) > 25
    asked = [spelled(files[name] for name in FILES) for files in vectors.values()]
    assert page.js(CERTIFICATE % json.dumps(asked)) == list(vectors)


def test_nothing_leaves_the_page(page):
    """The page has asked for itself and its own parts, and complained of nothing."""
    log = page.log()
    assert [address for address in log["asked"] if not address.startswith(("file:", "blob:"))] == []
    assert log["said"] == []
